"""What a table of defences declares: what is defended how, what is tried on it, what the paper says comes of it."""

from __future__ import annotations

from string import Formatter
from typing import Any, Literal, NamedTuple

from unfool import data as data_room

BASE = "base"
CLEAN, ERROR, PREMADE = "clean", "error", "premade"
ANEW = ", asked anew"


def before(attack: str) -> str:
    """Name the share that is right before an attack."""
    return f"right before {attack}"


def left(attack: str) -> str:
    """Name the share that an attack leaves right."""
    return f"left by {attack}"


def left_anew(attack: str) -> str:
    """Name the share that was right before an attack and is right about its texts when asked anew."""
    return f"left by {attack}{ANEW}"


def fooled(attack: str) -> str:
    """Name the share of texts, right before, that an attack fools."""
    return f"fooled by {attack}"


def words(attack: str) -> str:
    """Name the words that an attack changes where it succeeds."""
    return f"words changed by {attack}"


def queries(attack: str) -> str:
    """Name what an attack asks a victim, on average over the texts it has right."""
    return f"queries of {attack}"


def f1(figure: str) -> str:
    """Name the macro-F1 beside an accuracy."""
    return f"{figure} F1"


class Said(NamedTuple):
    """A figure of the paper, in percent."""

    figure: str
    value: float
    """Of an accuracy under attack: by a fresh answer, where a victim draws."""


class Arm(NamedTuple):
    """A line of the table. All others are compared with the first."""

    name: str
    victim: str = "{base}"
    """Its victim; in braces stand the base and the names of arms that were trained. Not for those themselves."""
    method: str = ""
    """How it is trained; empty where it is not."""
    said: tuple[Said, ...] = ()
    fault: str = ""
    """A fault of released code, switched on in FuSE; see `FAULTS`."""
    both_ways: bool = False
    """Whether texts that fool it are tried on the first arm, and the other way round."""

    @property
    def file(self) -> str:
        """Its name as part of a file's."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.name.lower())

    @property
    def around(self) -> set[str]:
        """The base or the arms its victim stands around."""
        return {name for _, name, _, _ in Formatter().parse(self.victim) if name}


class Texts(NamedTuple):
    """Texts of a data set, as many as a share of the table's number says."""

    data: str
    split: str | None = "test"
    share: float | None = 1
    """All of them where None."""

    def load(self, n: int, editable: str | None) -> data_room.Dataset:
        """Return the texts, for a table of so many."""
        many = "" if self.share is None else f"[{max(1, int(self.share * n))}]"
        return data_room.load(self.data + many, split=self.split, edit=editable)


class Floor(NamedTuple):
    """A figure of an arm that is at least so many percent, of that of another arm where one is named."""

    figure: str
    arm: str
    percent: float
    of: str = ""


class Change(NamedTuple):
    """How much smaller or larger a figure of an arm is than another arm's, by what the paper says."""

    figure: str
    """A share that is right, of which the errors are compared; or `words` or `queries`."""
    arm: str
    percent: float
    """Below zero where there is less."""
    than: str


class DefenceTable(NamedTuple):
    """Arms, all judged on the same texts and attacked alike."""

    paper: int
    name: str
    base: str
    where: str
    """Where the paper has the figures."""
    clean: Texts
    attacked: Texts | None
    """None where nothing is attacked but to store texts."""
    attack: str
    arms: tuple[Arm, ...]
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    """Figures that fall from arm to arm, if the paper is right."""
    floors: tuple[Floor, ...] = ()
    changes: tuple[Change, ...] = ()
    n: int = 500
    """How many texts are attacked where a share is 1."""
    made: float | None = None
    """The share of texts attacked on the base to store what fools it, for all arms; None for no such texts."""
    editable: str | None = None
    epochs: int = 3
    start: Literal["victim", "new"] = "victim"
    lr: float | None = None
    looked_into: str = ""
    """A trained arm whose answers around a replaced word are set beside the base's, as figures; empty for none."""
    labels: tuple[str, ...] = ()
    """What the answers are called in these figures."""
    points: int = 0
    """How often noise is drawn around each word in these figures."""
    trained_in: str = ""
    """Another table, in which the arms are trained alike; empty where this one trains its own."""
    differs: str = ""
    """What differs from the paper, in a sentence."""

    @property
    def settings(self) -> dict[str, Any]:
        """What decides its figures; what is said about them does not."""
        arms = {arm.name: [arm.victim, arm.method, arm.fault, arm.both_ways] for arm in self.arms}
        said = ("arms", "where", "orders", "floors", "changes", "looked_into", "labels", "points", "differs")
        return {"arms": arms} | {key: value for key, value in self._asdict().items() if key not in said}

    def arm(self, name: str) -> Arm:
        """Return an arm by its name."""
        return next(arm for arm in self.arms if arm.name == name)
