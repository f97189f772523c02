"""Models that generate, seen through goals: translators attacked as classifiers are."""

from unfool.generation._alone import ReadsAtOnce, greedy_alone
from unfool.generation._attention import OutputAttention, TellsAttention, told_by_words
from unfool.generation._comet import Triple, comet_scores
from unfool.generation._decoding import Decoded, StepModel, forced_score, greedy, mean_states
from unfool.generation._given import as_generator
from unfool.generation._goals import GOALS, GenerationGoal, Score, Translation, find_goal, told_goals
from unfool.generation._judged import LABELS, JudgedByItself, JudgedGenerator
from unfool.generation._kinds import GENERATOR_KINDS, GeneratorKind, generator_kind, open_generator
from unfool.generation._metrics import Bleu, Compared, Quality, compared_bleu, corpus_bleu, quality
from unfool.generation._output import (
    MOST_TOKENS,
    Generator,
    HasSlopes,
    OpensUp,
    Output,
    ScoresOutputs,
    Slope,
    WeighsWords,
)
from unfool.generation._pairs import Prepared, as_pairs, with_outputs
from unfool.generation._similarity import bleu, chrf, chrf_plus_plus, sacrebleu
from unfool.generation._slopes import ForcedModel, slopes
from unfool.generation._spans import one_token_words, tokens_within
from unfool.generation._words import has_word

__all__ = [
    "GENERATOR_KINDS",
    "GOALS",
    "LABELS",
    "MOST_TOKENS",
    "Bleu",
    "Compared",
    "Decoded",
    "ForcedModel",
    "GenerationGoal",
    "Generator",
    "GeneratorKind",
    "HasSlopes",
    "JudgedByItself",
    "JudgedGenerator",
    "OpensUp",
    "Output",
    "OutputAttention",
    "Prepared",
    "Quality",
    "ReadsAtOnce",
    "Score",
    "ScoresOutputs",
    "Slope",
    "StepModel",
    "TellsAttention",
    "Translation",
    "Triple",
    "WeighsWords",
    "as_generator",
    "as_pairs",
    "bleu",
    "chrf",
    "chrf_plus_plus",
    "comet_scores",
    "compared_bleu",
    "corpus_bleu",
    "find_goal",
    "forced_score",
    "generator_kind",
    "greedy",
    "greedy_alone",
    "has_word",
    "mean_states",
    "one_token_words",
    "open_generator",
    "quality",
    "sacrebleu",
    "slopes",
    "tokens_within",
    "told_by_words",
    "told_goals",
    "with_outputs",
]
