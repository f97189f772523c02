"""Many texts asked about at once: variants of one base, or any texts, rendered only when somebody looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from unfool.text._text import Text

UNCHANGED = -1
DELETED = ""


class Variants:
    """A list of texts kept as (base, position, word): what an attack asks with.

    Item k is its base with ``words[k]`` at ``positions[k]``, or the base itself if that is `UNCHANGED`;
    the word `DELETED` takes the word out.
    """

    __slots__ = ("bases", "positions", "which", "words")

    def __init__(
        self, bases: Sequence[Text], which: Sequence[int], positions: Sequence[int], words: Sequence[str]
    ) -> None:
        self.bases, self.which, self.positions, self.words = bases, which, positions, words

    @classmethod
    def of_swaps(cls, base: Text, positions: Iterable[int], words: Iterable[str] | str) -> Variants:
        """One base, one changed word each."""
        spots = list(positions)
        new = [words] * len(spots) if isinstance(words, str) else list(words)
        if len(spots) != len(new):
            raise ValueError(f"{len(spots)} positions for {len(new)} words")
        return cls((base,), [0] * len(spots), spots, new)

    @classmethod
    def of_texts(cls, texts: Sequence[Text]) -> Variants:
        """Any texts, as they are."""
        return cls(texts, range(len(texts)), [UNCHANGED] * len(texts), [""] * len(texts))

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, number: int) -> Text:
        base = self.bases[self.which[number]]
        position, word = self.positions[number], self.words[number]
        if position == UNCHANGED:
            return base
        return base.replace(position, word) if word else base.delete(position)

    def __iter__(self) -> Iterator[Text]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        return f"Variants({len(self)} of {len(self.bases)} texts)"

    def part(self, start: int, stop: int) -> Variants:
        """Return the variants from one number up to another, with no more bases than they need."""
        which = self.which[start:stop]
        bases = {number: place for place, number in enumerate(dict.fromkeys(which))}
        return Variants(
            [self.bases[number] for number in bases],
            [bases[number] for number in which],
            self.positions[start:stop],
            self.words[start:stop],
        )

    def take(self, numbers: Sequence[int]) -> Variants:
        """Return the variants at these numbers."""
        return Variants(
            self.bases,
            [self.which[n] for n in numbers],
            [self.positions[n] for n in numbers],
            [self.words[n] for n in numbers],
        )


def as_variants(asked: Text | Sequence[Text] | Variants) -> Variants:
    """Accept one text, several, or variants."""
    if isinstance(asked, Variants):
        return asked
    return Variants.of_texts([asked] if isinstance(asked, Text) else list(asked))
