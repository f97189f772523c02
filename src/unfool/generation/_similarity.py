"""How alike two texts are, by sacrebleu: chrF and smoothed sentence BLEU, from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

from unfool.errors import not_installed
from unfool.generation._words import unspaced_script

_REMEMBERED = 100_000
"""Pairs of texts kept: many changes leave the output as it was, and each asks for the score of the clean one."""


@cache
def sacrebleu() -> Any:
    """Return the package.

    Raises:
        UserError: It is not installed.
    """
    try:
        import sacrebleu as package
    except ImportError:
        raise not_installed("this needs sacrebleu", "translation") from None
    return package


@lru_cache(_REMEMBERED)
def chrf(text: str, other: str) -> float:
    """Return chrF2 of a text against another; of two empty texts, 1."""
    if text == other:
        return 1.0
    return float(_chrf(0).sentence_score(text, [other]).score) / 100


def chrf_plus_plus(text: str, other: str) -> float:
    """Return chrF2++, which also counts pairs of words."""
    if text == other:
        return 1.0
    return float(_chrf(2).sentence_score(text, [other]).score) / 100


@lru_cache(_REMEMBERED)
def bleu(text: str, other: str) -> float:
    """Return BLEU of one sentence, exponentially smoothed, short sentences by the n-grams they have."""
    if text == other:
        return 1.0
    return float(_sentence_bleu(tokenizer_of([other])).sentence_score(text, [other]).score) / 100


@cache
def _chrf(word_order: int) -> Any:
    return sacrebleu().CHRF(word_order=word_order)


@cache
def _sentence_bleu(tokenizer: str) -> Any:
    return sacrebleu().BLEU(tokenize=tokenizer, effective_order=True)


def tokenizer_of(references: Sequence[str]) -> str:
    """Return sacrebleu's tokenizer for the script that references are in; a signature names it."""
    script = unspaced_script(references)
    if script == "ja":
        return "ja-mecab" if find_spec("MeCab") and find_spec("ipadic") else "char"
    return {"zh": "zh", "th": "char"}.get(script, "13a")
