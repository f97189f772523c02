"""Published ELMos: their layout, written and run here step by step in plain numpy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.zoo.elmo_reading import TEXTS, encoded, read

from unfool.errors import UserError
from unfool.zoo.fronts.elmo import Elmo, pretrained, stand_in

Array = NDArray[np.float64]
OPTIONS: dict[str, Any] = {
    "char_cnn": {
        "activation": "relu",
        "embedding": {"dim": 4},
        "filters": [[1, 3], [2, 4], [3, 5]],
        "n_highway": 2,
        "max_characters_per_token": 12,
        "n_characters": 262,
    },
    "lstm": {
        "use_skip_connections": True,
        "n_layers": 2,
        "projection_dim": 5,
        "dim": 7,
        "cell_clip": 0.3,
        "proj_clip": 0.2,
    },
}


def weights() -> dict[str, Array]:
    drawn = np.random.default_rng(3)
    shapes = {"char_embed": (261, 4), "CNN_proj/W_proj": (12, 5), "CNN_proj/b_proj": (5,)}
    for number, (seen, count) in enumerate(OPTIONS["char_cnn"]["filters"]):
        shapes |= {f"CNN/W_cnn_{number}": (1, seen, 4, count), f"CNN/b_cnn_{number}": (count,)}
    for number in range(2):
        for kind in ("transform", "carry"):
            shapes |= {f"CNN_high_{number}/W_{kind}": (12, 12), f"CNN_high_{number}/b_{kind}": (12,)}
        for direction in range(2):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            shapes |= {f"{cell}/W_0": (10, 28), f"{cell}/B": (28,), f"{cell}/W_P_0": (7, 5)}
    return {name: drawn.normal(scale=0.5, size=shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tiny_options.json").write_text(json.dumps(OPTIONS))
    with h5py.File(tmp_path / "tiny_weights.hdf5", "w") as file:
        for name, values in weights().items():
            file[name] = values
    monkeypatch.setenv("UNFOOL_ELMO", str(tmp_path))
    return tmp_path


def sigmoid(values: Array) -> Array:
    return 1 / (1 + np.exp(-values))


def spelled(word: list[int], given: dict[str, Array]) -> Array:
    """A word of character numbers, 258 before and 259 behind it, filled up with 260."""
    numbers = [258, *word[:10], 259]
    letters = given["char_embed"][numbers + [260] * (12 - len(numbers))]
    strongest: list[Array] = []
    for number, (seen, _) in enumerate(OPTIONS["char_cnn"]["filters"]):
        kernel, bias = given[f"CNN/W_cnn_{number}"][0], given[f"CNN/b_cnn_{number}"]
        answers = [np.einsum("wd,wdf->f", letters[at : at + seen], kernel) + bias for at in range(12 - seen + 1)]
        strongest.append(np.maximum(np.max(answers, axis=0), 0))
    vector = np.concatenate(strongest)
    for number in range(2):
        layer = f"CNN_high_{number}"
        carry = sigmoid(vector @ given[f"{layer}/W_carry"] + given[f"{layer}/b_carry"])
        new = np.maximum(vector @ given[f"{layer}/W_transform"] + given[f"{layer}/b_transform"], 0)
        vector = carry * new + (1 - carry) * vector
    projected: Array = vector @ given["CNN_proj/W_proj"] + given["CNN_proj/b_proj"]
    return projected


def lstm(steps: list[Array], cell: str, given: dict[str, Array]) -> list[Array]:
    memory, state, states = np.zeros(7), np.zeros(5), []
    for step in steps:
        gates = np.concatenate([step, state]) @ given[f"{cell}/W_0"] + given[f"{cell}/B"]
        i, j, f, o = np.split(gates, 4)
        memory = np.clip(sigmoid(f + 1) * memory + sigmoid(i) * np.tanh(j), -0.3, 0.3)
        state = np.clip((sigmoid(o) * np.tanh(memory)) @ given[f"{cell}/W_P_0"], -0.2, 0.2)
        states.append(state)
    return states


def layers_in_numpy(words: list[str], given: dict[str, Array]) -> list[Array]:
    framed = [spelled(numbers, given) for numbers in ([256], *(list(word.encode()) for word in words), [257])]
    layers = [np.array([np.concatenate([word, word]) for word in framed[1:-1]])]
    sides: list[list[list[Array]]] = []
    for direction in range(2):
        steps = framed[::-1] if direction else framed
        lower = lstm(steps, f"RNN_{direction}/RNN/MultiRNNCell/Cell0/LSTMCell", given)
        upper = lstm(lower, f"RNN_{direction}/RNN/MultiRNNCell/Cell1/LSTMCell", given)
        upper = [a + b for a, b in zip(upper, lower, strict=True)]
        sides.append([states[::-1] if direction else states for states in (lower, upper)])
    for level in range(2):
        both = [np.concatenate(pair) for pair in zip(sides[0][level], sides[1][level], strict=True)]
        layers.append(np.array(both[1:-1]))
    return layers


def test_published_weights_compute_what_the_published_model_does(published: Path) -> None:
    elmo, given = pretrained().double(), weights()
    texts = [["odd", "filmmakers", "naïve", "!"], ["so"], ["an", "incomprehensible", "film"]]
    ids, mask = encoded(*map(" ".join, texts))
    for layer in range(3):
        elmo.mix.data = torch.where(torch.arange(3) == layer, 0.0, -torch.inf).double()
        seen = read(elmo, ids, mask).detach().numpy()
        for row, words in zip(seen, texts, strict=True):
            np.testing.assert_allclose(row[: len(words)], layers_in_numpy(words, given)[layer], atol=1e-6)


def test_clips_are_felt_in_that_comparison(published: Path) -> None:
    elmo, given = pretrained(), weights()
    ids, mask = encoded("odd filmmakers")
    clipped = read(elmo, ids, mask)
    sizes = {**elmo.sizes, "cell_clip": None, "state_clip": None}
    free = Elmo(**sizes)
    free.load_state_dict(elmo.state_dict())
    assert (read(free, ids, mask) - clipped).abs().max() > 0.01
    assert np.abs(layers_in_numpy(["odd"], given)[1]).max() == pytest.approx(0.2)


def test_a_stored_elmo_is_made_again_of_its_sizes(published: Path) -> None:
    elmo = pretrained()
    again = Elmo(**json.loads(json.dumps(elmo.sizes)))
    again.load_state_dict(elmo.state_dict())
    ids, mask = encoded(*TEXTS)
    assert torch.equal(read(again, ids, mask), read(elmo, ids, mask))


def test_stand_ins_are_called_so(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not stand_in()
    monkeypatch.delenv("UNFOOL_ELMO")
    assert "stands in for the published" in stand_in()


def test_missing_files_are_named(published: Path) -> None:
    (published / "tiny_weights.hdf5").unlink()
    with pytest.raises(UserError, match=r"holds 0 \.hdf5 files"):
        pretrained()


def test_damaged_weights_are_told(published: Path) -> None:
    (published / "tiny_weights.hdf5").write_bytes(b"no weights")
    with pytest.raises(UserError, match="cannot be used"):
        pretrained()


def test_other_activations_are_refused(published: Path) -> None:
    other = {**OPTIONS, "char_cnn": {**OPTIONS["char_cnn"], "activation": "tanh"}}
    (published / "tiny_options.json").write_text(json.dumps(other))
    with pytest.raises(UserError, match="only ELMo with relu filters"):
        pretrained()


def test_weights_of_other_sizes_are_told(published: Path) -> None:
    other = {**OPTIONS, "lstm": {**OPTIONS["lstm"], "dim": 9}}
    (published / "tiny_options.json").write_text(json.dumps(other))
    with pytest.raises(UserError, match="not what the options say"):
        pretrained()


def test_the_shipped_elmo_is_small_and_knows_likeness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNFOOL_ELMO", raising=False)
    elmo = pretrained()
    shipped = sum(weight.numel() for name, weight in elmo.state_dict().items() if name not in ("mix", "gamma"))
    assert 2 * shipped < 8_000_000
    ids, mask = encoded("the film was good .", "the movie was good .", "the 37 was good .")
    film, movie, number = read(elmo, ids, mask)[:, 1]
    assert torch.cosine_similarity(film, movie, dim=0) > torch.cosine_similarity(film, number, dim=0)
