"""Guess the language of texts from their letters and, where these are Latin, from the commonest words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice

import regex

_WORD = re.compile(r"[^\W\d_]+")
_MOST_TEXTS, _MOST_CHARACTERS = 200, 2_000
"""So much is read: more would not change the guess."""
_FEWEST_LETTERS, _FEWEST_HITS, _FEWEST_WORDS = 10, 5, 3
_LEAST_SHARE = 0.08
"""Of the words, those on a language's list. Running text has 25 to 45 %, lists of names and numbers hardly any."""
_LEAD, _FEWEST_AHEAD = 1.3, 2
"""How much oftener the words of the likeliest language must stand than those of each other, and how often at least;
words that both lists have do not count."""

_LANGUAGE_OF_LETTERS = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}
"""Letters of other scripts give the language their own name: Greek, Arabic, Cyrillic."""

_COMMON_WORDS = {
    "English": "the of and to a in is it that was for on with as this are be at by not but have you i he his from",
    "German": "der die das und ist nicht ein eine zu den mit von auf es ich sie im dem für auch war so wie bei",
    "French": "le la les de des et est un une dans que qui en du pas pour ce il je au sur avec plus cette mais",
    "Spanish": "el la los las de y que en un una es no por con para se lo del al su más como pero muy este esta",
    "Portuguese": "o a os as de e que em um uma é não por com para se do da no na mais como mas muito este foi",
    "Italian": "il la lo gli le di e che un una è non per con si del della nel sono più come ma molto questo anche",
    "Swedish": "och att det som en är på för av inte med den jag till har ett han hon men var så mycket från också",
    "Danish": "og det som en er på for af ikke med jeg til har et men var meget efter hvad mig blev noget også sig",
    "Norwegian": "og det som en er på for av ikke med jeg til har et men var mye etter hva meg ble noe også seg",
    "Polish": "i w nie na się z do to że jest jak ale od po co tak za o przez tylko był była już może dla ten jego",
    "Finnish": "ja on ei se että oli en joka mutta hän kun niin myös kuin tämä ovat vain sen minä ole mitä tai jos",
    "Romanian": "și de la în a nu este o un cu pe care mai din să ce pentru că sunt dar foarte fost acest prin",
    "Catalan": "el la els les de i que en un una és no per amb es va del al més però molt aquest aquesta com ha",
    "Turkish": "ve bir bu da de için çok ne ben o ile var gibi daha ama değil mi kadar olan en sonra her ki",
    "Hungarian": "a az és hogy nem is egy ez meg de volt van csak el ha már mint azt még nagyon vagy ki fel",
    "Indonesian": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ada karena sangat",
    "Czech": "a je v na se že to s z do i ale jak jsem by byl jako za po pro tak co není velmi který od",
    "Dutch": "de het een en van is dat niet in op te zijn voor met die ik maar er aan ook als was door heel om bij",
}


_WRITTEN_IN = {
    "Cyrillic": "Belarusian Bulgarian Kazakh Macedonian Mongolian Russian Serbian Tajik Ukrainian",
    "Arabic": "Pashto Persian Urdu",
    "Devanagari": "Hindi Marathi Nepali",
    "Hebrew": "Yiddish",
    "Ethiopic": "Amharic",
    "Myanmar": "Burmese",
    "Gurmukhi": "Punjabi",
}
"""Languages by their script, where it has neither their own name nor is Latin."""


def script_of(language: str) -> str:
    """Return the script of a language as `guess_language` names scripts: Chinese, Cyrillic, Latin."""
    if language in _LANGUAGE_OF_LETTERS.values():
        return language
    script = next((script for script, names in _WRITTEN_IN.items() if language in names.split()), language)
    try:
        regex.compile(rf"\p{{Script={regex.escape(script)}}}")
    except regex.error:
        return "Latin"
    return script


def guess_language(texts: Iterable[str]) -> str | None:
    """Return the language that most of the texts are in, such as ``German``, or None if that is unclear.

    Scripts that several languages share go by the script's name (``Cyrillic``, ``Arabic``). Of languages in Latin
    letters it knows those of which a list of common words stands here.
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
    def hits(known: frozenset[str]) -> int:
        return sum(words[word] for word in known)

    lists = _lists()
    likeliest = max(lists, key=lambda name: hits(lists[name]))
    own, most = lists[likeliest], hits(lists[likeliest])
    if sum(word in words for word in own) < _FEWEST_WORDS:  # "no, no, no" may be any language's
        return None
    if most < _FEWEST_HITS or most < _LEAST_SHARE * words.total():
        return None
    others = [known for name, known in lists.items() if name != likeliest]
    ahead = all(hits(own - other) >= max(_FEWEST_AHEAD, _LEAD * hits(other - own)) for other in others)
    return likeliest if ahead else None


@cache
def _lists() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in _COMMON_WORDS.items()}


@cache
def _script(letter: str) -> str:
    first = unicodedata.name(letter, "unknown").split()[0]
    return _LANGUAGE_OF_LETTERS.get(first, first.title())
