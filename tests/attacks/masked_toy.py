"""A masked language model that a test can look into."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tests.toy_models import save_masked


@cache
def toy_masked_model() -> Path:
    """The folder of a tiny masked language model, the same for all tests."""
    folder = Path(tempfile.mkdtemp(prefix="unfool-masked-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return save_masked(folder)
