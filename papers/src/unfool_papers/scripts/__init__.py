"""Longer experiments and what publishes their results, each run by ``python -m unfool_papers.scripts.NAME``."""
