"""A request for a release: prepared from public facts, charged, and run. Data, budget and randomness meet here."""
