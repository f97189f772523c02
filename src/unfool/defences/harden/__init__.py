"""Hardening by training: methods by name, one short file each, and the training itself."""

from unfool.defences.harden._harden import Hardened, harden
from unfool.defences.harden._method import METHODS, Method, Plan, Training, find_method, method
from unfool.defences.harden._trainable import TrainableNet, trainable

__all__ = [
    "METHODS",
    "Hardened",
    "Method",
    "Plan",
    "TrainableNet",
    "Training",
    "find_method",
    "harden",
    "method",
    "trainable",
]
