"""The ways to write labels, as tokens, and what of them is still to be written behind their first tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from unfool.errors import UserError


class Form(NamedTuple):
    """A way to write a label."""

    label: int
    tokens: tuple[int, ...]


class Rest(NamedTuple):
    """The tokens behind the first ones of all forms, side by side, each weighed behind the one before it."""

    forms: tuple[int, ...]
    """The form of each."""
    depths: tuple[int, ...]
    """How many of its form's tokens stand before it."""
    before: tuple[int, ...]
    """The token it stands behind."""
    wanted: tuple[int, ...]


def label_forms(tokenizer: Any, labels: Sequence[str]) -> list[Form]:
    """Return all ways to write the labels; none begins with another one.

    Raises:
        UserError: A label is the beginning of another one.
    """
    found: dict[tuple[int, ...], int] = {}
    for number, label in enumerate(labels):
        ways = dict.fromkeys([label, label.lower(), label.capitalize(), label.upper()])
        for written in (f"{space}{way}" for way in ways for space in ("", " ")):
            tokens = tuple(tokenizer(written, add_special_tokens=False)["input_ids"])
            if found.setdefault(tokens, number) != number:
                raise UserError(
                    f"the labels {labels[found[tokens]]!r} and {label!r} are one to the model; rename one"
                )
    kept = []
    for tokens, number in found.items():
        before = [
            other for shorter, other in found.items() if shorter != tokens and tokens[: len(shorter)] == shorter
        ]
        if any(other != number for other in before):
            raise UserError(
                f"the label {labels[before[0]]!r} is the beginning of {labels[number]!r} to the model; rename one"
            )
        if not before:
            kept.append(Form(number, tokens))
    return kept


def rest_of(forms: Sequence[Form]) -> Rest:
    """Return what is to be written behind the forms' first tokens."""
    places = [
        (number, depth, form.tokens[depth - 1], form.tokens[depth])
        for number, form in enumerate(forms)
        for depth in range(1, len(form.tokens))
    ]
    return Rest(*zip(*places, strict=True)) if places else Rest((), (), (), ())
