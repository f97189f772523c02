"""The parts attacks are made of: rank positions, propose words, constrain them, search."""

from unfool.attacks.parts._constrain import SHORT_TEXT, angular, same_tag_in_context, similarities
from unfool.attacks.parts._propose import neighbour_words, synonym_swaps, tag_text
from unfool.attacks.parts._rank import Without, best_per_position, importance, ranked
from unfool.attacks.parts._search import apply_in_order

__all__ = [
    "SHORT_TEXT",
    "Without",
    "angular",
    "apply_in_order",
    "best_per_position",
    "importance",
    "neighbour_words",
    "ranked",
    "same_tag_in_context",
    "similarities",
    "synonym_swaps",
    "tag_text",
]
