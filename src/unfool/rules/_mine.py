"""Mining: try every replacement in every text of a data set, and average what each one does to the models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Literal, TypedDict, Unpack

import pyarrow as pa
from rich.console import Console

from unfool import data as data_room
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.parallel import choose_workers, cluster_told, works_here
from unfool.progress import Bar
from unfool.rules._book import RuleBook, write_rules
from unfool.rules._salience import RuleFilter, WordCounts, select_rules
from unfool.rules._scores import ScoringModels
from unfool.rules._stretches import MINING, Job, Parts, Shared, mine_here, mine_in_processes
from unfool.rules._trial import MiningFigures, PlacedSample
from unfool.storage import JSON, WorkFolder
from unfool.victims import EncodedVictim, Options, as_victim, searches_in_half
from unfool.zoo.victim_names import spell_out

By = Literal["uawr", "pmi"]

_STRETCH, _STRETCH_OF_STRINGS = 128, 16
"""Texts of one file. Fixed, so that batches are the same however often mining was killed and whoever does them; few
if a victim is asked with strings, since an endpoint may take a second for each."""
_MOST_WORKERS = 4
"""Processes with a net each use a GPU in turns; more than four gained nothing there."""


@dataclass(frozen=True)
class MinedRules:
    """What mining has found: all rules of any of its models, to be read out in several ways."""

    parts: Parts
    data: data_room.Dataset
    """The texts that were mined."""
    counts: WordCounts
    """How often words occur in all texts of the data set, mined or not."""
    models: tuple[str, ...]
    labels: tuple[str, ...]
    """The data's labels as the first model calls them, or as the data does if there are no models."""

    @cached_property
    def rules(self) -> pa.Table:
        """All rules of any of the models, read once; see `Parts.rules`."""
        return self.parts.rules(len(self.models))

    @cached_property
    def figures(self) -> MiningFigures:
        """How many texts and replacements were tried."""
        return self.parts.figures()

    def book(self, kept: RuleFilter | None = None, models: Sequence[int] | None = None) -> RuleBook:
        """Return the rules.

        Args:
            kept: Which rules are kept (default: the best substitute of each word, if it hurts).
            models: The numbers of the models whose mean counts (default: all). Salience is linear in the logits,
                so that of an ensemble is the mean of its members': one mining serves every ensemble of them.
                Flips are not, and stay those of all models; the book's origin then says so (``flips_by``). With
                none, the rules are those of counts alone, as mining by ``pmi`` gives them.
        """
        chosen = range(len(self.models)) if models is None else models
        found = select_rules(self.rules, self.data, self.counts, chosen, kept or RuleFilter())
        names = [self.models[number] for number in chosen]
        origin: dict[str, JSON] = {**self.parts.config, "members": names, "replacements": self.figures.replacements}
        if not names:
            origin["by"] = "pmi"
        if len(names) < len(self.models):
            origin["flips_by"] = list(self.models)
        if self.figures.unanswered:
            origin["unanswered"] = self.figures.unanswered
        return RuleBook(self.data.labels, tuple(each.rule for each in found), origin)


def mine_rules(
    victims: Sequence[str | Predictor],
    data: str | data_room.Dataset,
    out: str | Path,
    *,
    by: By = "uawr",
    split: str | None = "train",
    n: int | None = None,
    seed: int = 0,
    kept: RuleFilter | None = None,
    options: Options | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = True,
) -> RuleBook:
    """Mine word replacement rules and write them to a file (Yuan et al., 2021, Figure 2).

    For each text, each of its words and each synonym of that word, the rule (label, word, synonym) scores what the
    label's logit loses and the other labels' logits gain; its salience is the mean over all such places.

    Args:
        victims: The models, by name or opened; patterns such as ``zoo:LSTM-*@ag_news`` stand for several.
            Their mean counts: of logits, or of log-probabilities unless all of them give logits.
        data: The data set, by name or loaded.
        out: The file to write. What is done so far lies beside it, in a folder of the same name with ``.parts``.
        by: ``uawr``, or ``pmi`` for the rules that counts of words alone give, which need no victims.
        split: The split of a data set given by name.
        n: How many texts, drawn by the seed (default: all).
        seed: Draws the texts.
        kept: Which rules are kept.
        options: How to open victims given by name.
        workers: Processes that share the work; needs victims given by name. None chooses: several on a GPU.
        resume: Go on with what an earlier mining has left; start it if there is nothing.
        progress: Whether to show a progress bar.
    """
    target = Path(out)
    work = target.with_name(target.name + ".parts")
    if target.exists() and not (resume and MINING.lies_in(work)):  # else killed between its end and this
        raise UserError(f"{target} is there already; choose another place, or remove it")
    with opened_mining(
        victims,
        data,
        work,
        by=by,
        split=split,
        n=n,
        seed=seed,
        options=options,
        workers=workers,
        resume=resume,
        progress=progress,
    ) as mined:
        book = mined.book(kept)
        write_rules(book, target)
        mined.parts.remove()
    return book


class MiningSettings(TypedDict, total=False):
    """How `mine_into` works; see `mine_rules`."""

    by: By
    split: str | None
    n: int | None
    seed: int
    options: Options | None
    workers: int | None
    resume: bool
    progress: bool


def mine_into(
    victims: Sequence[str | Predictor],
    data: str | data_room.Dataset,
    folder: str | Path,
    **settings: Unpack[MiningSettings],
) -> MinedRules:
    """Do the work of `mine_rules` and leave it in a folder, from which any ensemble's rules can be read.

    The folder stays, so with ``resume`` it may be called any number of times, the first included.
    """
    settings["resume"] = settings.get("resume", False) and MINING.lies_in(Path(folder))
    with opened_mining(victims, data, folder, **settings) as mined:
        return mined


@contextmanager
def opened_mining(
    victims: Sequence[str | Predictor],
    data: str | data_room.Dataset,
    folder: str | Path,
    *,
    by: By = "uawr",
    split: str | None = "train",
    n: int | None = None,
    seed: int = 0,
    options: Options | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Iterator[MinedRules]:
    """Do as `mine_into` does, and hold the folder for as long as it is read."""
    if (by == "uawr") != bool(victims):
        raise UserError(
            "name the victims whose logits give the rules"
            if by == "uawr"
            else "rules by pmi need no victims; name none"
        )
    given = (options or Options()).unless_named("fp32")  # nobody checks a rule's figures
    opened = replace(given, labels=tuple(given.labels) if given.labels else None, processes=workers or 1)
    named = [victim for victim in victims if isinstance(victim, str)]
    names = spell_out(named) if len(named) == len(victims) else []
    source = data_room.as_dataset(data, split)
    models = ScoringModels([as_victim(victim, opened) for victim in names or victims], source.labels)
    chosen = source.sample(n, seed)
    stretch = _STRETCH if all(isinstance(v, EncodedVictim) for v in models.victims) else _STRETCH_OF_STRINGS
    names_shown = tuple(map(repr, models.victims))
    config: dict[str, JSON] = {
        "by": by,
        "members": names_shown,
        "scores": models.scores if models.victims else None,
        "fingerprints": [getattr(victim, "fingerprint", None) for victim in models.victims],
        "data": chosen.name,
        "split": chosen.split,
        "texts": len(chosen),
        "seed": seed,
        "fingerprint": source.fingerprint,
        **source.editable_setting(),
        "replacements_from": "WordNet synonyms of the same part of speech",
        "stretch": stretch,
        **({"approximate": True} if any(map(searches_in_half, models.victims)) else {}),
    }
    on_gpu = any(isinstance(v, EncodedVictim) and v.device.type == "cuda" for v in models.victims)
    workers = choose_workers(workers, on_gpu=on_gpu and bool(names), most=_MOST_WORKERS)
    if not names and not works_here(workers):
        raise UserError("several workers each open the victims by name; give names, or let one do it here")
    with WorkFolder(Path(folder), MINING, config, resume) as work:
        parts = Parts(work.path, work.config)
        done = parts.done()
        if progress:
            heading = f"{source.name}: {len(chosen)} of {len(source)} texts; {source.columns.describe()}"
            for line in (heading, *models.label_notes()):
                Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)
        with Bar("mining", len(chosen), shown=progress) as bar:
            jobs = _jobs(chosen, stretch, done, bar)
            if works_here(workers):
                mined = mine_here(jobs, parts, models, ahead=on_gpu)
            else:
                shared = Shared(parts, tuple(names), replace(opened, processes=workers), source.labels, on_gpu)
                mined = mine_in_processes(jobs, shared, workers)
            for texts in mined:
                bar.advance("texts", texts, told=cluster_told())
        yield MinedRules(parts, chosen, WordCounts(source, len(source.labels)), names_shown, models.labels)


def _jobs(chosen: data_room.Dataset, stretch: int, done: set[int], bar: Bar) -> Iterator[Job]:
    """Cut the data set into stretches and leave out those that are done."""
    samples = enumerate(chosen)
    for number in range(-(-len(chosen) // stretch)):
        some = list(islice(samples, stretch))
        if number in done:
            bar.advance("texts", len(some))
        else:
            yield Job(number, [PlacedSample(place, sample) for place, sample in some])
