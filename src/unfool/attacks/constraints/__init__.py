"""One file a constraint; a new file here is a new constraint, found by name."""
