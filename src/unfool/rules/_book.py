"""Rules as values, and books of them as files of JSON lines that people read, edit and ship.

A rule says which word to put for which other if a text has a certain label, and how well that works. A file has a
header, then a rule a line.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from unfool.errors import UserError
from unfool.stats import Rate
from unfool.storage import JSON, explaining, replacing, to_json
from unfool.text import Text

_MARK, _VERSION = "unfool_rules", 1
_MOST, _MOST_BYTES = 2**63, 64 << 20
_FORM = '{"label": …, "word": …, "substitute": …, "salience": …}'


class Association(NamedTuple):
    """How strongly a label goes with the word, and with its substitute, in the data."""

    word: float
    substitute: float


class Example(NamedTuple):
    """A place in the data where the rule alone flips the models: what stands before and after the word."""

    id: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Put ``substitute`` for ``word`` in texts labelled ``label``; case follows the text."""

    label: str
    word: str
    """In lower case."""
    substitute: str
    salience: float = 1.0
    """The priority: how much the label loses by the change, on average over the places where it can be made."""
    support: int = 0
    """Places in the data that allow the change."""
    right: int = 0
    """Those of them in texts that the models have right before."""
    flips: int = 0
    """Those of these that make their answer wrong by the change alone."""
    pmi: Mapping[str, Association] = field(default_factory=dict)
    """By label: pointwise mutual information with the word and with its substitute; see `WordCounts.pmi`."""
    example: Example | None = None

    @property
    def rate(self) -> Rate:
        """How often the change alone flips the models where they are right before."""
        return Rate(self.flips, self.right)

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as the rule's line has them."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        pmi = {label: list(each) for label, each in self.pmi.items()}
        return {**plain, "pmi": pmi, "example": self.example and self.example._asdict()}


@dataclass(frozen=True)
class RuleBook:
    """Rules, the best first, and where they come from.

    Attributes:
        labels: The labels, in the order of their numbers in the data the rules were mined from.
        rules: The rules.
        origin: How they were made: models, data and settings.
    """

    labels: tuple[str, ...]
    rules: tuple[Rule, ...]
    origin: Mapping[str, JSON] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rules)

    @cached_property
    def digest(self) -> str:
        """What decides how texts are rewritten, in one word: books with the same digest do the same."""
        essence = [[rule.label, rule.word, rule.substitute, rule.salience] for rule in self.rules]
        # Data that call the labels otherwise have them in order.
        return hashlib.sha256(to_json([self.labels, essence])).hexdigest()[:16]


def write_rules(book: RuleBook, path: str | Path) -> None:
    """Write a rule book; the file takes its place whole or not at all."""
    target = Path(path)
    with explaining(target, "write", "choose another place"), replacing(target) as file:
        file.write(to_json({_MARK: _VERSION, "labels": book.labels, **book.origin}) + b"\n")
        for rule in book.rules:
            file.write(to_json(rule.to_json()) + b"\n")


def read_rules(path: str | Path) -> RuleBook:
    """Read a rule book; of a rule, only label, word and substitute must be given.

    Raises:
        UserError: The file cannot be read, or a line is no rule; the message names the line.
    """
    source = Path(path)
    with explaining(source, "read", "give a file that `unfool rules mine` made"):
        if source.stat().st_size > _MOST_BYTES:
            raise UserError(f"{source} has more than {_MOST_BYTES >> 20} MB, which is no rule book; give one")
        lines = source.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not numbered:
        raise UserError(f"{source} is empty; it needs a header line and a rule a line")
    number, line = numbered[0]
    header = _object(source, number, line)
    version, labels = header.pop(_MARK, None), header.pop("labels", None)
    if version != _VERSION:
        raise UserError(
            f"{source}, line {number}: this is not a rule book; "
            f'its first line must be {{"{_MARK}": {_VERSION}, "labels": […]}}'
        )
    if not isinstance(labels, list) or not labels or not all(isinstance(label, str) for label in labels):
        raise UserError(f"{source}, line {number}: 'labels' must be a list of label names")
    if len({label.lower() for label in labels}) < len(labels):
        raise UserError(f"{source}, line {number}: the labels {', '.join(labels)} must be different names")
    try:
        to_json(header)
    except (ValueError, RecursionError) as problem:
        raise UserError(f"{source}, line {number}: invalid JSON ({problem}); a header has finite numbers") from None
    rules = []
    for number, line in numbered[1:]:
        try:
            rules.append(_rule(_object(source, number, line), labels))
        except (ValueError, OverflowError) as problem:
            raise UserError(f"{source}, line {number}: {problem}; a rule is {_FORM}") from None
    return RuleBook(tuple(labels), tuple(rules), header)


def _object(source: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode())
    except UnicodeDecodeError:
        raise UserError(f"{source}, line {number}: invalid UTF-8; save the file as UTF-8") from None
    except (ValueError, RecursionError) as problem:
        raise UserError(f"{source}, line {number}: invalid JSON ({problem}); a rule is {_FORM}") from None
    if not isinstance(found, dict):
        raise UserError(f"{source}, line {number}: not a JSON object; a rule is {_FORM}")
    return found


def _rule(given: dict[str, Any], labels: list[str]) -> Rule:
    for key in ("label", "word", "substitute"):
        if not isinstance(given.get(key), str) or not given[key]:
            raise ValueError(f"{key!r} must be a word")
    if given["label"] not in labels:
        raise ValueError(f"there is no label {given['label']!r}; the header has {', '.join(labels)}")
    word, substitute = given["word"].lower(), given["substitute"]
    if Text.of(word).words != (word,):
        raise ValueError(f"{given['word']!r} is not one word of a text")
    if any(map(str.isspace, substitute)):
        raise ValueError(f"the substitute {substitute!r} must be one word, without spaces")
    salience = given.get("salience", 1.0)
    if isinstance(salience, bool) or not isinstance(salience, int | float) or not math.isfinite(salience):
        raise ValueError("'salience' must be a number")
    counts = {key: given.get(key, 0) for key in ("support", "right", "flips")}
    for key, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < _MOST:
            raise ValueError(f"{key!r} must be a count")
    pmi, example = given.get("pmi") or {}, given.get("example")
    try:
        associations = {label: Association(*map(_number, pmi[label])) for label in pmi}
        shown = Example(int(example["id"]), str(example["before"]), str(example["after"])) if example else None
    except (TypeError, KeyError, ValueError, OverflowError, AttributeError):
        raise ValueError("'pmi' or 'example' is not as `unfool rules mine` writes it; leave it out") from None
    return Rule(given["label"], word, substitute, float(salience), **counts, pmi=associations, example=shown)


def _number(given: Any) -> float:
    number = float(given)
    if not math.isfinite(number):  # JSON has no such numbers, but Python reads them
        raise ValueError(number)
    return number
