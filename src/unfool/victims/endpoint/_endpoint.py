"""A model behind an HTTP address as a victim."""

from __future__ import annotations

import os
import typing
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, PendingAnswers
from unfool.errors import UserError, VictimError
from unfool.settings import defaults, read_values, split_settings
from unfool.victims._answer_forms import label_names, names_in_order, numbered_labels, place_of, read_scores, row_of
from unfool.victims._victim import (
    EMPTY_PAIR,
    EMPTY_TEXT,
    Input,
    NoProbabilities,
    StringRows,
    TextVictim,
    checked,
    plain,
)
from unfool.victims.endpoint._client import Form
from unfool.victims.endpoint._insisting import Client, Limits

_CLASSES = Form(
    lambda inputs: {"texts": plain(inputs)},
    ("probabilities", "predictions", "labels"),
    '{"probabilities": [[…], …]}, {"labels": […]} or [[{"label": …, "score": …}, …], …]',
)
Row = Floats | VictimError


class Endpoint(TextVictim):
    """A server that takes ``{"texts": [...]}`` and answers ``{"probabilities": [[...]]}`` or ``{"labels": [...]}``.

    A pair is a list of two strings. Labels are numbers or names; a bare list of either kind is taken too, and so is
    what Hugging Face's pipelines answer, ``[[{"label": "POSITIVE", "score": 0.9}, ...], ...]``; all of it may stand
    under ``"predictions"``.

    What may pass (a lost connection, a time-out, HTTP 408, 429 or 5xx, an answer that makes no sense) is asked
    again after growing pauses, or when ``Retry-After`` says. Texts that fail in company are asked alone before they
    are given up as errors. A server that lets request after request wait is taken to be gone, and the run ends. An
    answer has at most 256 KB a text, and no request's answer needs less than 4 MB.
    """

    def __init__(
        self,
        url: str,
        labels: Sequence[str] | None = None,
        *,
        timeout: float = 10.0,
        retries: int = 4,
        rate: float | None = None,
        batch: int = 16,
        concurrency: int = 8,
        token_env: str = "UNFOOL_TOKEN",
    ) -> None:
        """Make ready to ask; without ``labels``, a first request tells which classes there are.

        Args:
            url: Where to post; http or https.
            labels: Names of the classes, in the order of the probabilities; else those of an answer that names
                them, sorted, or numbers.
            timeout: Seconds a request may take, from connecting to the last byte of its answer.
            retries: How often a failed request is repeated.
            rate: Most requests a second, retries included (default: no limit).
            batch: Most texts a request.
            concurrency: Most requests at once.
            token_env: The environment variable that holds a bearer token, if there is one.
        """
        named = f", labels={labels!r}" if labels is not None else ""
        held = f", token_env={token_env!r}" if token_env != "UNFOOL_TOKEN" else ""
        self._repr = f"Endpoint({url!r}{named}{held})"
        limits = Limits(timeout, retries, rate, batch, concurrency)
        self._client = Client(url, _CLASSES, limits, token_env)
        self.labels = label_names(url, labels) if labels else self._learn_labels()

    def probabilities(self, inputs: Sequence[Input]) -> list[Row]:
        """Ask about all texts and wait."""
        return self._client.start(inputs, self._read).result()

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Send requests for some of the rows and return at once."""
        inputs = [rows.inputs[number] for number in chosen.tolist()]
        return self._client.start(inputs, self._read).then(partial(self.judged, inputs=inputs))

    def dismiss(self) -> None:
        """Give up all requests under way, so that an interrupted run need not wait for their retries."""
        self._client.dismiss()

    def __repr__(self) -> str:
        return self._repr

    def _read(self, value: Any) -> Row:
        classes = len(self.labels)
        if _is_label(value):
            number = value if isinstance(value, int) else place_of(value, self.labels)
            if number not in range(classes):
                return self._client.wrong(value, f"one of the labels {list(self.labels)}")
            row: Floats = np.zeros(classes, dtype=np.float32)
            row[number] = 1
            return row
        if scores := read_scores(value):
            numbers = row_of(scores, self.labels)
            if numbers is None:
                return self._client.wrong(value, f"a score for each of the labels {list(self.labels)}")
            return self._row(numbers, classes)
        if not _is_numbers(value):
            return self._client.wrong(value, f"{classes} probabilities or a label")
        return self._row(value, classes)

    def _row(self, numbers: list[float], classes: int) -> Row:
        answers = checked(self._client.url, [numbers], 1, classes)
        row: Floats = answers.values[0]
        return answers.errors.get(0, row)

    def _learn_labels(self) -> tuple[str, ...]:
        faults = []
        for nothing in (EMPTY_TEXT, EMPTY_PAIR):
            names: list[str] = []
            read = partial(self._read_any_classes, names)
            row = self._client.answer(nothing, read)
            if isinstance(row, VictimError):
                faults.append(row)
            elif len(row):
                return names_in_order(names) if names else numbered_labels(len(row))
            else:
                raise UserError(
                    f"{self._client.url} answers with one label a text, not with all; "
                    "say with --labels which it has"
                )
        if isinstance(faults[0], NoProbabilities):
            raise UserError(str(faults[0]))
        raise UserError(f"cannot learn the classes from an empty text: {faults[0]}; give the endpoint's labels")

    def _read_any_classes(self, names: list[str], value: Any) -> Row:
        """Read a row of any classes; if the answer names them, keep their names."""
        scores = read_scores(value) or {}
        if _is_label(value) or len(scores) == 1:
            return np.empty(0, dtype=np.float32)  # a good answer that tells nothing about the classes
        if scores:
            names[:] = scores
            value = list(scores.values())
        if not _is_numbers(value) or len(value) < 2:
            return self._client.wrong(value, "probabilities, one a class")
        return self._row(value, len(value))


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(number, int | float) and not isinstance(number, bool) for number in value
    )


def read_address(name: str) -> tuple[str, dict[str, Any]]:
    """Return the URL of ``URL`` or ``URL#key=value,key=value``, and what is behind the ``#``.

    That is the arguments of `Endpoint`, and ``threshold`` and ``positive``, as any victim of two labels takes them.

    Raises:
        UserError: An unknown setting, or a value it does not take. No message shows the URL, which was not looked
            at yet and may hold a password.
    """
    url, _, fragment = name.partition("#")
    given = _split(fragment)
    hints = typing.get_type_hints(Endpoint.__init__)
    known = {
        "labels": _label_names,
        **{key: hints[key] for key in defaults(Endpoint.__init__)},
        "threshold": float,
        "positive": unquote,
    }
    settings = read_values("an endpoint", known, given)
    check_token_variable(settings)
    return url, settings


def check_token_variable(settings: Mapping[str, Any]) -> None:
    """Refuse a setting ``token_env`` that names no variable that is set.

    Raises:
        UserError: It does. What it says is not shown: whoever mistakes its meaning has written the token itself.
    """
    if "token_env" in settings and settings["token_env"] not in os.environ:
        raise UserError("token_env names no environment variable that is set; give the name of one, never a token")


def _split(fragment: str) -> dict[str, str]:
    try:
        return split_settings(fragment, f"#{fragment}")
    except UserError as error:
        hint = "; labels have bars between: labels=neg|pos" if "labels=" in fragment else ""
        raise UserError(f"{error}{hint}") from None


def _label_names(written: str) -> list[str]:
    return [unquote(label.strip()) for label in written.split("|")]
