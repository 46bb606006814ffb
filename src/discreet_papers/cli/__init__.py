"""The commands `discreet reproduce` and `discreet snap`."""
