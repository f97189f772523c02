"""How many words an attack replaced where it succeeded (the CS229 report's Figure 10)."""

from __future__ import annotations

from statistics import median

from unfool_papers.analysis.figure import Figure
from unfool_papers.analysis.histogram import bars, steps_of
from unfool_papers.analysis.outcomes import Outcomes, successes_of

_FEW = 5


def words_replaced(run: Outcomes) -> Figure:
    """Return the histogram of words replaced over the texts that fooled the victim.

    Args:
        run: A run, or outcomes.

    Raises:
        UserError: If no text fooled the victim.
    """
    counts = [outcome.words_changed for outcome in successes_of(run, "the histogram of words replaced")]
    rows = steps_of(counts, 1, first=min(1, *counts))
    mean, middle = sum(counts) / len(counts), median(counts)
    few = sum(count <= _FEW for count in counts) / len(counts)
    return Figure(
        "words-replaced",
        "Words replaced where the attack succeeded",
        f"{len(counts)} texts that fooled the victim; {few:.0%} of them have at most {_FEW} words replaced, the "
        f"median is {middle:g}, the mean {mean:.1f}, the most {max(counts)}.",
        rows,
        bars("words replaced", [{"at": mean, "name": f"mean {mean:.1f}"}], shift=-0.5),
    )
