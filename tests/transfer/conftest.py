"""What studies need to start."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from tests.end_to_end.command import fetch_or_skip

from unfool.transfer import Matrix
from unfool.zoo import CATALOGUE


@pytest.fixture(scope="session")
def wordnet() -> None:
    """What attacks with synonyms need before they can start."""
    fetch_or_skip("wordnet")


@pytest.fixture(scope="session")
def published() -> Matrix:
    """The half of the paper's matrix whose targets are CNNs and BERTs, rounded to two places as printed."""
    data = Path(os.environ.get("UNFOOL_DATA") or "../shared/data")
    file = data.parent / "facts" / "fig3_part2.csv"
    if not file.is_file():
        pytest.skip(f"the published matrix is not at {file}")
    names = tuple(entry.name for entry in CATALOGUE.values() if entry.number)
    rates = np.loadtxt(file, delimiter=",")
    return Matrix(names, names[36:], rates, np.full(rates.shape, 500))
