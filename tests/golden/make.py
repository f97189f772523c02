"""Record the golden set anew: ``python -m tests.golden.make``, or with names, these alone."""

from __future__ import annotations

import sys

from tests.golden import calls, records
from tests.golden.others import OTHERS
from tests.golden.runs import RUNS
from tests.golden.workshop import open_workshop


def main(names: list[str]) -> None:
    if problem := calls.missing_resource():
        sys.exit(problem)
    every = [*(run.name for run in RUNS), *OTHERS]
    if unknown := set(names) - {*every}:
        sys.exit(f"the golden set has no {', '.join(sorted(unknown))}; it has {', '.join(every)}")
    with open_workshop() as workshop:
        for run in RUNS:
            if not names or run.name in names:
                records.write(run.name, workshop.attack(run))
        for name, make in OTHERS.items():
            if not names or name in names:
                records.write(name, make(workshop))
    for file in records.EXPECTED.glob("*.json"):
        if file.stem not in every:
            file.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
