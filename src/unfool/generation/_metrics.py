"""What was done to a model's outputs: BLEU of all, chrF of each, by sacrebleu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unfool.generation._goals import loss
from unfool.generation._similarity import chrf, chrf_plus_plus, sacrebleu, tokenizer_of

_RESAMPLES = 1000
_SEED = 12345


@dataclass(frozen=True)
class Bleu:
    """Corpus BLEU with a bootstrap interval, and the signature that says how it was counted."""

    score: float
    low: float
    high: float
    signature: str


@dataclass(frozen=True)
class Compared:
    """Corpus BLEU before and after, and how likely chance makes such a difference (paired bootstrap)."""

    before: Bleu
    after: Bleu
    p: float

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Compared:
        """Return what `dataclasses.asdict` described."""
        return cls(Bleu(**plain["before"]), Bleu(**plain["after"]), plain["p"])


@dataclass(frozen=True)
class Quality:
    """How good one output is, and was."""

    before: float
    """chrF2++ of the clean output against the reference."""
    after: float
    lost: float
    """The share of plain chrF that is lost, at least 0: TEAPOT's target side."""
    source: float
    """chrF of the changed source against the source."""
    output: float
    """chrF2++ of the output against the clean one."""


def corpus_bleu(outputs: Sequence[str], references: Sequence[str]) -> Bleu:
    """Return corpus BLEU with its 95 % interval (1,000 resamples)."""
    metric = sacrebleu().BLEU(tokenize=tokenizer_of(references))
    score = metric.corpus_score(list(outputs), [list(references)], n_bootstrap=_RESAMPLES)
    mean, spread = getattr(score, "_mean", score.score), getattr(score, "_ci", 0.0)
    return Bleu(score.score, mean - spread, mean + spread, str(metric.get_signature()))


def compared_bleu(before: Sequence[str], after: Sequence[str], references: Sequence[str]) -> Compared:
    """Compare two lists of outputs for the same sources by a paired bootstrap."""
    from sacrebleu.significance import PairedTest

    systems: list[tuple[str, Sequence[str]]] = [("before", list(before)), ("after", list(after))]
    metric: dict[str, Any] = {
        "BLEU": sacrebleu().BLEU(references=[list(references)], tokenize=tokenizer_of(references))
    }
    tested: Any = PairedTest(systems, metric, None, test_type="bs", n_samples=_RESAMPLES)()
    # Where no resample can differ, sacrebleu takes the difference of 0 for one that chance never makes.
    p = 1.0 if list(before) == list(after) else float(tested[1]["BLEU"][1].p_value)
    return Compared(corpus_bleu(before, references), corpus_bleu(after, references), p)


def quality(source: str, changed: str, clean: str, output: str, reference: str) -> Quality:
    """Compare one output with the clean one."""
    return Quality(
        chrf_plus_plus(clean, reference),
        chrf_plus_plus(output, reference),
        loss(chrf(clean, reference), chrf(output, reference)),
        chrf(changed, source),
        chrf_plus_plus(output, clean),
    )
