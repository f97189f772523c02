"""A model behind an HTTP address as a victim."""

from __future__ import annotations

import inspect
import math
import os
import random
import threading
import typing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, Later, PendingAnswers
from unfool.errors import Unheard, UserError, VictimError
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
)
from unfool.victims.endpoint._client import Post, RequestFailed, Token
from unfool.victims.endpoint._limits import Pace

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 30.0

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

    _has_answered = False
    """Whether any text ever got an answer that could be used."""

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
        limits = {"timeout": timeout, "rate": rate, "batch": batch, "concurrency": concurrency}
        for name, value in limits.items():
            if value is not None and not 0 < value < math.inf:
                raise UserError(f"an endpoint's {name} is {value}; it must be more than zero, and finite")
        if retries < 0:
            raise UserError(f"an endpoint's retries are {retries}; give zero or more")
        self._repr = _call(url, {"labels": labels, "token_env": token_env})
        self._retries, self._batch, self._concurrency = retries, batch, concurrency
        self._post = Post(url, timeout, Pace(rate), concurrency, Token(token_env))
        self._hire()
        self.labels = label_names(url, labels) if labels else self._learn_labels()

    def probabilities(self, inputs: Sequence[Input]) -> list[Row]:
        """Ask about all texts and wait."""
        return self._start(inputs).result()

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Send requests for some of the rows and return at once."""
        inputs = [rows.inputs[number] for number in chosen.tolist()]
        return self._start(inputs).then(partial(self.judged, inputs=inputs))

    def dismiss(self) -> None:
        """Give up all requests under way, so that an interrupted run need not wait for their retries."""
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._hire()

    def __repr__(self) -> str:
        return self._repr

    def _hire(self) -> None:
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="unfool-endpoint")

    def _start(self, inputs: Sequence[Input]) -> Later[list[Row]]:
        batches = [inputs[start : start + self._batch] for start in range(0, len(inputs), self._batch)]
        ask = partial(self._insist, self._read, self._retries, self._stop)
        return Later(partial(self._wait_for, [self._pool.submit(ask, batch) for batch in batches]))

    def _wait_for(self, batches: Sequence[Future[list[Row]]]) -> list[Row]:
        try:
            return [row for batch in batches for row in batch.result()]
        except BaseException:  # the first error that ends the run, or the user's own interrupt
            self.dismiss()
            raise

    def _insist(
        self, read: Callable[[Any], Row], retries: int, stop: threading.Event, inputs: Sequence[Input]
    ) -> list[Row]:
        """Return one row a text of a request, or why there is none.

        What is answered well is kept, the rest is asked again after a pause. Texts that still fail in company are
        asked alone, so that one poisonous text does not lose its neighbours. A server that has answered nothing
        well so far, not even the first of them alone, is likely to speak otherwise than we do: the others are then
        asked alone once.
        """
        rows: dict[int, Row] = {}
        asked = unanswered = list(range(len(inputs)))
        may_help_alone = True
        for pause in _pauses(inputs, retries):
            if stop.wait(pause):
                raise CancelledError
            asked = unanswered
            try:
                values = self._post.ask([inputs[number] for number in asked], stop)
            except RequestFailed as failure:
                rows |= dict.fromkeys(asked, Unheard(f"{self._post.url} {failure}"))
                may_help_alone = failure.alone
                if not failure.again:
                    break
            else:
                rows |= zip(asked, map(read, values), strict=True)
                may_help_alone = True
                unanswered = [number for number in asked if isinstance(rows[number], VictimError)]
                self._has_answered |= len(unanswered) < len(asked)
                if not unanswered:
                    break
        if may_help_alone and len(asked) > 1:
            for place, number in enumerate(unanswered):
                tries_more = retries if place == 0 or self._has_answered else 0
                rows[number] = self._insist(read, tries_more, stop, [inputs[number]])[0]
        return [rows[number] for number in range(len(inputs))]

    def _read(self, value: Any) -> Row:
        classes = len(self.labels)
        if _is_label(value):
            number = value if isinstance(value, int) else place_of(value, self.labels)
            if number not in range(classes):
                return self._wrong(value, f"one of the labels {list(self.labels)}")
            row: Floats = np.zeros(classes, dtype=np.float32)
            row[number] = 1
            return row
        if scores := read_scores(value):
            numbers = row_of(scores, self.labels)
            if numbers is None:
                return self._wrong(value, f"a score for each of the labels {list(self.labels)}")
            return self._row(numbers, classes)
        if not _is_numbers(value):
            return self._wrong(value, f"{classes} probabilities or a label")
        return self._row(value, classes)

    def _row(self, numbers: list[float], classes: int) -> Row:
        answers = checked(self._post.url, [numbers], 1, classes)
        row: Floats = answers.values[0]
        return answers.errors.get(0, row)

    def _wrong(self, value: Any, expected: str) -> VictimError:
        return VictimError(
            f"{self._post.url} answered {self._post.token.hide(repr(value)):.80}; expected {expected}"
        )

    def _learn_labels(self) -> tuple[str, ...]:
        faults = []
        for nothing in (EMPTY_TEXT, EMPTY_PAIR):
            names: list[str] = []
            read = partial(self._read_any_classes, names)
            row = self._insist(read, self._retries, self._stop, [nothing])[0]
            if isinstance(row, VictimError):
                faults.append(row)
            elif len(row):
                return names_in_order(names) if names else numbered_labels(len(row))
            else:
                raise UserError(
                    f"{self._post.url} answers with one label a text, not with all; say with --labels which it has"
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
            return self._wrong(value, "probabilities, one a class")
        return self._row(value, len(value))


def _pauses(inputs: Sequence[Input], retries: int) -> Iterator[float]:
    """Yield the pause before each try: none, then about double each time; the same for the same texts."""
    jitter = random.Random(repr(inputs))
    yield 0.0
    for number in range(retries):
        yield min(FIRST_PAUSE_S * 2**number, LONGEST_PAUSE_S) * jitter.uniform(0.5, 1.5)


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(number, int | float) and not isinstance(number, bool) for number in value
    )


def _call(url: str, options: dict[str, Any]) -> str:
    """Return the call that makes an endpoint with the same answers, without what is the default anyway."""
    defaults = inspect.signature(Endpoint).parameters
    given = [f"{name}={value!r}" for name, value in options.items() if value != defaults[name].default]
    return f"Endpoint({', '.join([repr(url), *given])})"


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
    if "token_env" in settings and settings["token_env"] not in os.environ:
        # Not shown: whoever mistakes its meaning has written the token itself.
        raise UserError("token_env names no environment variable that is set; give the name of one, never a token")
    return url, settings


def _split(fragment: str) -> dict[str, str]:
    try:
        return split_settings(fragment, f"#{fragment}")
    except UserError as error:
        hint = "; labels have bars between: labels=neg|pos" if "labels=" in fragment else ""
        raise UserError(f"{error}{hint}") from None


def _label_names(written: str) -> list[str]:
    return [unquote(label.strip()) for label in written.split("|")]
