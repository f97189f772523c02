"""The zoo's translators: which are trained, what is listed, and where they look."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import save_file
from tests.end_to_end.command import unfool

from unfool.generation import Output
from unfool.training import seeded
from unfool.zoo import translators
from unfool.zoo.translators.nets import make_net
from unfool.zoo.translators.train import learn_pieces

TEXTS = ["a small red house stands here", "ein kleines rotes Haus steht hier"]
SIZES = {"units": 64, "layers": 2}


def put(named: translators.Named, kind: str) -> str:
    """Put a translator that has learnt nothing where a trained one lies."""
    named.folder.mkdir(parents=True)
    pieces = learn_pieces(TEXTS, 300)
    with seeded(named.seed):
        net = make_net(kind, pieces.get_vocab_size(), SIZES)
    pieces.save(str(named.folder / "pieces.json"))
    weights = {name: weight.contiguous().clone() for name, weight in net.state_dict().items()}
    save_file(weights, named.folder / "model.safetensors")
    told = {"net": kind, "sizes": SIZES, "data": named.data, "bleu": 12.34, "seconds": 5.0}
    (named.folder / "training.json").write_text(json.dumps(told), encoding="utf-8")
    return str(named)


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path))
    own = translators.Named("NMT-LSTM-small", "my-pairs", "en", "pt", 3)
    return {
        "lstm": put(own, "lstm"),
        "transformer": put(translators.Named("NMT-Transformer-small", "my-pairs"), "transformer"),
    }


def test_trained_translators_are_found_listed_and_not_trained_again(both: dict[str, str], tmp_path: Path) -> None:
    assert [str(named) for named in translators.trained()] == list(both.values())
    assert translators.trained()[0].target == "pt"
    given = {"UNFOOL_CACHE": str(tmp_path)}
    rows = json.loads(unfool("list", "zoo", "--json", cwd=tmp_path, **given).out)
    trained = {row["name"]: row["trained"] for row in rows}
    assert trained["NMT-LSTM-small"] == "my-pairs:en-pt#3 BLEU 12.3"
    assert trained["NMT-Transformer"] == ""
    done = unfool("train", *both.values(), "--json", cwd=tmp_path, **given)
    assert [row["validation"] for row in json.loads(done.out)] == ["BLEU 12.3"] * 2


def test_attention_is_told_by_words_and_each_output_word_spreads_at_most_one(both: dict[str, str]) -> None:
    for kind, name in both.items():
        model = translators.translator(name, device="cpu")
        seen = model.attention(TEXTS[0])
        (output,) = model.generate_exactly([TEXTS[0]])
        assert isinstance(output, Output)
        assert seen.source == TEXTS[0].split()
        assert len(seen.cross) == len(seen.output)
        assert bool(np.all(seen.cross.sum(1) <= 1 + 1e-5))
        assert (seen.own is None) == (kind == "lstm")
        if seen.own is not None:
            assert seen.own.shape == (6, 6)


def test_attention_is_that_of_the_net(both: dict[str, str]) -> None:
    model = translators.translator(both["transformer"], device="cpu")
    ids = torch.tensor(model.read([TEXTS[0]]))
    made = torch.tensor([[1, 7, 9, 11]])
    with torch.inference_mode():
        plain = model.net(model.net.embedding(ids), torch.ones_like(ids), made)
        seen = model.net.attended(ids, torch.ones_like(ids), made, 0)
        again = model.net(model.net.embedding(ids), torch.ones_like(ids), made)
    assert seen.cross.shape == (4, ids.shape[1])
    assert torch.allclose(seen.cross.sum(1), torch.ones(4), atol=1e-5)
    assert torch.equal(plain, again)


def test_the_lstm_steps_as_it_learns() -> None:
    with seeded(1):
        net = make_net("lstm", 40, {"units": 16, "layers": 2, "dropout": 0.0})
        ids, outputs = torch.randint(4, 40, (3, 7)), torch.randint(4, 40, (3, 9))
    learning = net.train()(net.embedding(ids), torch.ones_like(ids), outputs)
    decoding = net.eval()(net.embedding(ids), torch.ones_like(ids), outputs)
    torch.testing.assert_close(decoding, learning, atol=1e-5, rtol=1e-5)
