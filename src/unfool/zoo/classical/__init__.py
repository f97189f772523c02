"""Naive Bayes and support vector machines: trained in seconds, asked with numpy alone."""

from unfool.zoo.classical._naive_bayes import NaiveBayes
from unfool.zoo.classical._train import NAMES, train
from unfool.zoo.classical._victim import ClassicalVictim, NaiveBayesVictim, check, load
from unfool.zoo.classical.dictionary import Dictionary, Documents, clean
from unfool.zoo.classical.svm import SupportVectors

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
