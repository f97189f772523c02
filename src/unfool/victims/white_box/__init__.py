"""What a net tells besides its answers: gradients, attention, hidden states, word vectors."""

from unfool.victims.white_box._capabilities import (
    CAPABILITIES,
    NEEDS,
    Attends,
    Attention,
    CharacterReader,
    Differentiates,
    Embeds,
    GradientRequest,
    Gradients,
    Hidden,
    KnowsWords,
    Spelling,
    Spells,
    Summaries,
    Summarises,
    Zeroed,
    Zeroes,
    require,
)
from unfool.victims.white_box._embeddings import Projection, WordEmbeddings
from unfool.victims.white_box._victim import Cut, WhiteBoxVictim

__all__ = [
    "CAPABILITIES",
    "NEEDS",
    "Attends",
    "Attention",
    "CharacterReader",
    "Cut",
    "Differentiates",
    "Embeds",
    "GradientRequest",
    "Gradients",
    "Hidden",
    "KnowsWords",
    "Projection",
    "Spelling",
    "Spells",
    "Summaries",
    "Summarises",
    "WhiteBoxVictim",
    "WordEmbeddings",
    "Zeroed",
    "Zeroes",
    "require",
]
