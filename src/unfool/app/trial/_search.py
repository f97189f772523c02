"""One visitor's search: attacks one after the other on one text, told of step by step."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event as Flag
from typing import Any, NamedTuple

from unfool.app.trial._shelf import Shelf
from unfool.app.trial._turns import Turns
from unfool.app.trial._watched import Seen, WatchedVictim
from unfool.attacks import Attack
from unfool.data import ANSWERS, Dataset, from_texts
from unfool.engine import NoAnswer, Predictor
from unfool.errors import UserError
from unfool.generation import GenerationGoal, Generator, JudgedGenerator, with_outputs
from unfool.job import attack as run_attack
from unfool.options import Budget
from unfool.report import cut_fields, overlay, page_data
from unfool.runs import Run

Event = dict[str, Any]
"""Something that happens in a search; ``type`` says what."""


class Wish(NamedTuple):
    """What a visitor asks for, read and found to be allowed."""

    victim: str
    goal: GenerationGoal | None
    """What fools a model that generates; None for a classifier."""
    text: str
    second: str
    """The second text of a pair, or a translation's reference; may be empty."""
    attacks: Sequence[Attack]
    queries: int


class Stopped(Exception):
    """The visitor wants no more."""


class Late(Exception):
    """The time is up."""


class Search:
    """A search that can be stopped from another thread.

    Args:
        wish: What to do.
        shelf: The victims that are listed.
        turns: Shared by all searches of the server.
        seconds: The longest that one attack may take.
        tell: Told of every event; called in the search's own thread.
    """

    def __init__(
        self, wish: Wish, shelf: Shelf, turns: Turns, seconds: float, tell: Callable[[Event], None]
    ) -> None:
        self._wish, self._shelf, self._turns, self._seconds, self._tell = wish, shelf, turns, seconds, tell
        self._stopped = Flag()
        self._until = 0.0

    def stop(self) -> None:
        """End the search: at its next question to the victim, or before that while the victim is opened."""
        self._stopped.set()

    def run(self) -> Event | None:
        """Search, and return the last event, for the caller to tell; None if the visitor stopped. Never raise."""
        try:
            self._tell({"type": "opening"})
            self._until = time.monotonic() + self._seconds
            model = self._opened()
            with self._turns:
                self._search(model)
            return {"type": "end"}
        except Stopped:
            return None
        except Late:
            late = f"the victim takes more than {self._seconds:g} s to open; try again in a minute"
            return {"type": "error", "error": late}
        except UserError as error:
            return {"type": "error", "error": str(error)}
        except Exception:
            # A visitor need not know what the owner's files are called.
            traceback.print_exc(file=sys.stderr)
            return {"type": "error", "error": "the search broke; the server's terminal says where"}

    def _opened(self) -> Predictor | Generator:
        """Return the victim; others have their turns until it is open."""
        self._check()
        opened = self._shelf.classifier if self._wish.goal is None else self._shelf.translator
        return opened(self._wish.victim, self._check)

    def _search(self, model: Predictor | Generator) -> None:
        victim, data = self._prepared(model)
        for attack in self._wish.attacks:
            self._until = time.monotonic() + self._seconds
            self._tell({"type": "attack", "attack": repr(attack), "labels": victim.labels})
            try:
                self._tell(self._attacked(victim, data, attack))
            except Late:
                self._tell({"type": "late", "seconds": self._seconds})
            except NoAnswer as error:
                self._tell({"type": "failed", "error": f"the victim gave no answer: {error.why}"})
            except UserError as error:  # such as an attack that needs what this victim does not offer
                self._tell({"type": "failed", "error": str(error)})

    def _prepared(self, model: Any) -> tuple[Predictor, Dataset]:
        wish = self._wish
        texts = from_texts([wish.text], ANSWERS, pairs=[wish.second] if wish.second else None)
        if wish.goal is None:
            return model, texts
        samples, left_out, out_of_reach = with_outputs(texts, model, wish.goal)
        if left_out:
            raise UserError(f"the model has no output for this text: {next(iter(left_out))}")
        if out_of_reach:
            raise UserError(f"this text can never reach the goal: {next(iter(out_of_reach))}")
        return JudgedGenerator(model, wish.goal), samples

    def _attacked(self, victim: Predictor, data: Dataset, attack: Attack) -> Event:
        watched = WatchedVictim(victim, self._go_on, self._seen())
        with TemporaryDirectory(prefix="unfool-") as folder:
            run = run_attack(
                watched, data, attack, budget=Budget(queries=self._wish.queries), out=Path(folder) / "run",
                progress=False,
            )  # fmt: skip
            for failure in run.failures():
                raise UserError(failure.error)
            with suppress(Late):  # then it is told without its words' importance
                overlay(run, victim=WatchedVictim(victim, self._go_on, lambda _: None))
            return {"type": "result", "attack": repr(attack), **page_data(Run.open(run.folder))}

    def _go_on(self) -> None:
        """Let others have their turn; end the search if nobody wants it, or its time is up."""
        self._turns.pass_on()
        self._check()

    def _check(self) -> None:
        if self._stopped.is_set():
            raise Stopped
        if time.monotonic() > self._until:
            raise Late

    def _seen(self) -> Callable[[Seen], None]:
        """Return what tells of questions: how many texts so far, and what became of the one that came nearest."""
        original: Seen | None = None
        queries = 0

        def tell(seen: Seen) -> None:
            nonlocal original, queries
            if original is None:
                original = seen
            elif seen.strings == original.strings and seen.texts == 1:
                return  # the original again: the engine asks about it to begin, and to see whether answers change
            queries += seen.texts
            read = 1 if self._wish.goal else len(seen.strings)  # behind a source stands what its goal looks at
            fields = cut_fields(original.strings[:read], seen.strings[:read])
            self._tell({"type": "step", "queries": queries, "beliefs": seen.beliefs, "fields": fields})

        return tell
