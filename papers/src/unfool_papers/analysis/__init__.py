"""What the papers look at beside success rates, each as a figure with its numbers."""

from unfool_papers.analysis.attention import AttentionShift, attention_figure, attention_shift
from unfool_papers.analysis.characters_changed import characters_changed
from unfool_papers.analysis.confidence import success_by_confidence
from unfool_papers.analysis.confusion import confusion_after_attack, confusion_matrix
from unfool_papers.analysis.embedding_variation import (
    EmbeddingVariation,
    embedding_variation_figure,
    embedding_variations,
    share_moved,
    spread_by_layer,
)
from unfool_papers.analysis.figure import Figure, write_svg
from unfool_papers.analysis.mean import Mean
from unfool_papers.analysis.neighbours import Near, Perturbed, nearest_words, neighbour_table, perturbed_words
from unfool_papers.analysis.operations import operation_mix
from unfool_papers.analysis.pairs import Pair, fooling_pairs, pair_of
from unfool_papers.analysis.projection import principal_components
from unfool_papers.analysis.relative_variation import (
    RelativeVariation,
    relative_variation,
    relative_variation_figure,
)
from unfool_papers.analysis.sweep import Trial, sweep, sweep_figure
from unfool_papers.analysis.theorem import TheoremCheck, check_theorem_1
from unfool_papers.analysis.theorem_figures import theorem_figure, word_change_figure
from unfool_papers.analysis.words_replaced import words_replaced

__all__ = [
    "AttentionShift",
    "EmbeddingVariation",
    "Figure",
    "Mean",
    "Near",
    "Pair",
    "Perturbed",
    "RelativeVariation",
    "TheoremCheck",
    "Trial",
    "attention_figure",
    "attention_shift",
    "characters_changed",
    "check_theorem_1",
    "confusion_after_attack",
    "confusion_matrix",
    "embedding_variation_figure",
    "embedding_variations",
    "fooling_pairs",
    "nearest_words",
    "neighbour_table",
    "operation_mix",
    "pair_of",
    "perturbed_words",
    "principal_components",
    "relative_variation",
    "relative_variation_figure",
    "share_moved",
    "spread_by_layer",
    "success_by_confidence",
    "sweep",
    "sweep_figure",
    "theorem_figure",
    "word_change_figure",
    "words_replaced",
    "write_svg",
]
