"""Words of an output, whatever its script: cut, looked for, and told by kind."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from unfool.text import UNSPACED

_WORD = regex.compile(rf"{UNSPACED}\p{{M}}*|[^\s--{UNSPACED}]+", regex.V1)
_BESIDE = rf"[\w--{UNSPACED}]"
"""What makes another word of a word that stands right beside it."""
_LETTER, _UNSPACED_LETTER = regex.compile(r"\p{L}"), regex.compile(rf"[{UNSPACED}&&\p{{L}}]", regex.V1)
_KANA, _THAI = regex.compile(r"[\p{Hiragana}\p{Katakana}]"), regex.compile(r"\p{Thai}")
_LEAST_KANA = 0.1
"""The least share of kana in Japanese: it is written in Chinese characters, too, but never in them alone."""

NAMES = regex.compile(r"(?<=[\w,;:] )\p{Lu}\w+")
NUMBERS = regex.compile(rf"(?<!{_BESIDE})\d+(?:[.,]\d+)*(?!{_BESIDE})", regex.V1)
_NEGATIONS = {
    "en": r"not|cannot|\w+n['’]t|no|nor|neither|never|none|nothing|nobody|nowhere",
    "de": r"nicht|nichts|nie|niemals|niemand\w*|nirgends|kein\w*|weder",
    "es": r"no|ni|nunca|jamás|nada|nadie|ning[uú]n\w*|tampoco",
    "fr": r"ne|n(?=['’])|non|ni|pas|jamais|rien|aucune?",
    "it": r"non|no|né|mai|niente|nulla|nessun\w*|neanche|nemmeno|neppure",
    "nl": r"niet|niets|nooit|geen|niemand|nergens|noch",
    "pt": r"não|nem|nunca|jamais|nada|ninguém|nenhu\w+",
}


def words_of(text: str) -> list[str]:
    """Cut a text at its spaces; where a script puts none between words, each of its characters is one."""
    return [found[0] for found in _WORD.finditer(text)]


def has_word(text: str, word: str) -> bool:
    """Whether a text has a word, whole and in this case; where words have no spaces between, anywhere."""
    before = "" if _UNSPACED_LETTER.match(word) else rf"(?<!{_BESIDE})"
    behind = "" if _UNSPACED_LETTER.match(word[-1:]) else rf"(?!{_BESIDE})"
    return regex.search(f"{before}{regex.escape(word)}{behind}", text, regex.V1) is not None


def negations(language: str) -> regex.Pattern[str]:
    """Return what finds the words that say no in a language, one of `languages_of_negation`."""
    return regex.compile(rf"\b(?:{_NEGATIONS[language]})\b", regex.IGNORECASE)


def languages_of_negation() -> list[str]:
    """Return the languages that `negations` knows."""
    return sorted(_NEGATIONS)


def unspaced_script(texts: Iterable[str]) -> str:
    """Return ``zh``, ``ja`` or ``th`` if most letters of texts are such, and nothing for scripts with spaces."""
    letters = unspaced = kana = thai = 0
    for text in texts:
        found = len(_UNSPACED_LETTER.findall(text))
        letters, unspaced = letters + len(_LETTER.findall(text)), unspaced + found
        if found:
            kana, thai = kana + len(_KANA.findall(text)), thai + len(_THAI.findall(text))
    if not unspaced or 2 * unspaced <= letters:
        return ""
    if 2 * thai > unspaced:
        return "th"
    return "ja" if kana > _LEAST_KANA * unspaced else "zh"
