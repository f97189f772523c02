"""The runs of several attacks on the same texts, a folder each below one, and what they come to together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from unfool.engine import Status
from unfool.errors import UserError
from unfool.runs._folder import is_run
from unfool.runs._run import Run
from unfool.stats import Rate
from unfool.storage import JSON, Kind, reading

AFTER = "after"
"""The setting that names earlier attacks: samples that one of them fooled are spared."""
SEVERAL = Kind("the runs of several attacks", "attacks.json", beside=is_run)


class WorstCase(NamedTuple):
    """What several attacks on the same samples come to together."""

    accuracy: Rate
    """Of the samples that all runs are about, those the victim has right before and that no attack fooled."""
    success_rate: Rate
    """Of those attacked, the ones that one attack fooled at least."""

    def to_dict(self) -> dict[str, JSON]:
        """Return plain values for a JSON file."""
        return {"accuracy": self.accuracy.to_dict(), "success_rate": self.success_rate.to_dict()}


def worst_case(runs: Sequence[Run]) -> WorstCase:
    """Join what several attacks on the same samples did."""
    fooled = {o.id for run in runs for o in run.outcomes() if o.status is Status.SUCCESS}
    right, attacked, about = dict[int, bool](), set[int](), list[set[int]]()
    for run in runs:
        own = set[int]()
        for outcome in run.outcomes():
            own.add(outcome.id)
            right[outcome.id] = outcome.before.label == outcome.label
            if outcome.status is not Status.SKIPPED:
                attacked.add(outcome.id)
        about.append(own | fooled if AFTER in run.config else own)
    common = set.intersection(*about)
    kept = sum(right[sample] and sample not in fooled for sample in common)
    return WorstCase(Rate(kept, len(common)), Rate(len(common & fooled), len(common & attacked)))


def same_texts(runs: Sequence[Run]) -> list[tuple[str, list[int]]]:
    """Return each victim that several of the runs attacked on the same data, and the places of these runs."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, run in enumerate(runs):
        same = ("victim", "victim_fingerprint", "data", "split", "fingerprint")
        groups.setdefault(tuple(str(run.config.get(key)) for key in same), []).append(place)
    return [(key[0], places) for key, places in groups.items() if len(places) > 1 and key[0] != "None"]


class Runs:
    """The runs of several attacks on the same texts, in the order given; `unfool.attack_all` makes them."""

    def __init__(self, folder: Path, runs: Mapping[str, Run]) -> None:
        self.folder, self.by_attack = folder, dict(runs)

    @classmethod
    def open(cls, folder: str | Path) -> Runs:
        """Open what `unfool.attack_all` made, finished or not."""
        folder = Path(folder)
        if not SEVERAL.lies_in(folder):
            raise UserError(f"{folder} does not hold the runs of several attacks")
        with reading(folder):
            names = SEVERAL.read_settings(folder)["attacks"]
        if not isinstance(names, dict):
            raise UserError(f"{folder / SEVERAL.settings} does not name the attacks; restore it")
        places = {name: folder / str(place) for name, place in names.items()}
        return cls(folder, {name: Run.open(place) for name, place in places.items() if is_run(place)})

    def __len__(self) -> int:
        return len(self.by_attack)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.by_attack.values())

    def __getitem__(self, attack: str) -> Run:
        """Return the run of an attack, by its name as it was given."""
        return self.by_attack[attack]

    def __repr__(self) -> str:
        return f"Runs.open({str(self.folder)!r})"

    @property
    def worst(self) -> WorstCase:
        """What all attacks come to together."""
        return worst_case(list(self))


def holds_several(folder: Path) -> bool:
    """Return whether a folder holds the runs of several attacks."""
    with reading(folder):
        return SEVERAL.lies_in(folder)
