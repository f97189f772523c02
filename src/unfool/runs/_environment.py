"""Where a run took place: what may differ between two runs of the same result."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = (
    "unfool", "numpy", "regex", "nltk", "torch", "transformers", "tokenizers", "datasets", "scikit-learn",
)  # fmt: skip


@cache
def environment() -> dict[str, str | dict[str, str]]:
    """Return the Python, the platform and the versions of the packages a result may depend on."""
    versions: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {"python": platform.python_version(), "platform": platform.platform(), "packages": versions}
