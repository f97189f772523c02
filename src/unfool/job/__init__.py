"""One attack over one data set: from names to a finished run."""

from unfool.job._attack import AttackJob, attack
from unfool.job._chosen import FromLabel, choose, from_numbers
from unfool.job._forewarnings import told_cost
from unfool.job._merge import merge
from unfool.job._progress import Progress, seconds_left
from unfool.job._repeat import draws, repeat

__all__ = [
    "AttackJob",
    "FromLabel",
    "Progress",
    "attack",
    "choose",
    "draws",
    "from_numbers",
    "merge",
    "repeat",
    "seconds_left",
    "told_cost",
]
