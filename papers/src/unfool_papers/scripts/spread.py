"""Over how many words do models spread the importance of a text? Appendix C of Yuan et al. (2021).

``python -m unfool_papers.scripts.spread --data rotten_tomatoes --models BERT LSTM-W-GloVe-1 [--device cuda]``
trains what is not trained and writes ``results/spread-DATA.json``.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from unfool_papers.transferability.spread import Spread, file_of, spread

RESULTS = Path(__file__).parents[4] / "results"


def main() -> None:
    """Measure, keep and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="rotten_tomatoes", help="what the models are trained on")
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--n", type=int, default=200, help="test texts")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args()
    asked = Spread(tuple(given.models), given.data, given.n)
    found = spread(asked, given.device, partial(print, flush=True))
    file = RESULTS / f"{file_of(given.data)}.json"
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found["models"], indent=1))


if __name__ == "__main__":
    main()
