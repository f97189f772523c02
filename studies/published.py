"""Put what `unfool study NAME --scale full` left in a folder into the documentation and the results.

``python -m studies.published DIR …``: the page becomes ``docs/studies/NAME.md``, the figures lie in a folder beside
it, and the numbers in ``results/study-NAME.json``.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def publish(folder: Path) -> Path:
    """Copy a study's page, figures and numbers, and return the page."""
    found = json.loads((folder / "results.json").read_bytes())
    if found["scale"] != "full":
        raise SystemExit(f"{folder} holds a study in small, which is no evidence about its paper; give one in full")
    name, written = found["study"], (folder / "study.md").read_text("utf-8")
    page = _ROOT / "docs" / "studies" / f"{name}.md"
    figures = page.with_suffix("")
    shutil.rmtree(figures, ignore_errors=True)
    shutil.copytree(folder / "figures", figures)
    page.write_text(written.replace("](figures/", f"]({name}/"), encoding="utf-8")
    shutil.copyfile(folder / "results.json", _ROOT / "results" / f"study-{name}.json")
    return page


def main() -> None:
    """Publish some studies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+", help="what --out named")
    for folder in parser.parse_args().folder:
        print(publish(folder).relative_to(_ROOT))


if __name__ == "__main__":
    main()
