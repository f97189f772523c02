"""The CS229 report: words of Naive Bayes and gradients against classifiers of film reviews."""

from unfool_papers.cs229.study import FULL, STUDY

__all__ = ["FULL", "STUDY"]
