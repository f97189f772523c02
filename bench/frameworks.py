"""The integrations tried for real: ``python -m bench.frameworks ENVIRONMENTS`` writes ``results/frameworks.json``.

ENVIRONMENTS is a folder with one environment for each of garak, PyRIT, Inspect and promptfoo; what is missing is
installed from the registry (`tests/integrations/test_frameworks.py` says how, and is what is run).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "results" / "frameworks.json"
TESTS = {
    "garak": "test_garak_finds_buff_and_probe_and_a_scan_fires_them",
    "pyrit": "test_pyrit_converts_a_prompt",
    "inspect_ai": "test_inspect_solves_with_the_prompt_changed",
    "promptfoo": "test_promptfoo_asks_through_the_provider",
}


def main() -> None:
    """Run the tests, and keep versions and outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environments", type=Path)
    place = parser.parse_args().environments.absolute()
    outcomes = ran(place)
    found = {name: {"version": version(place, name), "outcome": outcomes[test]} for name, test in TESTS.items()}
    KEPT.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(KEPT.read_text("utf-8"))


def ran(place: Path) -> dict[str, str]:
    """Run the tests and return what came of each: passed, failed, or why it was skipped."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "tests/integrations/test_frameworks.py", f"--junitxml={report}"]
        surroundings = {**os.environ, "UNFOOL_ENVIRONMENTS": str(place)}
        subprocess.run(command, cwd=ROOT, env=surroundings, check=False)
        return {case.attrib["name"]: _outcome(case) for case in ElementTree.parse(report).iter("testcase")}


def version(place: Path, name: str) -> str | None:
    """Return the version of a package in its environment; None if it is not there."""
    if name == "promptfoo":
        file = place / name / "node_modules" / name / "package.json"
        told: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
        return told.get("version")
    script = f"import importlib.metadata as m; print(m.version({name!r}))"
    asked = subprocess.run(
        [place / name / "bin" / "python", "-c", script], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or None


def _outcome(case: ElementTree.Element) -> str:
    skipped = case.find("skipped")
    if skipped is not None:
        return f"skipped: {skipped.attrib.get('message', '')}"
    return "failed" if case.find("failure") is not None or case.find("error") is not None else "passed"


if __name__ == "__main__":
    main()
