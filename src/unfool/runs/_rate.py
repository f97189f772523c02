"""A share of samples, and how sure one can be of it."""

from __future__ import annotations

from dataclasses import dataclass

_Z95 = 1.959963984540054  # the normal quantile that leaves 2.5 % on either side


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share; all of [0, 1] where nothing was counted."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, _Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = _Z95 * (share * (1 - share) / n + z2 / (4 * n * n)) ** 0.5 / (1 + z2 / n)
    return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True, slots=True)
class Rate:
    """``count`` samples out of ``of``."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, between 0 and 1; None of nothing."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share."""
        return wilson(self.count, self.of)

    def to_dict(self) -> dict[str, int | float | None]:
        """Return plain values for a JSON file, share and interval spelt out."""
        low, high = self.interval
        return {"count": self.count, "of": self.of, "value": self.value, "low": low, "high": high}

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        low, high = self.interval
        return f"{self.value:.1%} [{low:.1%}, {high:.1%}]"
