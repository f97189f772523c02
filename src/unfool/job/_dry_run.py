"""What an attack would ask and cost, rehearsed on a stand-in that nothing fools: nobody is asked anything."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks import Attack
from unfool.engine import Budget, Constraint, Failure, Predictor, attack_samples
from unfool.errors import UserError
from unfool.job._attack import prepared
from unfool.job._chosen import FromLabel
from unfool.job._job import AttackJob
from unfool.victims import Input, Options, TextVictim
from unfool.victims.prompted import Chat

_REHEARSED = 20
CHARACTERS_A_TOKEN = 4
"""Of English text, as a rule of thumb; other languages and look-alike letters take more tokens."""


class Forecast(NamedTuple):
    """What an attack asks where nothing fools the victim: it asks less of one that falls."""

    attack: str
    rehearsed: int
    samples: int
    requests: int
    """Of all samples together, at the mean of those rehearsed."""
    most: int
    """Of the sample that takes most."""
    read: int | None
    """Tokens; None if the victim's are not counted."""
    written: int | None
    cost: float | None

    def __str__(self) -> str:
        told = (
            f"{self.attack}: {self.rehearsed} of {self.samples:,} texts rehearsed on a model that nothing fools: "
            f"about {self.requests:,} requests in all, {self.most:,} at most for a text"
        )
        if self.read is not None:
            told += f"; about {self.read:,} tokens read, at {CHARACTERS_A_TOKEN} characters each"
            told += f", and at most {self.written:,} written"
        return told if self.cost is None else f"{told}; about {self.cost:.3g} to pay"


def dry_run(
    victim: object,
    data: object,
    attacks: Sequence[str | Attack],
    *,
    split: str | None = None,
    n: int | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    constrain: str | Sequence[str | Constraint] = (),
    language: str | None = None,
    target: int | str | None = None,
    from_label: FromLabel = None,
    confidence: float = 0.0,
    eot: int = 1,
    options: Options | None = None,
) -> list[Forecast]:
    """Return what each attack would ask; the arguments are those of `attack`."""
    jobs = prepared(
        victim,
        data,
        attacks,
        split=split,
        n=n,
        seed=seed,
        budget=budget,
        constrain=constrain,
        language=language,
        target=target,
        goal=None,
        from_label=from_label,
        confidence=confidence,
        eot=eot,
        workers=1,
        options=options,
        begun=None,
        resume=False,
    )
    return [_forecast(job) for job in jobs]


class _Unfooled(TextVictim):
    """Answers one label about every text, more or less surely, and notes what it is asked."""

    def __init__(self, like: Predictor, label: int) -> None:
        self.labels, self.queries_a_text = like.labels, getattr(like, "queries_a_text", 1)
        self.asked: list[Input] = []
        self._label = label

    def __repr__(self) -> str:
        return "a model that nothing fools"

    def probabilities(self, inputs: Sequence[Input]) -> NDArray[np.float64]:
        """Return more than one half for its label."""
        self.asked += inputs
        drawn = np.array([zlib.crc32("\0".join(strings).encode(errors="surrogatepass")) for strings in inputs])
        doubt = drawn / (1 << 32) * 0.4
        rows = np.repeat(doubt[:, None] / (len(self.labels) - 1), len(self.labels), axis=1)
        rows[:, self._label] = 1 - doubt
        return rows


def _forecast(job: AttackJob) -> Forecast:
    if job.attack.needs:
        raise UserError(
            f"the attack {job.attack.name!r} looks into the net, so that it cannot be rehearsed without it; a dry "
            "run is for attacks that only need predictions"
        )
    chosen = job.chosen.samples
    counts, texts = list[int](), list[Input]()
    for sample in islice(chosen, _REHEARSED):
        stand_in = _Unfooled(job.victim, sample.label)
        for (found,) in attack_samples(
            stand_in,
            [sample],
            job.attack,
            language=job.language,
            goal=job.goal,
            budget=job.budget,
            constraints=job.constraints,
            seed=job.seed,
        ):
            if isinstance(found, Failure) and found.traceback:
                raise UserError(f"the attack {job.attack.name!r} cannot be rehearsed: {found.error}")
        counts.append(len(stand_in.asked) * stand_in.queries_a_text)
        texts += stand_in.asked * stand_in.queries_a_text
    if not counts:
        raise UserError("there are no texts to attack; give others")
    share = len(chosen) / len(counts)
    forecast = Forecast(
        job.attack.name, len(counts), len(chosen), math.ceil(sum(counts) * share), max(counts), None, None, None
    )
    chat = _asked(job.victim)
    if chat is None:
        return forecast
    read = math.ceil(share * sum(chat.prompt_length(strings) for strings in texts) / CHARACTERS_A_TOKEN)
    written = forecast.requests * chat.settings.tokens
    price = chat.settings.price
    return forecast._replace(read=read, written=written, cost=price.of(read, written) if price else None)


def _asked(victim: Predictor) -> Chat | None:
    """Return the language model behind an address that is asked in the end, if it is one."""
    while not isinstance(victim, Chat) and hasattr(victim, "inner"):
        victim = victim.inner
    return victim if isinstance(victim, Chat) else None
