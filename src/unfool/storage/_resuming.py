"""What ``--resume`` means where nothing is yet: a start."""

from __future__ import annotations

import sys
from pathlib import Path


def goes_on(folder: Path, resume: bool, there: bool) -> bool:
    """Return whether to go on with the work in a folder; say so where that was asked and there is none.

    Args:
        folder: Where the work lies.
        resume: Whether the user asked to go on.
        there: Whether the folder holds work of this kind.
    """
    if resume and not there:
        # The name may be misspelt.
        print(f"there is nothing in {folder} to resume: this starts it", file=sys.stderr)
    return resume and there
