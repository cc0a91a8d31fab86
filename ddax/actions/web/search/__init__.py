"""Search services behind one protocol: one file each, chosen by the settings and by what is there."""
