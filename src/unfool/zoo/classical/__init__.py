"""Naive Bayes and support vector machines: trained in seconds, asked with numpy alone."""

from unfool.zoo.classical._dictionary import Dictionary, Documents, clean
from unfool.zoo.classical._naive_bayes import NaiveBayes
from unfool.zoo.classical._store import check, load
from unfool.zoo.classical._svm import SupportVectors
from unfool.zoo.classical._train import names, train
from unfool.zoo.classical._victim import ClassicalVictim, NaiveBayesVictim

__all__ = [
    "ClassicalVictim",
    "Dictionary",
    "Documents",
    "NaiveBayes",
    "NaiveBayesVictim",
    "SupportVectors",
    "check",
    "clean",
    "load",
    "names",
    "train",
]
