"""Guess the language of texts from their letters and, where these are Latin, from the commonest words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice

_WORD = re.compile(r"[^\W\d_]+")
_MOST_TEXTS, _MOST_CHARACTERS = 200, 2_000
"""So much is read: more would not change the guess."""
_FEWEST_LETTERS, _FEWEST_HITS, _FEWEST_WORDS = 10, 5, 3
_LEAST_SHARE = 0.08
"""Of the words, those on a language's list. Running text has 25 to 45 %, lists of names and numbers hardly any."""
_LEAD = 1.3
"""How much oftener the words of the likeliest language must stand than those of the next: neighbours share some."""

_LANGUAGE_OF_LETTERS = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}
"""Letters of other scripts give the language their own name: Greek, Arabic, Cyrillic."""

_COMMON_WORDS = {
    "English": "the of and to a in is it that was for on with as this are be at by not but have you i he his from",
    "German": "der die das und ist nicht ein eine zu den mit von auf es ich sie im dem für auch war so wie bei",
    "French": "le la les de des et est un une dans que qui en du pas pour ce il je au sur avec plus cette mais",
    "Spanish": "el la los las de y que en un una es no por con para se lo del al su más como pero muy este esta",
    "Portuguese": "o a os as de e que em um uma é não por com para se do da no na mais como mas muito este foi",
    "Italian": "il la lo gli le di e che un una è non per con si del della nel sono più come ma molto questo anche",
    "Dutch": "de het een en van is dat niet in op te zijn voor met die ik maar er aan ook als was door heel om bij",
}


def guess_language(texts: Iterable[str]) -> str | None:
    """Return the language that most of the texts are in, such as ``German``, or None if that is unclear.

    Scripts that several languages share go by the script's name (``Cyrillic``, ``Arabic``). Of languages in Latin
    letters it knows English, German, French, Spanish, Portuguese, Italian and Dutch.
    """
    words = Counter(
        word
        for text in islice(texts, _MOST_TEXTS)
        for word in _WORD.findall(unicodedata.normalize("NFC", text[:_MOST_CHARACTERS].lower()))
    )
    letters = Counter[str]()
    for word, times in words.items():
        for letter in word:
            letters[_script(letter)] += times
    if letters.total() < _FEWEST_LETTERS:
        return None
    # Japanese is written in Chinese characters, too, but never in them alone.
    if letters["Japanese"] > 0.1 * (letters["Japanese"] + letters["Chinese"]):
        letters["Japanese"] += letters.pop("Chinese", 0)
    ((script, most),) = letters.most_common(1)
    if 2 * most <= letters.total():
        return None
    return _by_common_words(words) if script == "Latin" else script


def _by_common_words(words: Counter[str]) -> str | None:
    hits = Counter({name: sum(words[word] for word in known) for name, known in _lists().items()})
    (likeliest, most), (_, next_most) = hits.most_common(2)
    if sum(word in words for word in _lists()[likeliest]) < _FEWEST_WORDS:  # "no, no, no" may be any language's
        return None
    if most < _FEWEST_HITS or most < _LEAST_SHARE * words.total() or most < _LEAD * next_most:
        return None
    return likeliest


@cache
def _lists() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in _COMMON_WORDS.items()}


@cache
def _script(letter: str) -> str:
    first = unicodedata.name(letter, "unknown").split()[0]
    return _LANGUAGE_OF_LETTERS.get(first, first.title())
