"""The parts attacks are made of: rank positions, propose words, constrain them, search."""

from unfool.attacks.parts._constrain import SHORT_TEXT, angular, same_tag_in_context, similarities, worth_asking
from unfool.attacks.parts._propose import neighbour_words, synonym_swaps, tag_text
from unfool.attacks.parts._rank import Without, best_per_position, importance, ranked
from unfool.attacks.parts._search import apply_in_order, first_that_fools
from unfool.attacks.parts._vocabulary import vocabulary, vocabulary_swaps
from unfool.attacks.parts._weak_spot import (
    AttentionRow,
    attention_of_words,
    spot_by_attention,
    spot_by_zeroing,
)

__all__ = [
    "SHORT_TEXT",
    "AttentionRow",
    "Without",
    "angular",
    "apply_in_order",
    "attention_of_words",
    "best_per_position",
    "first_that_fools",
    "importance",
    "neighbour_words",
    "ranked",
    "same_tag_in_context",
    "similarities",
    "spot_by_attention",
    "spot_by_zeroing",
    "synonym_swaps",
    "tag_text",
    "vocabulary",
    "vocabulary_swaps",
    "worth_asking",
]
