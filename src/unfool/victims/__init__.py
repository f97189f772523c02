"""Victims: the models under attack, behind small protocols."""

from unfool.options import DTYPES, Options
from unfool.victims._answer_forms import place_of
from unfool.victims._capabilities import (
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
    Padding,
    Projection,
    ReadsTokens,
    Spelling,
    Spells,
    Summaries,
    Summarises,
    TokenReader,
    WordEmbeddings,
    Zeroed,
    Zeroes,
    require,
)
from unfool.victims._ensemble import Ensemble
from unfool.victims._fingerprints import code_fingerprint, fingerprint
from unfool.victims._foreign_code import Aside, Batches
from unfool.victims._function import FunctionVictim, callable_victim
from unfool.victims._given import LabelsInOrder, as_victim, in_label_order, own_labels
from unfool.victims._kinds import VICTIM_KINDS, VictimKind, generates, open_victim, victim_kind
from unfool.victims._sklearn import Pipeline, pipeline_victim
from unfool.victims._victim import PLAIN_TEXTS, Input, StringRows, TextVictim, Victim, checked
from unfool.victims._wrapped import (
    ChainedGradients,
    MeanOfDraws,
    Randomised,
    Thresholded,
    VictimName,
    WrappedVictim,
    changed,
    searches_in_half,
)
from unfool.victims.endpoint import Endpoint
from unfool.victims.huggingface import Transformer
from unfool.victims.serving import RemoteVictim, serve
from unfool.victims.tokens import EncodedVictim
from unfool.victims.torch_model import TorchModel
from unfool.victims.white_box import WhiteBoxVictim

__all__ = [
    "CAPABILITIES",
    "DTYPES",
    "NEEDS",
    "PLAIN_TEXTS",
    "VICTIM_KINDS",
    "Aside",
    "Attends",
    "Attention",
    "Batches",
    "ChainedGradients",
    "CharacterReader",
    "Differentiates",
    "Embeds",
    "EncodedVictim",
    "Endpoint",
    "Ensemble",
    "FunctionVictim",
    "GradientRequest",
    "Gradients",
    "Hidden",
    "Input",
    "KnowsWords",
    "LabelsInOrder",
    "MeanOfDraws",
    "Options",
    "Padding",
    "Pipeline",
    "Projection",
    "Randomised",
    "ReadsTokens",
    "RemoteVictim",
    "Spelling",
    "Spells",
    "StringRows",
    "Summaries",
    "Summarises",
    "TextVictim",
    "Thresholded",
    "TokenReader",
    "TorchModel",
    "Transformer",
    "Victim",
    "VictimKind",
    "VictimName",
    "WhiteBoxVictim",
    "WordEmbeddings",
    "WrappedVictim",
    "Zeroed",
    "Zeroes",
    "as_victim",
    "callable_victim",
    "changed",
    "checked",
    "code_fingerprint",
    "fingerprint",
    "generates",
    "in_label_order",
    "open_victim",
    "own_labels",
    "pipeline_victim",
    "place_of",
    "require",
    "searches_in_half",
    "serve",
    "victim_kind",
]
