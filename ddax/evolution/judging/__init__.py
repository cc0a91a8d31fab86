"""How patches that pass are told apart: by rank, evidence, branches and a separate verdict."""
