"""How far a release is from the truth, before anything is released: error laws, bounds, and plans."""
