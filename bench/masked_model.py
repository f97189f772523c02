"""How good the stand-in for a masked language model is, on film reviews it has not seen.

``python -m bench.masked_model`` trains it where that has not been done, and writes ``results/masked-model.json``.
"""

from __future__ import annotations

import json
from pathlib import Path

from unfool import resources
from unfool.lexicon.masked_training import FOLDER, SOURCE, train

RESULTS = Path(__file__).parents[1] / "results" / "masked-model.json"


def main() -> None:
    folder = resources.derived("minilm", FOLDER, train)
    told = json.loads((folder / SOURCE).read_text("utf-8"))
    RESULTS.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    main()
