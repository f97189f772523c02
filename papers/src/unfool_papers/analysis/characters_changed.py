"""What share of its characters a text lost or changed where an attack succeeded (HotFlip's 4.18 %)."""

from __future__ import annotations

from unfool_papers.analysis.figure import Figure
from unfool_papers.analysis.histogram import bars, steps_of
from unfool_papers.analysis.mean import Mean
from unfool_papers.analysis.outcomes import Outcomes, successes_of


def characters_changed(run: Outcomes, *, reported: float | None = None) -> Figure:
    """Return the distribution of the percentage of characters changed, over the texts that fooled the victim.

    Args:
        run: A run, or outcomes.
        reported: A paper's mean percentage, drawn beside ours.

    Raises:
        UserError: If no text fooled the victim.
    """
    fooled = successes_of(run, "the distribution of characters changed")
    shares = [100 * each.characters_changed / max(each.characters, 1) for each in fooled]
    mean = Mean.of(shares)
    one = sum(each.characters_changed == 1 for each in fooled) / len(fooled)
    rules = [{"at": mean.value, "name": f"mean {mean.value:.2f} %"}]
    if reported is not None:
        rules.append({"at": reported, "name": f"the paper's mean {reported:.2f} %"})
    return Figure(
        "characters-changed",
        "Characters changed where the attack succeeded",
        f"{len(shares)} texts that fooled the victim: {mean} % of their characters changed on average, "
        f"one character alone in {one:.0%} of them.",
        steps_of(shares, 0.5, first=0),
        bars("characters changed, %", rules),
    )
