"""Rule books on disk: what is written comes back, and what is no rule is told by its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.errors import UserError
from unfool.rules import Association, Example, Rule, RuleBook, read_rules, write_rules
from unfool.text import Text

HEADER = b'{"unfool_rules": 1, "labels": ["neg", "pos"]}\n'
words = (
    st.text(min_size=1).map(str.lower).filter(lambda word: Text.of(word).words == (word,) and word == word.lower())
)
spellings = st.text(min_size=1).filter(lambda word: not any(map(str.isspace, word)))
numbers = st.floats(allow_nan=False, allow_infinity=False)
rules = st.builds(
    Rule,
    st.sampled_from(["neg", "pos"]),
    words,
    spellings,
    numbers,
    *[st.integers(0, 2**40)] * 3,
    pmi=st.dictionaries(st.sampled_from(["neg", "pos"]), st.builds(Association, numbers, numbers)),
    example=st.none() | st.builds(Example, st.integers(0), st.text(), st.text()),
)


@given(found=st.lists(rules, max_size=3))
def test_what_is_written_comes_back(tmp_path_factory: pytest.TempPathFactory, found: list[Rule]) -> None:
    path = tmp_path_factory.mktemp("book") / "rules.jsonl"
    book = RuleBook(("neg", "pos"), tuple(found), {"data": "x", "seed": 0})
    write_rules(book, path)
    assert read_rules(path) == book
    assert len(path.read_bytes().splitlines()) >= 1 + len(found)


def test_a_rule_written_by_hand_needs_three_words(tmp_path: Path) -> None:
    path = tmp_path / "rules.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + HEADER + b'\n{"label": "pos", "word": "Good", "substitute": "fine"}\n')
    assert read_rules(path).rules == (Rule("pos", "good", "fine"),)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "invalid JSON"),
        (b"\xff", "invalid UTF-8"),
        (b"[" * 100_000, "invalid JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"word": "a", "substitute": "b"}', "'label' must be"),
        (b'{"label": "odd", "word": "a", "substitute": "b"}', "no label 'odd'"),
        (b'{"label": "pos", "word": 3, "substitute": "b"}', "'word' must be"),
        (b'{"label": "pos", "word": "", "substitute": "b"}', "'word' must be"),
        (b'{"label": "pos", "word": "two words", "substitute": "b"}', "not one word"),
        (b'{"label": "pos", "word": "a", "substitute": "b c"}', "without spaces"),
        (b'{"label": "pos", "word": "a", "substitute": "b", "salience": NaN}', "'salience'"),
        (b'{"label": "pos", "word": "a", "substitute": "b", "salience": true}', "'salience'"),
        (b'{"label": "pos", "word": "a", "substitute": "b", "support": -1}', "'support'"),
        (b'{"label": "pos", "word": "a", "substitute": "b", "pmi": 7}', "'pmi' or 'example'"),
        (b'{"label": "pos", "word": "a", "substitute": "b", "pmi": {"pos": [NaN, 1]}}', "'pmi' or 'example'"),
        (b'{"label": "pos", "word": "a", "substitute": "b", "example": {"id": "x"}}', "'pmi' or 'example'"),
    ],
)
def test_a_bad_line_is_told_by_its_number(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "rules.jsonl"
    path.write_bytes(HEADER + b"\n" + line + b"\n")
    with pytest.raises(UserError, match="line 3") as raised:
        read_rules(path)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b'{"label": "pos", "word": "a", "substitute": "b"}\n',
        b'{"unfool_rules": 2, "labels": ["a"]}\n',
        b'{"unfool_rules": 1}\n',
        b'{"unfool_rules": 1, "labels": []}\n',
        b'{"unfool_rules": 1, "labels": ["a", 1]}\n',
        b'{"unfool_rules": 1, "labels": ["a", "A"]}\n',
        b"PK\x03\x04",
    ],
)
def test_a_file_without_a_sound_header_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rules.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"rules\.jsonl"):
        read_rules(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read"):
        read_rules(tmp_path / "none.jsonl")
    with pytest.raises(UserError, match="cannot read"):
        read_rules(tmp_path)
