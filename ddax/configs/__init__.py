"""The settings: their layers, identities, prices and calibrations, and the secrets among them."""
