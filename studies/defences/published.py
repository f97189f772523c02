"""What the papers report, in percent."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple


class Judged(NamedTuple):
    """A line of FireBERT's Tables 1 and 2."""

    clean: float
    clean_f1: float
    premade: float
    premade_f1: float


class Attacked(NamedTuple):
    """A line of FireBERT's Table 3."""

    before: float
    after: float


class Trained(NamedTuple):
    """A line of HotFlip's Table 2."""

    error: float
    success: float


JUDGED = MappingProxyType(
    {
        "mnli": {
            "base": Judged(84.3, 83.5, 2.9, 2.7),
            "again": Judged(83.3, 82.6, 50.1, 48.7),
            "five": Judged(75.7, 70.8, 63.2, 56.6),
            "fuse": Judged(72.5, 71.3, 59.1, 56.8),
            "fact": Judged(82.7, 82.1, 80.0, 79.1),
        },
        "imdb": {
            "base": Judged(90.6, 90.4, 0.2, 0.2),
            "again": Judged(90.5, 90.2, 82.7, 81.6),
            "five": Judged(88.4, 86.7, 62.0, 58.6),
            "fuse": Judged(51.8, 50.8, 77.8, 77.0),
            "fact": Judged(90.0, 89.7, 87.2, 86.7),
        },
    }
)
ATTACKED = MappingProxyType(
    {
        "mnli": {
            "base": Attacked(85.1, 12.7),
            "fuse": Attacked(49.9, 27.6),
            "five": Attacked(77.7, 46.3),
            "fact": Attacked(82.0, 31.6),
            "fuse-fact": Attacked(37.3, 37.3),
            "five-fact": Attacked(74.3, 54.5),
        }
    }
)
TRAINED = MappingProxyType(
    {
        "baseline": Trained(8.27, 98.16),
        "miyato": Trained(8.03, 87.43),
        "black-box": Trained(8.60, 95.63),
        "white-box": Trained(7.65, 69.32),
    }
)
ROWS = MappingProxyType(
    {
        "base": "baseline",
        "again": "baseline, tuned again",
        "five": "FIVE",
        "mask": "FIVE that masks",
        "fuse": "FuSE",
        "fact": "FACT",
        "fuse-fact": "FuSE on FACT",
        "five-fact": "FIVE on FACT",
    }
)
