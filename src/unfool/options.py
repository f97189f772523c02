"""Options as values: what the command line and Python say alike, with the words a person reads about each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from unfool.devices import check_device
from unfool.errors import UserError, did_you_mean
from unfool.stats import whole_share

if TYPE_CHECKING:
    from unfool.text import Diff, Text


@dataclass(frozen=True)
class Option:
    """What the command line says about a field of an option dataclass.

    Args:
        help: One sentence. It names the default unless the value itself does.
        flag: The option's name; by default the field's, with hyphens.
        least: The smallest number allowed.
        most: The largest number allowed.
        read: Turns what the user typed into the field's value; by default the type decides.
    """

    help: str
    flag: str = ""
    least: float | None = None
    most: float | None = None
    read: Callable[[str], Any] | None = None


def read_names(typed: str) -> list[str]:
    """Read a comma-separated list of names."""
    return [name.strip() for name in typed.split(",")]


def read_renames(typed: str) -> dict[str, str]:
    """Read new names of labels, written ``OLD=NEW,OLD=NEW``.

    Raises:
        UserError: A label has no new name, or two.
    """
    found: dict[str, str] = {}
    for pair in typed.split(","):
        old, _, new = (part.strip() for part in pair.partition("="))
        if not (old and new):
            raise UserError(
                f"--map {typed}: {pair!r} does not say OLD=NEW; write such as True=injection,False=safe"
            )
        if old in found:
            raise UserError(f"--map {typed} names {old!r} twice; give it one new name")
        found[old] = new
    return found


@dataclass(frozen=True)
class Reading:
    """How a data set is read: its columns, its labels, its bad rows."""

    PANEL: ClassVar[str] = "The data"

    text: Annotated[str | None, Option("Column of the text (default: guessed).")] = None
    pair: Annotated[str | None, Option("Column of a pair's second text.")] = None
    label: Annotated[
        str | None, Option("Column of the label (default: guessed). @victim: the victim's own answers.")
    ] = None
    edit: Annotated[str | None, Option("The column to edit, of a pair (default: both).")] = None
    labels: Annotated[Sequence[str] | None, Option("Label names, comma-separated.", read=read_names)] = None
    skip_bad: Annotated[bool, Option("Leave bad rows out and list them.")] = False
    rename: Annotated[
        Mapping[str, str] | None, Option("Rename labels: True=injection,False=safe.", "--map", read=read_renames)
    ] = None
    encoding: Annotated[str | None, Option("Encoding of a text file (default: UTF-8).")] = None
    cutter: Annotated[
        str | None, Option("Cut Chinese or Japanese into words: jieba, janome (default: characters).")
    ] = None

    @property
    def given(self) -> dict[str, Any]:
        """The fields that differ from their defaults."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}


GUESSED = Reading()
"""Columns are found by their usual names, and no row is left out."""


@dataclass(frozen=True)
class Generating:
    """What counts as fooling a model that generates, such as a translator, and which columns it reads."""

    PANEL: ClassVar[str] = "Translators and other models that generate"

    goal: Annotated[
        str | None, Option("The victim generates, and this fools it: degrade, keyword=Art, …; see 'list goals'.")
    ] = None
    source: Annotated[str | None, Option("Column of the source (default: as --text).")] = None
    reference: Annotated[str | None, Option("Column of the reference (default: none).")] = None

    def __post_init__(self) -> None:
        if self.goal is None and (self.source or self.reference):
            raise UserError("--source and --reference are for models that generate; name a --goal, such as degrade")

    def reading(self, reading: Reading) -> Reading:
        """Return how pairs are read for a goal; for a classifier, nothing changes."""
        if self.goal is None:
            return reading
        return replace(reading, text=self.source or reading.text, pair=self.reference, label="@victim")


@dataclass(frozen=True)
class Budget:
    """What one sample may cost: queries, and the share of words or characters that may change."""

    PANEL: ClassVar[str] = "What it may cost"

    queries: Annotated[
        int | None, Option("The most queries for one sample (default: no limit).", "--max-queries", least=1)
    ] = None
    words: Annotated[
        float | None,
        Option("The largest share of words that may change (default: no limit).", "--max-words", least=0, most=1),
    ] = None
    characters: Annotated[
        float | None,
        Option(
            "The largest share of characters that may change (default: no limit).",
            "--max-characters",
            least=0,
            most=1,
        ),
    ] = None

    @property
    def limits_edits(self) -> bool:
        """Whether it limits words or characters."""
        return self.words is not None or self.characters is not None

    def room(self, original: Text) -> tuple[float, float]:
        """Return how many words and characters of a text may change; infinite if no limit is set."""
        words = math.inf if self.words is None else whole_share(self.words, max(1, len(original.editable)))
        if self.characters is None:
            return words, math.inf
        return words, whole_share(self.characters, max(1, original.editable_characters))

    def covers(self, original: Text, change: Diff) -> bool:
        """Whether a change of a text stays within the limits on words and characters."""
        words, characters = self.room(original)
        # Edit distances cost more than the rest of a diff: they are computed only if a limit asks for them.
        return change.words_changed <= words and (characters == math.inf or change.characters_changed <= characters)


AUTO, FP32, BF16 = "auto", "fp32", "bf16"
DTYPES = (AUTO, FP32, BF16)


def read_dtype(typed: str) -> str:
    """Refuse the name of a precision that no victim has."""
    if typed not in DTYPES:
        raise UserError(f"unknown dtype {typed!r}{did_you_mean(typed, DTYPES)}")
    return typed


@dataclass(frozen=True)
class Options:
    """How a victim is opened: what its name does not say."""

    PANEL: ClassVar[str] = "The victim"

    device: Annotated[str, Option("cpu, cuda or auto.", read=check_device)] = "auto"
    dtype: Annotated[
        str,
        Option(
            "Precision of the search: fp32 (results never move), bf16, or auto: the fastest that is good here.",
            read=read_dtype,
        ),
    ] = AUTO
    allow_code: Annotated[bool, Option("Open models that run code of their own, such as pickles.")] = False
    max_cost: Annotated[
        float | None, Option("The most to spend on a chat: victim with a price (default: no limit).", least=0)
    ] = None
    labels: Sequence[str] | None = None
    processes: int = 1
    """How many processes open the victim, each for itself."""

    def unless_named(self, dtype: str | None) -> Options:
        """Return the options with this precision, if there is one and the user named none."""
        return replace(self, dtype=dtype) if dtype and self.dtype == AUTO else self
