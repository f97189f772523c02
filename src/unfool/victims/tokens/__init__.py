"""From texts to token batches: the tokenizer, units that are encoded once, spliced rows, packing."""

from unfool.victims.tokens._bases import Bases, Outline, outline
from unfool.victims.tokens._encoded_victim import CPU_PACKING, Card, EncodedVictim, PendingForward
from unfool.victims.tokens._packing import (
    DeviceUnits,
    Packing,
    RowsOnDevice,
    TokenBatch,
    batches,
    upload,
    whole_batch,
)
from unfool.victims.tokens._token_rows import TokenRows, spliced_rows, token_rows
from unfool.victims.tokens._tokenizer import TokenizerEncoder
from unfool.victims.tokens._unit_store import NO_SPLICE, Encoder, UnitStore, Whole, never_splices
from unfool.victims.tokens._units import UnitRows, UnitTable

__all__ = [
    "CPU_PACKING",
    "NO_SPLICE",
    "Bases",
    "Card",
    "DeviceUnits",
    "EncodedVictim",
    "Encoder",
    "Outline",
    "Packing",
    "PendingForward",
    "RowsOnDevice",
    "TokenBatch",
    "TokenRows",
    "TokenizerEncoder",
    "UnitRows",
    "UnitStore",
    "UnitTable",
    "Whole",
    "batches",
    "never_splices",
    "outline",
    "spliced_rows",
    "token_rows",
    "upload",
    "whole_batch",
]
