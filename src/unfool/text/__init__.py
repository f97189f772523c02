"""Texts, samples, variants and diffs: immutable values everything else passes around."""

from unfool.text._chunks import Chunks, WordPlace
from unfool.text._cutters import CUTTERS, Cutter, cutter
from unfool.text._diff import Change, Diff, diff, edit_distance
from unfool.text._language import guess_language, script_of
from unfool.text._text import UNSPACED, Field, Sample, Text
from unfool.text._variants import DELETED, UNCHANGED, Variants, as_variants

__all__ = [
    "CUTTERS",
    "DELETED",
    "UNCHANGED",
    "UNSPACED",
    "Change",
    "Chunks",
    "Cutter",
    "Diff",
    "Field",
    "Sample",
    "Text",
    "Variants",
    "WordPlace",
    "as_variants",
    "cutter",
    "diff",
    "edit_distance",
    "guess_language",
    "script_of",
]
