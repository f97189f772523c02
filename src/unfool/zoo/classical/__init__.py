"""Naive Bayes and support vector machines: trained in seconds, asked with numpy alone."""

from unfool.zoo.classical._victim import NAMES, ClassicalVictim, NaiveBayesVictim, check, load, train
from unfool.zoo.classical.dictionary import Dictionary, Documents, clean
from unfool.zoo.classical.models import NaiveBayes, SupportVectors

__all__ = [
    "NAMES",
    "ClassicalVictim",
    "Dictionary",
    "Documents",
    "NaiveBayes",
    "NaiveBayesVictim",
    "SupportVectors",
    "check",
    "clean",
    "load",
    "train",
]
