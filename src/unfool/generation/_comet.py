"""COMET (Rei et al., 2020): how good a translation is, by a model that learnt it from people's judgements."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from unfool.devices import torch_device
from unfool.errors import UserError

_REFERENCELESS = ("referenceless_regression_metric",)
_PARTS = ("hparams.yaml", "checkpoints/model.ckpt")
_PACKAGE = "unbabel-comet"


class Triple(NamedTuple):
    """A source, what was made of it, and what should have been."""

    source: str
    output: str
    reference: str | None


def comet_scores(
    triples: Sequence[Triple],
    model: str | Path,
    *,
    python: str | Path | None = None,
    device: str = "auto",
    allow_code: bool = False,
) -> list[float]:
    """Score translations by a COMET model in a local folder; nothing is fetched.

    Args:
        triples: What to score.
        model: The folder, with ``hparams.yaml`` and ``checkpoints/model.ckpt``. Where hparams.yaml names an encoder
            of the hub, it must be in the hub's cache, or the name must be changed to that of a folder.
        python: The Python that has unbabel-comet, since COMET wants older packages than unfool (default: this).
        device: ``cpu``, ``cuda`` or ``auto``.
        allow_code: Whether the checkpoint may be opened: it is a pickle, and may run code of its own.

    Raises:
        UserError: There is no such model, it may not be opened, or the Python lacks COMET.
    """
    folder = Path(model).expanduser()
    lacking = [part for part in _PARTS if not (folder / part).is_file()]
    if lacking:
        raise UserError(f"{model} is no folder of a COMET model: it has no {' and no '.join(lacking)}")
    if not allow_code:
        raise UserError(
            f"{folder / _PARTS[1]} is a pickle, which may run code of its own; add --allow-code if you trust it"
        )
    if any(triple.reference is None for triple in triples) and not _needs_no_reference(folder):
        raise UserError(f"{model} compares with references, and there are none; give a model that needs none")
    if not triples:
        return []
    gpus = int(torch_device(device).type == "cuda")
    with TemporaryDirectory(prefix="unfool-") as place:
        given, made = Path(place) / "given.json", Path(place) / "made.json"
        given.write_text(json.dumps([_record(triple) for triple in triples]), encoding="utf-8")
        with as_file(files("unfool.generation") / "comet_worker.py") as worker:
            command = [str(python or sys.executable), str(worker), str(folder), str(given), str(made), str(gpus)]
            _run(command)
        scores: list[float] = json.loads(made.read_text(encoding="utf-8"))
    return scores


def _needs_no_reference(folder: Path) -> bool:
    told = (folder / "hparams.yaml").read_text(encoding="utf-8", errors="replace").splitlines()
    found = [line.partition(":")[2].strip() for line in told if line.startswith("class_identifier:")]
    return bool(found) and found[0] in _REFERENCELESS


def _record(triple: Triple) -> dict[str, Any]:
    told = {"src": triple.source, "mt": triple.output}
    return told if triple.reference is None else {**told, "ref": triple.reference}


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise UserError(
            f"cannot start {command[0]}: {error.strerror}; give the Python that has {_PACKAGE}"
        ) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        if "No module named" in last:
            raise UserError(
                f"{command[0]} cannot import {_PACKAGE} ({last}), which wants older packages than unfool; make a "
                f"place for it: python3 -m venv comet, comet/bin/pip install {_PACKAGE} 'setuptools<81', and give "
                "--python comet/bin/python"
            )
        raise UserError(f"COMET gave no scores: {last}")
