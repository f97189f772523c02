"""Victims: the models under attack, behind small protocols."""

from unfool.options import DTYPES, Options
from unfool.victims._borrowed import BorrowedVictim
from unfool.victims._callable import Callable, callable_victim
from unfool.victims._capabilities import (
    NEEDS,
    Attends,
    Attention,
    Differentiates,
    Embeds,
    GradientRequest,
    Gradients,
    Hidden,
    KnowsWords,
    Summaries,
    Summarises,
    Zeroed,
    Zeroes,
    require,
)
from unfool.victims._characters import CharacterReader, Spelling, Spells
from unfool.victims._embeddings import Projection, WordEmbeddings
from unfool.victims._encoded import EncodedVictim
from unfool.victims._endpoint import Endpoint
from unfool.victims._ensemble import Ensemble
from unfool.victims._given import as_victim
from unfool.victims._keeper import keep
from unfool.victims._mean_of_draws import MeanOfDraws, Randomised
from unfool.victims._registry import KINDS, open_victim
from unfool.victims._sklearn import Pipeline, pipeline_victim
from unfool.victims._text_victim import Input, TextVictim
from unfool.victims._threshold import Thresholded
from unfool.victims._transformer import Transformer
from unfool.victims._white_box import WhiteBoxVictim

__all__ = [
    "DTYPES",
    "KINDS",
    "NEEDS",
    "Attends",
    "Attention",
    "BorrowedVictim",
    "Callable",
    "CharacterReader",
    "Differentiates",
    "Embeds",
    "EncodedVictim",
    "Endpoint",
    "Ensemble",
    "GradientRequest",
    "Gradients",
    "Hidden",
    "Input",
    "KnowsWords",
    "MeanOfDraws",
    "Options",
    "Pipeline",
    "Projection",
    "Randomised",
    "Spelling",
    "Spells",
    "Summaries",
    "Summarises",
    "TextVictim",
    "Thresholded",
    "Transformer",
    "WhiteBoxVictim",
    "WordEmbeddings",
    "Zeroed",
    "Zeroes",
    "as_victim",
    "callable_victim",
    "keep",
    "open_victim",
    "pipeline_victim",
    "require",
]
