"""The word lists, vectors and encoder that attacks use, and victims for them to attack."""

from __future__ import annotations

import pytest
import torch
from tests.toy_models import save_bert
from tests.toys import BagOfWords

from unfool import resources, zoo
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.victims import Transformer
from unfool.zoo.fronts import make_front

WORDS = ["a", "the", "film", "plot", "good", "bad", "fine", "is", "n't", "dull", "great", "cast", "and", "awful"]


@pytest.fixture(scope="session")
def lexicons() -> None:
    """Have what attacks read; the first time it is downloaded."""
    for name in ("wordnet", "counter-fitted", "minilm"):
        try:
            resources.get(name, progress=False)
        except UserError as error:
            pytest.skip(f"attacks need the resource {name}: {error}")


@pytest.fixture(scope="session")
def victims(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Predictor]:
    """One victim asked with strings, and two asked with tokens."""
    torch.manual_seed(0)
    front = make_front("Vectors", rows=len(WORDS) + 2, dimensions=8)
    net = zoo.make_net("KimCNN", front, 2, filters=6).eval()
    return {
        "bag of words": BagOfWords(),
        "transformer": Transformer(str(save_bert(tmp_path_factory.mktemp("bert"))), device="cpu"),
        "net": zoo.NetVictim(net, zoo.WordVocabulary(WORDS), ("neg", "pos"), name="zoo:toy", device="cpu"),
    }
