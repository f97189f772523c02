"""The ways to harden a net, one short file each."""
