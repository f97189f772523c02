"""One attack over the samples chosen from a data set, all opened and checked, and the run that comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from unfool.attacks import Attack, find_attack
from unfool.attacks import Constraint as NamedConstraint
from unfool.data import Dataset
from unfool.engine import (
    Budget,
    Connection,
    Constraint,
    Failure,
    Goal,
    NoAnswer,
    Outcome,
    Predictor,
    RowCache,
    Status,
    attack_in_parcels,
    attack_in_workers,
    attack_samples,
)
from unfool.errors import UserError
from unfool.job._chosen import Chosen
from unfool.job._forewarnings import language_of, other_language, told_cost, told_overlong
from unfool.job._progress import Progress
from unfool.job._repeat import repeat
from unfool.lexicon.encoders import sentence_encoder
from unfool.parallel import choose_workers, cluster_in_use, cluster_told, works_here
from unfool.runs import AFTER, SHARD, TRACEBACKS, OtherLanguage, Repeated, Run, Shard
from unfool.storage import JSON
from unfool.text import Sample
from unfool.victims import (
    EncodedVictim,
    LabelsInOrder,
    MeanOfDraws,
    Options,
    RemoteVictim,
    in_label_order,
    open_victim,
    own_labels,
    searches_in_half,
    serve,
)
from unfool.visible import visible_line

_IN_FLIGHT_ON_GPU, _IN_FLIGHT_A_WORKER, _IN_FLIGHT_ON_CPU = 8192, 2048, 256
_MOST_WORKERS = 12
"""More were not tried; one GPU had enough to do."""
_WORTH_WORKERS = 5000
"""Samples below which starting processes takes longer than they save."""
_ASKED_AGAIN = 8
"""Texts asked twice to learn whether the victim answers at random."""
_PARCELS_A_WORKER, _LEAST_IN_A_PARCEL, _MOST_IN_A_PARCEL = 8, 16, 1024
"""How a run is cut for a cluster: so that workers end together, batches are full, and a lost node costs little."""
_HOPELESS = 20
"""Samples without a single answer after which a victim is taken for dead, or for one that speaks otherwise."""


@dataclass(frozen=True)
class AttackJob:
    """An attack over a data set with everything found, opened and checked, so that `run` only has to do it."""

    attack: Attack
    victim: Predictor
    """The victim as the attack sees it: labels in the data's order, each answer the mean of ``eot`` draws."""
    judge: Predictor
    """The same victim without the mean."""
    source: Dataset
    chosen: Chosen
    goal: Goal
    budget: Budget
    constraints: tuple[Constraint, ...]
    seed: int
    eot: int
    reopened_as: tuple[str, Options] | None
    """What workers open the victim by; None if it has no name."""
    shard: Shard | None = None
    """The part of the chosen samples to attack; all if None."""
    known: RowCache | None = None
    """Answers that other attacks on the same victim got, and leave to this one."""
    language: str | None = None
    """The language of the texts, where the attack takes another one's words than English ones."""
    after: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """What earlier attacks fooled, by name: these samples are spared."""

    def run(
        self,
        out: str | Path | None = None,
        *,
        resume: bool = False,
        workers: int | None = 1,
        in_flight: int | None = None,
        similarity: bool = False,
        progress: bool = True,
    ) -> Run:
        """Attack every chosen sample, and return the finished run; see `attack` for what may be said."""
        workers = self._workers(workers)
        self._load_what_it_needs(similarity)
        in_flight = in_flight or self._usual_in_flight(workers)
        if in_flight < 1:
            raise UserError(f"in_flight is {in_flight}; give 1 or more samples to attack at once")
        samples = self._samples
        folder = Path(out or usual_folder(self.attack, samples.name, self.victim, self.seed))
        if self.shard:
            folder = self.shard.folder(folder)
        start = Run.resume if resume else Run.create
        with _naming_tracebacks(folder), start(folder, self._config(), self._environment(in_flight)) as run:
            heading = "\n".join(self._heading()) if progress else ""
            steps = self._steps(
                (sample for sample in samples if sample.id not in run.done),
                workers=workers,
                in_flight=in_flight,
                # What is left of a resumed run may be the very texts its victim has no answer about.
                give_up_after=None if run.done else _HOPELESS,
            )
            with Progress(len(samples), len(run.done), self.attack.name, heading=heading, shown=progress) as bar:
                asked_again = self._record(steps, run, bar)
                if account := getattr(self.judge, "account", ""):
                    bar.tell(account)
            run.finish(mean_similarity(run) if similarity else None, asked_again)
        return Run.open(folder)

    def _config(self) -> dict[str, JSON]:
        """Return all that decides the result."""
        samples, own = self.chosen.samples, own_labels(self.victim)
        config: dict[str, JSON] = {
            "attack": repr(self.attack),
            "victim": repr(self.victim),
            "data": samples.name,
            "split": samples.split,
            "fingerprint": self.source.fingerprint,
            "editable": [field.name for field in samples[0].text.fields if field.editable],
            **self.chosen.config,
            "seed": self.seed,
            "labels": list(self.victim.labels),
            "data_labels": list(self.chosen.labels),
            "victim_fingerprint": getattr(self.victim, "fingerprint", None),
            "goal": asdict(self.goal),
            "budget": asdict(self.budget),
            "approximate": searches_in_half(self.judge),
        }
        if self.victim.labels != own:
            config["victim_labels"] = list(own)
        if self.constraints:
            config["constraints"] = [repr(rule) for rule in self.constraints]
        if self.eot != 1:
            config["eot"] = self.eot
        if self.shard:
            config[SHARD] = str(self.shard)
        if self.language:
            config["language"] = self.language
        if samples.cutter:
            config["cutter"] = samples.cutter
        if self.after:
            config[AFTER] = list(self.after)
        return config

    def _environment(self, in_flight: int) -> dict[str, JSON]:
        """Return what is worth keeping though it decides nothing."""
        return {
            "width": in_flight,
            "device": _device_of(self.victim),
            **(self._foreign.note() if self._foreign else {}),
            **self.chosen.facts,
        }

    def _heading(self) -> Iterator[str]:
        """Yield what a person should know before the attack."""
        samples = self.chosen.samples
        yield f"{self.source.name}: {len(samples)} of {len(self.source)} samples; {self.source.columns.describe()}"
        yield from self.chosen.told
        if self.shard:
            yield f"shard {self.shard}: {len(self._samples)} of them"
        if self.after:
            yield f"not fooled by {', '.join(self.after)}: {len(self._samples)} of them"
        for told in (
            told_overlong(self._net, self._samples),
            told_cost(self.victim, self.attack, len(self._samples), samples[0]),
        ):
            if told:
                yield told
        if self.language:
            yield f"language: {self.language}" + (
                "; its synonyms are those of the Open Multilingual Wordnet" if self.attack.takes_wordnets else ""
            )
        elif self.attack.language and self._foreign is None and language_of(samples) is None:
            yield f"language: unclear, so {self.attack.name} reads English; --language names another"
        if self._foreign:
            yield f"note: {self._foreign}"

    @property
    def has_samples(self) -> bool:
        """Whether there is anything to attack."""
        return len(self._samples) > 0

    @cached_property
    def _samples(self) -> Dataset:
        """The samples this job attacks."""
        all_of_them = self.chosen.samples.without(frozenset[int]().union(*self.after.values()))
        return all_of_them.part(self.shard.places) if self.shard else all_of_them

    @cached_property
    def _foreign(self) -> OtherLanguage | None:
        return other_language(self.attack, self.constraints, self.chosen.samples)

    @property
    def _net(self) -> Predictor:
        """The victim that is asked in the end."""
        return self.victim.inner if isinstance(self.victim, LabelsInOrder) else self.victim

    @property
    def _served_by_one(self) -> bool:
        """Whether one process asks for all: a GPU serves one best, and an attack that needs more asks the net."""
        return isinstance(self._net, EncodedVictim) and _device_of(self._net) == "cuda" and not self.attack.needs

    def _workers(self, given: int | None) -> int:
        most = _MOST_WORKERS if len(self._samples) >= _WORTH_WORKERS else 1
        if cluster_in_use():
            most = -(-len(self._samples) // _LEAST_IN_A_PARCEL)
        workers = choose_workers(given, on_gpu=self._served_by_one and self.reopened_as is not None, most=most)
        if self.reopened_as is None and not works_here(workers):
            raise UserError(
                f"{'each machine of a cluster' if workers == 1 else f'each of {workers} workers'} opens victim and "
                "attack by name; give names (hf:FOLDER, pwws), or let one worker do it here"
            )
        return workers

    def _usual_in_flight(self, workers: int) -> int:
        on_gpu = _device_of(self.victim) == "cuda"
        if cluster := cluster_in_use():
            return workers * (_IN_FLIGHT_A_WORKER if on_gpu or cluster.gpus else _IN_FLIGHT_ON_CPU)
        return max(_IN_FLIGHT_ON_GPU, _IN_FLIGHT_A_WORKER * workers) if on_gpu else _IN_FLIGHT_ON_CPU

    def _load_what_it_needs(self, similarity: bool) -> None:
        """Say what is missing now, not after hours of work."""
        if similarity:
            sentence_encoder("minilm")
        for rule in self.constraints:
            if isinstance(rule, NamedConstraint):
                rule.open()

    def _steps(
        self, todo: Iterable[Sample], *, workers: int, in_flight: int, give_up_after: int | None
    ) -> Iterable[Sequence[Outcome | Failure]]:
        """Start the attack, here or in workers; each step brings the samples that are done."""
        settings: dict[str, Any] = {
            "goal": self.goal,
            "budget": self.budget,
            "constraints": self.constraints,
            "seed": self.seed,
            "width": in_flight,
            "give_up_after": give_up_after,
            "language": self.language,
        }
        if works_here(workers) or self.reopened_as is None:
            return attack_samples(self.victim, todo, self.attack, known=self.known, **settings)
        name, options = self.reopened_as
        prepare = partial(_reopen, name, options, self.source.labels, repr(self.attack), self.eot)
        if cluster_in_use():
            share = -(-len(self._samples) // (workers * _PARCELS_A_WORKER))
            return attack_in_parcels(
                prepare,
                todo,
                workers=workers,
                parcel=min(max(share, _LEAST_IN_A_PARCEL), _MOST_IN_A_PARCEL),
                device=options.device if isinstance(self._net, EncodedVictim) else "cpu",
                **settings,
            )
        return attack_in_workers(
            prepare,
            todo,
            workers=workers,
            serve=partial(serve, partial(open_victim, name, options)) if self._served_by_one else None,
            **settings,
        )

    def _record(self, steps: Iterable[Sequence[Outcome | Failure]], run: Run, bar: Progress) -> Repeated | None:
        """Keep what comes; once the victim has answered, ask it again and return whether its answers change."""
        asked_again: Repeated | None = None
        told_bug = False
        for step in steps:
            for outcome in step:
                if isinstance(outcome, Failure):
                    run.fail(outcome)
                    if outcome.traceback and not told_bug:  # else who calls from Python sees a count alone
                        bar.tell(visible_line(f"no result for sample {outcome.id}: {outcome.error}"))
                        told_bug = True
                else:
                    run.record(outcome)
                bar.advance(outcome)
            if machines := cluster_told():
                bar.tell_machines(machines)
            run.flush()
            # A victim that is known to answer is asked again; a dead one would only cost time.
            if asked_again is None and run.done and self.eot == 1 and not isinstance(self._net, EncodedVictim):
                # Of all samples, not this shard's, so that every shard tells the same of the victim.
                asked_again = repeat(self.judge, list(islice(self.chosen.samples, _ASKED_AGAIN)), 2)
                if asked_again.random:
                    bar.tell(asked_again.told)
        return asked_again


@contextmanager
def _naming_tracebacks(folder: Path) -> Iterator[None]:
    """Say where the whole traceback is if a bug in the victim is why nothing was answered."""
    try:
        yield
    except NoAnswer as error:
        if (folder / TRACEBACKS).exists():
            raise NoAnswer(error.about, error.why, f" (the whole traceback: {folder / TRACEBACKS})") from error
        raise


def _reopen(
    victim: str, options: Options, labels: Sequence[str], attack: str, eot: int, connection: Connection | None
) -> tuple[Predictor, Attack]:
    model = RemoteVictim(connection) if connection else averaged(open_victim(victim, options), eot)
    return in_label_order(model, labels), find_attack(attack)


def usual_folder(attack: Attack, data: str, victim: Predictor, seed: int) -> Path:
    """Return where a run lies if nobody says."""
    parts = (attack.name, data, repr(victim), seed)
    return Path("runs") / "_".join(re.sub(r"[^\w.@-]+", "-", str(part)).strip("-")[-60:] for part in parts)


def averaged(model: Predictor, eot: int) -> Predictor:
    """Return a victim that answers with the mean of so many answers."""
    return model if eot == 1 else MeanOfDraws(model, eot)


def mean_similarity(run: Run) -> float | None:
    """Return the mean cosine between original and adversarial text over the successes of a run."""
    encoder, cosines = sentence_encoder("minilm"), list[float]()
    pairs = ((o.original, o.perturbed) for o in run.outcomes() if o.status is Status.SUCCESS)
    while some := list(islice(pairs, 256)):
        before, after = (encoder.encode([" ".join(text) for text in side]) for side in zip(*some, strict=True))
        cosines += (before * after).sum(axis=1).tolist()
    return round(float(np.mean(cosines)), 4) if cosines else None


def _device_of(model: Predictor) -> str:
    return str(getattr(getattr(model, "device", None), "type", "cpu"))
