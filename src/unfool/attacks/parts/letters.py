"""Propose: what a word becomes by one slip of a key, every way there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def swapped(word: str, *, inner: bool) -> list[str]:
    """Return the words in which two letters side by side change places.

    Args:
        word: The word.
        inner: Whether its first and its last letter stay; so for all functions here.
    """
    first, last = _inside(word, inner)
    return _others(word, (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(first, last - 1)))


def dropped(word: str, *, inner: bool) -> list[str]:
    """Return the words that lack a letter; one letter alone is not dropped."""
    if len(word) < 2:
        return []
    return _others(word, (word[:i] + word[i + 1 :] for i in range(*_inside(word, inner))))


def added(word: str, letters: str, *, inner: bool) -> list[str]:
    """Return the words that have one of some letters more."""
    places = range(1, len(word)) if inner else range(len(word) + 1)
    return _others(word, (word[:i] + letter + word[i:] for i in places for letter in letters))


def changed(word: str, letters: Callable[[str], str], *, inner: bool) -> list[str]:
    """Return the words in which one letter is another: one of those that ``letters`` names for it."""
    places = range(*_inside(word, inner))
    return _others(word, (word[:i] + letter + word[i + 1 :] for i in places for letter in letters(word[i])))


def _inside(word: str, inner: bool) -> tuple[int, int]:
    return (1, max(1, len(word) - 1)) if inner else (0, len(word))


def _others(word: str, found: Iterable[str]) -> list[str]:
    return [other for other in dict.fromkeys(found) if other != word]
