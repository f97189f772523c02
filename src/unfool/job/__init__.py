"""One attack over one data set: from names to a finished run."""

from unfool.job._attack import attack
from unfool.job._chosen import FromLabel, choose, from_numbers
from unfool.job._dry_run import Forecast, dry_run
from unfool.job._forewarnings import told_cost
from unfool.job._job import AttackJob
from unfool.job._merge import merge
from unfool.job._perturb import MAX_WORDS, Variants, augment, perturb
from unfool.job._progress import Progress, seconds_left
from unfool.job._repeat import draws, repeat
from unfool.job._several import attack_all

__all__ = [
    "MAX_WORDS",
    "AttackJob",
    "Forecast",
    "FromLabel",
    "Progress",
    "Variants",
    "attack",
    "attack_all",
    "augment",
    "choose",
    "draws",
    "dry_run",
    "from_numbers",
    "merge",
    "perturb",
    "repeat",
    "seconds_left",
    "told_cost",
]
