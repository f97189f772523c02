"""Propose names: for a name, the one of its kind that texts of other classes have most (Ren et al., 2019)."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from unfool.attacks.parts.propose import in_case_of, tag_text
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.lexicon import tagger, wordnet
from unfool.text import Text, Variants

_MOST_OF_OTHERS, _MOST_OF_OWN = 30, 15
"""The released code looks at the 30 commonest names of other classes, and passes over the class's own 15."""
_OTHER = "other"


class Names:
    """How often the texts of each class have each name.

    A name is a word with a capital that the tagger takes for a proper noun and that the texts do not write small
    more often. Its kind is WordNet's: a person, a place, a group, or another.

    Args:
        counts: How often each class's texts have each word, as it is written.
    """

    def __init__(self, counts: list[Counter[str]]) -> None:
        every = sum(counts, Counter[str]())
        self._small = {word: count for word, count in every.items() if word.islower()}
        self._large = Counter[str]()
        for word, count in every.items():
            if word[:1].isupper():
                self._large[word.lower()] += count
        capital = [word for word in every if word[:1].isupper()]
        (tags,) = tagger("textblob")([["", *capital]])
        kinds = {word: self.kind(word, tag) for word, tag in zip(capital, tags[1:], strict=True)}
        self._counts = [{word: count for word, count in each.items() if kinds.get(word)} for each in counts]
        self._kinds = kinds
        self._opposing: dict[tuple[int, str], str | None] = {}

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self._counts)

    def kind(self, word: str, tag: str) -> str | None:
        """Return what kind of name a word with this Penn tag is, or None if it is no name."""
        small = word.lower()
        if not word[:1].isupper() or tag not in ("NNP", "NNPS") or self._small.get(small, 0) > self._large[small]:
            return None
        return wordnet().name_kind(word) or _OTHER

    def opposing(self, label: int, kind: str) -> str | None:
        """Return the commonest name of a kind in other classes' texts that is none of the class's own commonest."""
        if (label, kind) not in self._opposing:
            own = self._commonest([label], kind)[:_MOST_OF_OWN]
            others = self._commonest([n for n in range(self.classes) if n != label], kind)[:_MOST_OF_OTHERS]
            self._opposing[label, kind] = next((name for name in others if name not in own), None)
        return self._opposing[label, kind]

    def _commonest(self, labels: list[int], kind: str) -> list[str]:
        total = Counter[str]()
        for label in labels:
            total.update({word: count for word, count in self._counts[label].items() if self._kinds[word] == kind})
        return sorted(total, key=lambda word: (-total[word], word))


@lru_cache(maxsize=4)
def names_of(data: str) -> tuple[Names, tuple[str, ...]]:
    """Count the names in a data set's training texts, or a file's; return them with the label names."""
    from unfool.data import has_splits, load

    samples = load(data, split="train" if has_splits(data) else None)
    counts = [Counter[str]() for _ in samples.labels]
    for sample in samples:
        counts[sample.label].update(sample.text.words)
    return Names(counts), tuple(samples.labels)


def with_names(ask: Ask, swaps: Variants, text: Text, data: str, *, alone: bool) -> Variants:
    """Let a name of other classes join the synonyms of each name of the text, the last of them.

    Args:
        ask: The sample's line to the victim.
        swaps: Synonyms of the words of a text.
        text: The text.
        data: The data set whose training texts have the names.
        alone: Whether it takes the place of a name's synonyms instead.
    """
    names, theirs = names_of(data)
    label = _label_of(ask.labels[ask.sample.label], ask.sample.label, theirs)
    if label >= names.classes:
        raise UserError(
            f"entities={data} has {names.classes} labels and the victim has {len(ask.labels)}; "
            "name data with its labels"
        )
    found: dict[int, list[str]] = {}
    for position, word in zip(swaps.positions, swaps.words, strict=True):
        found.setdefault(position, []).append(word)
    tags = tag_text(text)
    for position in text.editable:
        old = text.words[position]
        kind = names.kind(old, tags[position])
        name = names.opposing(label, kind) if kind else None
        if name and name.lower() != old.lower():
            synonyms = [] if alone else found.get(position, [])
            found[position] = [*synonyms, in_case_of(old, name)]
    pairs = [(position, word) for position in sorted(found) for word in found[position]]
    return text.variants([position for position, _ in pairs], [word for _, word in pairs])


def _label_of(name: str, number: int, names: tuple[str, ...]) -> int:
    """Return the data set's number of a victim's label: by name if it has one, else the same number."""
    lowered = [each.lower() for each in names]
    return lowered.index(name.lower()) if name.lower() in lowered else number
