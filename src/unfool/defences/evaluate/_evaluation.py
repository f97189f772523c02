"""The result of an evaluation: a victim's figures, beside another victim's if there is one."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from unfool.defences.evaluate._answers import Paired, Transferred
from unfool.defences.evaluate._probes import Cost, GradientUse, HeldAgain
from unfool.errors import UserError
from unfool.runs import Repeated, Summary
from unfool.stats import Rate
from unfool.storage import as_plain, reading

if TYPE_CHECKING:
    import pandas

SUMMARY = "summary.json"
VICTIM, BASE = "victim", "base"

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Sides(Generic[T]):
    """A figure of the victim, and of the one it is compared with."""

    victim: T
    base: T | None = None
    """None if the victim is evaluated alone."""
    paired: Paired | None = None
    """How the two differ on the same texts, for figures that say which texts are right."""

    @property
    def both(self) -> tuple[T, ...]:
        """The figures there are, the victim's first."""
        return (self.victim,) if self.base is None else (self.victim, self.base)

    def to_json(self) -> dict[str, Any]:
        """Return plain values by the sides' names."""
        own = {VICTIM: self.victim, BASE: self.base, "paired": self.paired}
        return {name: as_plain(value) for name, value in own.items() if value is not None}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], read: Callable[[Any], T], **more: Any) -> Self:
        """Return what `to_json` described; ``read`` makes a figure of its plain values."""
        pair = plain.get("paired")
        return cls(
            victim=read(plain[VICTIM]),
            base=read(plain[BASE]) if BASE in plain else None,
            paired=Paired(**pair) if pair else None,
            **more,
        )


@dataclass(frozen=True)
class Correct:
    """How many of some texts are classified correctly."""

    accuracy: Rate
    macro_f1: float

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_json` described."""
        return cls(_rate(plain["accuracy"]), plain["macro_f1"])


@dataclass(frozen=True)
class AttackFigures:
    """What an attack did to a victim: those figures of its run's `Summary` that an evaluation tells."""

    samples: int
    attacked: int
    successes: int
    errors: int
    clean_accuracy: Rate
    accuracy_under_attack: Rate
    success_rate: Rate
    words_changed: float | None
    characters_changed: float | None
    queries_mean: float | None
    telling: bool = True
    """Whether the rates under attack speak of the victim; see `Summary.telling`."""

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """Return the figures of a run."""
        return cls(*(getattr(summary, field.name) for field in fields(cls)))

    def to_json(self) -> dict[str, Any]:
        """Return plain values; rates that do not speak of the victim have no value."""
        plain = {field.name: as_plain(getattr(self, field.name)) for field in fields(self)}
        if not plain.pop("telling"):
            for name in ("accuracy_under_attack", "success_rate"):
                plain[name] |= dict.fromkeys(("value", "low", "high"))
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_json` described."""
        rates = {name: _rate(value) for name, value in plain.items() if isinstance(value, dict)}
        under = plain["accuracy_under_attack"]
        return cls(**{**plain, **rates}, telling=under["value"] is not None or not under["of"])


@dataclass(frozen=True, kw_only=True)
class UnderAttack(Sides[AttackFigures]):
    """What one attack came to."""

    attack: str
    white_box: bool
    """Whether the attack follows gradients."""

    @property
    def name(self) -> str:
        """The attack's name without its settings."""
        return self.attack.partition(":")[0]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"attack": self.attack, "white_box": self.white_box, **super().to_json()}


@dataclass(frozen=True, kw_only=True)
class Transfer(Transferred):
    """What the texts that an attack made on one side do to the other."""

    attack: str
    made_on: str
    """``victim`` or ``base``."""
    tried_on: str

    @property
    def name(self) -> str:
        """The attack's name without its settings."""
        return self.attack.partition(":")[0]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        plain = super().to_json()
        names = {"attack": plain.pop("attack"), "from": plain.pop("made_on"), "to": plain.pop("tried_on")}
        return {**names, **plain}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_json` described."""
        counts = {field.name: plain[field.name] for field in fields(Transferred)}
        return cls(attack=plain["attack"], made_on=plain["from"], tried_on=plain["to"], **counts)


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The figures of an evaluation, and what they are worth."""

    settings: Mapping[str, Any]
    """What was evaluated, and how."""
    labels: tuple[str, ...]
    """A sentence for each data set whose labels no names matched to those of a victim."""
    clean: Sides[Correct]
    premade: Mapping[str, Sides[Correct]]
    """By the name of the data set of adversarial texts."""
    attacks: tuple[UnderAttack, ...]
    worst_case: Sides[Rate] | None
    """The samples that withstand every attack; None without attacks."""
    transfer: tuple[Transfer, ...]
    cost: Sides[Cost]
    repeated: Repeated
    gradients: GradientUse | None
    """None if the victim offers no gradients."""
    asked_anew: Mapping[str, HeldAgain]
    """By attack, what its texts do when the victim is asked again."""
    warnings: tuple[str, ...]
    """Reasons not to trust the figures, a sentence each."""

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Read the evaluation in a folder.

        Raises:
            UserError: If there is no finished one.
        """
        with reading(Path(folder)):
            return cls.from_json(json.loads((Path(folder) / SUMMARY).read_bytes()))

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as they are written to ``summary.json``."""
        own = {field.name: as_plain(getattr(self, field.name)) for field in fields(self)}
        settings = own.pop("settings")
        premade = [{"data": name, **found} for name, found in own["premade"].items()]
        return {**settings, **own, "premade": premade, "worst_case": own["worst_case"] or {}}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_json` described."""
        premade = {row["data"]: Sides.from_json(row, Correct.from_json) for row in plain["premade"]}
        attacks = tuple(
            UnderAttack.from_json(row, AttackFigures.from_json, attack=row["attack"], white_box=row["white_box"])
            for row in plain["attacks"]
        )
        given = {"premade": [*premade], "attacks": [row.attack for row in attacks]}
        figures = {field.name for field in fields(cls)} - given.keys()
        gradients = plain["gradients"]
        return cls(
            settings={name: given.get(name, value) for name, value in plain.items() if name not in figures},
            labels=tuple(plain["labels"]),
            clean=Sides.from_json(plain["clean"], Correct.from_json),
            premade=premade,
            attacks=attacks,
            worst_case=Sides.from_json(plain["worst_case"], _rate) if plain["worst_case"] else None,
            transfer=tuple(map(Transfer.from_json, plain["transfer"])),
            cost=Sides.from_json(plain["cost"], lambda found: Cost(**found)),
            repeated=Repeated(**plain["repeated"]),
            gradients=GradientUse(**gradients) if gradients else None,
            asked_anew={name: HeldAgain(**found) for name, found in plain["asked_anew"].items()},
            warnings=tuple(plain["warnings"]),
        )

    @property
    def sides(self) -> tuple[str, ...]:
        """Return ``victim``, and ``base`` if there is another victim to compare with."""
        return (VICTIM,) if self.clean.base is None else (VICTIM, BASE)

    @property
    def table(self) -> tuple[list[str], list[list[str]]]:
        """The figures as a person reads them: the headings, and a row for each figure."""
        headings = ["figure", *self.sides, *(["McNemar p"] if BASE in self.sides else [])]
        return headings, list(self._rows())

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table of attacks, a row for each attack and side; rates are shares.

        Raises:
            UserError: If pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise UserError("a table of pandas needs pandas: pip install pandas") from None

        rows = []
        for attack in self.attacks:
            for side, figures in zip(self.sides, attack.both, strict=True):
                plain = figures.to_json()
                shares = {name: value["value"] for name, value in plain.items() if isinstance(value, dict)}
                named = {"attack": attack.attack, "white_box": attack.white_box, "side": side}
                rows.append({**named, **plain, **shares})
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        figures = [f"clean accuracy {self.clean.victim.accuracy}"]
        figures += [f"{row.name}: {_under(row.victim)} under attack" for row in self.attacks]
        count = len(self.warnings)
        told = f"{count} warning{'' if count == 1 else 's'}" if count else "no warnings"
        return f"<Evaluation of {self.settings[VICTIM]} on {self.settings['data']}: {', '.join([*figures, told])}>"

    def _repr_html_(self) -> str:
        headings, rows = self.table
        head = "".join(f"<th>{html.escape(name)}</th>" for name in headings)
        body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        warnings = "".join(f"<li>{html.escape(warning)}</li>" for warning in self.warnings)
        return f"<table><tr>{head}</tr>{body}</table>" + (f"<ul>{warnings}</ul>" if warnings else "")

    def _rows(self) -> Iterator[list[str]]:
        for name, answers in [("clean", self.clean), *self.premade.items()]:
            yield _row(f"{name}: accuracy", answers, lambda one: str(one.accuracy), tested=True)
            yield _row(f"{name}: macro-F1", answers, lambda one: f"{one.macro_f1:.3f}")
        for row in self.attacks:
            yield _row(f"{row.name}: accuracy before", row, lambda one: str(one.clean_accuracy))
            yield _row(f"{row.name}: under attack", row, _under, tested=True)
            yield _row(f"{row.name}: words changed", row, lambda one: _number(one.words_changed, " %"))
            yield _row(f"{row.name}: queries", row, lambda one: _number(one.queries_mean))
        if self.worst_case and len(self.attacks) > 1:
            yield _row("worst of all attacks", self.worst_case, str, tested=True)
        yield _row("passes a query", self.cost, lambda one: _number(one.forward))
        yield _row("ms a query", self.cost, lambda one: f"{1000 * one.seconds:.3g}")


def _row(name: str, found: Sides[T], shown: Callable[[T], str], *, tested: bool = False) -> list[str]:
    p = f"{found.paired.p_value:.3g}" if tested and found.paired else ""
    return [name, *map(shown, found.both), *([p] if found.base is not None else [])]


def _under(figures: AttackFigures) -> str:
    return str(figures.accuracy_under_attack) if figures.telling else "–"  # a warning says why


def _number(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:.1f}{unit}"


def _rate(plain: Mapping[str, Any]) -> Rate:
    return Rate(plain["count"], plain["of"])
