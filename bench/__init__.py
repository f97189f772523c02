"""Benchmarks: unfool beside its limit and beside its peers, in one run."""
