"""Frozen against tuned vectors, on rates made up for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from unfool import zoo
from unfool.stats import Rate
from unfool.transfer import Study
from unfool.zoo import NetRecipe
from unfool_papers.scripts.transfer_embedding import SEEDS, WAYS, Names, of_seed, trained

MODELS = ["CNN-W-Random-1", "CNN-W-GloVe-1", "LSTM-W-GloVe-1"]


class MadeUp(Study):
    """Twins fool each other in 70 of 100 texts, nets on other vectors in 40, other architectures in 60."""

    def __init__(self) -> None:
        """Nothing lies anywhere."""

    def rate(self, source: str, target: str, *, corrected: bool = False) -> Rate:
        """Return a rate from the names alone; corrected, a tenth is taken off."""
        (model, seed), (other, other_seed) = (name.split("#") for name in (source, target))
        fooled = 70 if model == other and seed != other_seed else 60 if model[-5:] == other[-5:] else 40
        return Rate(fooled - 10 * corrected, 100)


def names() -> Names:
    return {(way, model, seed): f"{model}#{seed}" for way in WAYS for model in MODELS for seed in SEEDS}


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_give_the_base_and_pairs_the_factors(seed: int) -> None:
    found = of_seed(MadeUp(), names(), MODELS, "tuned", seed, "raw")
    assert found["base rate"] == 0.7
    assert found["impacts"] == {"architecture": pytest.approx(0.1), "embedding": pytest.approx(0.3)}
    assert found["embedding, Random and GloVe"] == pytest.approx(0.3)
    assert of_seed(MadeUp(), names(), MODELS, "tuned", seed, "corrected")["base rate"] == 0.6


def test_only_pretrained_vectors_are_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, bool]] = []

    def train(recipe: NetRecipe, named: zoo.Named, folder: Path, *more: object) -> None:
        made.append((str(named), recipe.frozen))

    monkeypatch.setattr("unfool_papers.scripts.transfer_embedding.train_net", train)
    monkeypatch.setattr(zoo, "ensure", lambda *given, **more: tmp_path)
    found = trained(MODELS[:2], "films", tmp_path, "cpu")
    assert made == [("zoo:CNN-W-GloVe-1@films", False), ("zoo:CNN-W-GloVe-1@films#1", False)]
    assert found["tuned", "CNN-W-Random-1", 1] == found["frozen", "CNN-W-Random-1", 1]
    assert found["tuned", "CNN-W-GloVe-1", 0] == f"zoo:{tmp_path / 'tuned' / 'CNN-W-GloVe-1-0'}"
    assert trained(MODELS[:2], "films", tmp_path, "cpu") == found
    assert len(made) == 2
