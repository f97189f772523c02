"""One file an attack; a new file here is a new attack, found by name."""
