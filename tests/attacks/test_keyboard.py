from __future__ import annotations

from string import ascii_lowercase, digits

import pytest

from unfool.lexicon.typos import key_neighbours


@pytest.mark.parametrize(
    ("character", "around"),
    [
        ("g", "fhtyvb"),
        ("a", "sqwz"),
        ("q", "w12a"),
        ("z", "xas"),
        ("m", "njk"),
        ("p", "o0l"),
        ("1", "2q"),
        ("S", "ADWEZX"),
        (" ", ""),
        ("", ""),
        ("é", ""),
        ("!", ""),
    ],
)
def test_the_keys_around_one(character: str, around: str) -> None:
    assert sorted(key_neighbours(character)) == sorted(around)


@pytest.mark.parametrize(
    ("language", "character", "around"),
    [
        ("de", "z", "67tugh"),
        ("de", "ü", "ßpäö"),
        ("fr", "a", "&ézq"),
        ("fr", "q", "azsw"),
        ("fr", "é", '&"az'),
        ("fr", "M", "LÙP"),
    ],
)
def test_the_keys_of_other_languages(language: str, character: str, around: str) -> None:
    assert sorted(key_neighbours(character, language)) == sorted(around)


def test_being_neighbours_goes_both_ways() -> None:
    for key in ascii_lowercase + digits:
        assert all(key in key_neighbours(other) for other in key_neighbours(key))
