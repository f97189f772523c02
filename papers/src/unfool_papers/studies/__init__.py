"""Each paper's experiments by one command: rows, claims and parts, declared in a short file a paper."""

from unfool_papers.studies._study import STUDIES, Finished, carry_out, find_study

__all__ = ["STUDIES", "Finished", "carry_out", "find_study"]
