"""From texts to token batches: the tokenizer, units that are encoded once, spliced rows, packing."""

from unfool.victims.tokens._bases import Outline, outline
from unfool.victims.tokens._edits import Edits
from unfool.victims.tokens._encoded_victim import (
    CPU_PACKING,
    FULL_DECIMALS,
    EncodedVictim,
    ForwardPass,
    Shortcut,
    VictimSpec,
)
from unfool.victims.tokens._packing import (
    DeviceUnits,
    Packing,
    RowsOnDevice,
    TokenBatch,
    batches,
    upload,
    whole_batch,
)
from unfool.victims.tokens._spans import SpanEncoder, SpansOfTokenizer, Token
from unfool.victims.tokens._tokenizer import TokenizerEncoder
from unfool.victims.tokens._unit_store import NO_SPLICE, Encoder, UnitStore, Whole, never_splices
from unfool.victims.tokens._units import TokenRows, UnitRows, UnitTable, spliced_rows, stretches, token_rows
from unfool.victims.tokens._writing import Tokenizing

__all__ = [
    "CPU_PACKING",
    "FULL_DECIMALS",
    "NO_SPLICE",
    "DeviceUnits",
    "Edits",
    "EncodedVictim",
    "Encoder",
    "ForwardPass",
    "Outline",
    "Packing",
    "RowsOnDevice",
    "Shortcut",
    "SpanEncoder",
    "SpansOfTokenizer",
    "Token",
    "TokenBatch",
    "TokenRows",
    "TokenizerEncoder",
    "Tokenizing",
    "UnitRows",
    "UnitStore",
    "UnitTable",
    "VictimSpec",
    "Whole",
    "batches",
    "never_splices",
    "outline",
    "spliced_rows",
    "stretches",
    "token_rows",
    "upload",
    "whole_batch",
]
