"""The two attacks of Hsieh et al. (2019) on translators: a keyword that must appear, and one typo a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool import attack
from unfool.engine import Outcome, Status
from unfool.generation import sacrebleu
from unfool.runs import Run, is_run
from unfool.stats import Rate

_RARE, _COMMON = 500, 20
"""A keyword stands in at least one of so many sentences, and in at most one of so many."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_RESAMPLES = 1000
_SIDES = 2

Source = str | tuple[str, str]
"""A source alone, or with its reference."""
Resampled = NDArray[np.float64]


def draw_keywords(texts: Sequence[str], count: int, seed: int = 0) -> list[str]:
    """Draw words of the target language that are neither common nor rare.

    Args:
        texts: Sentences of that language.
        count: How many words.
        seed: Draws them.
    """
    found = Counter(word for text in texts for word in set(_WORD.findall(text)))
    fewest, most = max(2, len(texts) // _RARE), max(2, len(texts) // _COMMON)
    fitting = sorted(word for word, times in found.items() if fewest <= times <= most)
    return sorted(Random(seed).sample(fitting, min(count, len(fitting))))


class Forced(NamedTuple):
    """What the targeted keyword attack came to: each keyword on its share of the sources."""

    words: Sequence[str]
    runs: Sequence[Run]

    @property
    def rate(self) -> Rate:
        """How many of those attacked have the keyword in their output; those that had it before are left out."""
        return Rate(sum(run.summary.successes for run in self.runs), sum(run.summary.attacked for run in self.runs))

    @property
    def reached(self) -> dict[tuple[int, int], bool]:
        """Whether the keyword appeared, by the number of the keyword and of the source."""
        return {
            (number, outcome.id): outcome.status is Status.SUCCESS
            for number, run in enumerate(self.runs)
            for outcome in run.outcomes()
            if outcome.status is not Status.SKIPPED
        }

    def examples(self, most: int) -> Iterator[tuple[str, Outcome]]:
        """Yield the first successes of the keywords in turn, with the keyword."""
        found = [
            (place, number, outcome)
            for number, run in enumerate(self.runs)
            for place, outcome in enumerate(each for each in run.outcomes() if each.status is Status.SUCCESS)
        ]
        for _, number, outcome in sorted(found, key=lambda each: each[:2])[:most]:
            yield self.words[number], outcome.as_read


def force_keywords(
    model: object, sources: Sequence[Source], words: Sequence[str], how: str, folder: Path, **more: Any
) -> Forced:
    """Attack the first source with the first keyword, the second with the second, and around again.

    What is finished in the folder is not done again.
    """
    runs = [
        _attacked(model, sources[number :: len(words)], how, f"keyword={word}", folder / f"{number:02}", **more)
        for number, word in enumerate(words)
        if number < len(sources)
    ]
    return Forced(words, runs)


def make_typos(model: object, sources: Sequence[Source], folder: Path, **more: Any) -> Run:
    """Put one random typo into each source; every model gets the same ones."""
    return _attacked(model, sources, "typos", "degrade", folder, **more)


class Typos:
    """BLEU before and after a run, resampled by sentences: the same sentences for every run of as many.

    Without references the clean outputs take their place: BLEU before is then 100.
    """

    def __init__(self, run: Run) -> None:
        rows = [outcome.as_read for outcome in run.outcomes()]
        references = [row.original[2] if len(row.original) > _SIDES else row.original[1] for row in rows]
        sides = [[row.original[1] for row in rows], [row.perturbed[1] for row in rows]]
        generator = np.random.default_rng(0)
        draws = generator.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), _RESAMPLES)
        counts = [_counts(outputs, references) for outputs in sides]
        self.n = len(rows)
        self.before, self.after = (_bleu(each.sum(0)) for each in counts)
        self.resampled_before, self.resampled_after = (
            np.array([_bleu(line) for line in draws @ each]) for each in counts
        )

    @property
    def kept(self) -> float:
        """BLEU after in percent of BLEU before."""
        return 100 * self.after / self.before if self.before else 0.0

    @property
    def resampled_kept(self) -> Resampled:
        """The same for each resample."""
        kept: Resampled = 100 * self.resampled_after / np.maximum(self.resampled_before, 1e-9)
        return kept


def interval(resampled: Resampled) -> tuple[float, float]:
    """Return the 95 % interval of a resampled figure."""
    low, high = np.percentile(resampled, [2.5, 97.5])
    return float(low), float(high)


def chance(first: Resampled, second: Resampled) -> float:
    """Return the two-sided p of a difference between figures of the same resamples (paired bootstrap)."""
    apart = first - second
    side = min(int((apart <= 0).sum()), int((apart >= 0).sum()))
    return min(1.0, 2 * (side + 1) / (len(apart) + 1))


def _attacked(model: object, sources: Sequence[Source], how: str, goal: str, folder: Path, **more: Any) -> Run:
    return attack(model, list(sources), how, goal=goal, out=folder, resume=is_run(folder), **more)


def _counts(outputs: Sequence[str], references: Sequence[str]) -> NDArray[np.int64]:
    """Return of each sentence the n-grams that match, those there are, and the lengths of output and reference."""
    metric = sacrebleu().BLEU(effective_order=True)  # it changes no count
    rows = []
    for output, reference in zip(outputs, references, strict=True):
        score = metric.sentence_score(output, [reference])
        rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    return np.array(rows, np.int64)


def _bleu(counts: NDArray[np.int64]) -> float:
    orders = (len(counts) - 2) // 2
    matching, there = counts[:orders].tolist(), counts[orders:-2].tolist()
    length, wanted = counts[-2:].tolist()
    score = sacrebleu().BLEU.compute_bleu(matching, there, length, wanted, smooth_method="exp")
    return float(score.score)
