"""Why white-box training makes clean texts harder for our net, where the paper finds them easier.

``python -m unfool_papers.scripts.white_box_error --folder DIR [--model CNN-C-Random-1] [--device cuda --workers
4]``. The paper flips a fifth of the characters and trains from nothing; the table of
``unfool_papers.scripts.defences`` goes on from a trained net. Here the share of characters and the start change one
at a time: each row is trained, judged on all test texts and attacked on the same 200. Killed and called again, it
goes on; ``--minutes`` stops it in time. What came of it is in ``results/white-box-error-MODEL.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from unfool import attack
from unfool.defences.harden import Hardened, harden
from unfool.devices import torch_device
from unfool.runs import is_run
from unfool.stats import Rate
from unfool.victims import Options
from unfool_papers.hotflip import FLIPS, FULL
from unfool_papers.study.pieces import Job, do_all
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

RESULTS = Path(__file__).parents[4] / "results"
ATTACKED = 200


class Row(NamedTuple):
    """One training."""

    method: str
    start: str
    epochs: int

    @property
    def name(self) -> str:
        """The row's folder."""
        return f"{self.method.replace(':', '-')}-{self.start}-{self.epochs}"


ROWS = (
    Row("hotflip:share=0.2", "new", 12),
    Row("hotflip:share=0.02", "new", 12),
    Row("plain", "new", 12),
    Row("hotflip:share=0.05", "victim", 4),
    Row("hotflip:share=0.02", "victim", 4),
)


def carry_out(row: Row, victim: str, folder: Path, device: str) -> dict[str, Any]:
    """Train a net, judge it and attack it."""
    model, run = folder / "models" / row.name, folder / "runs" / row.name
    if not model.is_dir():
        model.parent.mkdir(parents=True, exist_ok=True)
        harden(
            row.method,
            victim,
            FULL.data,
            model,
            epochs=row.epochs,
            start=row.start,
            keep="last",
            seed=1,
            device=device,
            resume=model.with_name(f"{model.name}.training").is_dir(),
            progress=False,
        )
    test = Hardened.open(model).test
    assert test
    under = attack(
        f"zoo:{model}",
        FULL.data,
        FLIPS,
        n=ATTACKED,
        options=Options(device=device, dtype="fp32"),
        out=run,
        resume=is_run(run),
        progress=False,
    ).summary
    wrong = round(test.n * (1 - test.share))
    return {"wrong": [wrong, test.n], "fooled": [under.successes, under.attacked]}


def main() -> None:
    """Carry out what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where models and runs lie")
    parser.add_argument("--model", default=FULL.model, help="a net of characters; CNN-C-Random-1 suits two cores")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--workers", type=int, default=1, help="rows done at once")
    parser.add_argument("--minutes", type=float, help="when to stop and show what is done")
    given = parser.parse_args()
    device = torch_device(given.device).type
    victim = f"zoo:{FULL._replace(model=given.model).victim}"
    todo = [Job(row.name, carry_out, (row, victim, given.folder, device)) for row in ROWS]
    ends = None if given.minutes is None else monotonic() + 60 * given.minutes
    found = do_all(todo, given.folder, given.workers, partial(print, file=sys.stderr, flush=True), ends)
    file = RESULTS / f"white-box-error-{given.model}.json"
    file.write_text(json.dumps({"device": device, "rows": found.kept}, indent=1) + "\n", encoding="utf-8")
    lines = [
        (f"`{row.method}`", row.start, str(row.epochs), str(Rate(*kept["wrong"])), str(Rate(*kept["fooled"])))
        for row in ROWS
        if (kept := found.kept.get(row.name))
    ]
    print(markdown(Table("", ("training", "starts from", "epochs", "error", "fooled by HotFlip"), lines)))
    if missing := [*found.failed, *found.left]:
        sys.exit(f"not done: {', '.join(missing)}")


if __name__ == "__main__":
    main()
