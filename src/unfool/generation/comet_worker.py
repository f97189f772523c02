"""Scores translations by COMET; run by a Python that has unbabel-comet: ``comet_worker.py MODEL IN OUT GPUS``.

It stands alone: COMET wants older versions of numpy and transformers than unfool, so nothing of unfool is imported.
IN holds a list of ``{"src": …, "mt": …, "ref": …}`` as JSON, OUT gets a list of numbers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(model: str, given: str, made: str, gpus: str) -> None:
    """Score and write."""
    from comet import load_from_checkpoint

    # With the hyper-parameters of the folder, a path in hparams.yaml counts, and nothing is fetched.
    loaded = load_from_checkpoint(
        str(Path(model) / "checkpoints" / "model.ckpt"), reload_hparams=True, local_files_only=True
    )
    triples = json.loads(Path(given).read_text(encoding="utf-8"))
    found = loaded.predict(triples, batch_size=16, gpus=int(gpus), progress_bar=False, num_workers=1)
    Path(made).write_text(json.dumps([float(score) for score in found["scores"]]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
