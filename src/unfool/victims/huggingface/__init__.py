"""Sequence classifiers of Hugging Face's transformers."""

from unfool.victims.huggingface._checkpoint import check_weights, load_classifier, look_over, why_unread
from unfool.victims.huggingface._transformer import Transformer, longest_input, takes_types

__all__ = [
    "Transformer",
    "check_weights",
    "load_classifier",
    "longest_input",
    "look_over",
    "takes_types",
    "why_unread",
]
