"""Every method trains every kind of net, changes it, and leaves an ordinary folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.harden.conftest import save_letters
from tests.toy_models import save_bert

from unfool.attacks import find_attack
from unfool.data import load
from unfool.defences.harden import METHODS, Hardened, Training, find_method, harden, trainable
from unfool.defences.harden.recipes.miyato import lengths_of_groups
from unfool.engine import Outcome, Status, attack_samples
from unfool.errors import UserError
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.victims import Options, Transformer, open_victim

pytestmark = pytest.mark.usefixtures("word_lists")
CUES = (("good", "pos"), ("bad", "neg"))
SPECS = {"adversarial": "adversarial:attack=greedy-synonym", "black-box": "black-box:n=20"}


def weights(victim: str) -> dict[str, torch.Tensor]:
    return load_file(Path(victim.partition(":")[2]) / "model.safetensors")


@pytest.mark.parametrize("reads", ["words", "letters", "bert"])
@pytest.mark.parametrize("method", METHODS.names())
def test_a_method_trains_a_net_and_changes_it(
    method: str, reads: str, nets: dict[str, str], task: Path, tmp_path: Path
) -> None:
    out = tmp_path / "hard"
    hardened = harden(
        SPECS.get(method, method), nets[reads], str(task), out, epochs=1, n=40, device="cpu", progress=False
    )
    prefix = nets[reads].partition(":")[0]
    before, after = weights(nets[reads]), weights(f"{prefix}:{out}")
    assert before.keys() == after.keys()
    assert any(not torch.equal(before[name], after[name]) for name in before)
    victim = open_victim(f"{prefix}:{out}")
    right = sum(
        int(victim.check([sample.text.strings]).result().values[0].argmax() == sample.label)
        for sample in load(str(task), split="test")
    )
    assert hardened.test == (right / 60, 60)
    assert hardened.settings["method"].startswith(method)
    assert hardened.model == f"{prefix}:{out}"
    assert Hardened.open(out) == hardened
    assert list(hardened.to_json()) == list(Hardened.open(out).to_json())
    with pytest.raises(UserError, match="holds no hardened model"):
        Hardened.open(nets["words"].partition(":")[2])
    assert not list(tmp_path.glob("*.training"))


def test_a_hardened_folder_is_one_of_plain_transformers(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    harden("hotflip", nets["bert"], str(task), tmp_path / "hard", epochs=1, lr=1e-3, device="cpu", progress=False)
    model = AutoModelForSequenceClassification.from_pretrained(tmp_path / "hard").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "hard")
    texts = [sample.text.strings[0] for sample in load(str(task), split="test")]
    with torch.inference_mode():
        plainly = model(**tokenizer(texts, return_tensors="pt", padding=True)).logits.softmax(-1).numpy()
    ours = Transformer(str(tmp_path / "hard"), device="cpu").confirm([(text,) for text in texts]).values
    assert np.abs(plainly - ours).max() < 1e-5
    assert model.config.id2label == {0: "neg", 1: "pos"}
    assert json.loads((tmp_path / "hard" / "training.json").read_text())["victim"] == nets["bert"]


def test_as_much_is_read_in_training_as_by_the_victim(tmp_path: Path) -> None:
    """What decides stands behind the length that the zoo fine-tunes on."""
    names: dict[str, Any] = {"id2label": {0: "neg", 1: "pos"}, "label2id": {"neg": 0, "pos": 1}}
    save_bert(tmp_path / "bert", max_position_embeddings=320, initializer_range=0.2, **names)
    rows = [f"{'the film ' * 130}{f'is {w} ' * 25},{name}" for _ in range(20) for w, name in CUES]
    for split in ("train", "validation", "test"):
        (tmp_path / f"{split}.csv").write_text("\n".join(["text,label", *rows, ""]))
    settings: dict[str, Any] = {"epochs": 4, "lr": 3e-3, "batch": 4, "device": "cpu", "progress": False}
    name, task = f"hf:{tmp_path / 'bert'}", str(tmp_path)
    hardened = harden("fact:words=1,alternatives=1", name, task, tmp_path / "hard", **settings)
    assert hardened.settings["max_length"] == 320
    assert hardened.test == (1.0, 40)


@pytest.mark.parametrize("method", ["fact", "hotflip", "miyato", "adversarial:attack=greedy-synonym"])
def test_pairs_are_trained_on(method: str, nets: dict[str, str], tmp_path: Path) -> None:
    rows = [f"the film is a plot {k},it was {w} and very {w},{name}" for k in range(10) for w, name in CUES]
    (tmp_path / "pairs.csv").write_text("\n".join(["premise,hypothesis,label", *rows, ""]))
    hardened = harden(
        method,
        nets["bert"],
        str(tmp_path / "pairs.csv"),
        tmp_path / "hard",
        epochs=1,
        edit="hypothesis",
        device="cpu",
        progress=False,
    )
    assert hardened.settings["edit"] == "hypothesis"
    assert hardened.settings["n"] == 18
    assert hardened.validation.n == 2
    assert hardened.test is None  # a file has no test split


def test_of_a_pair_only_the_text_that_may_be_edited_is_attacked(nets: dict[str, str], tmp_path: Path) -> None:
    pair = Text.pair(("premise", "a good film"), ("hypothesis", "a good film with a good plot"), "hypothesis")
    net = trainable(open_victim(nets["bert"]))
    samples = [Sample(0, pair, 0), Sample(1, pair, 1)]
    training = Training(net, samples, nets["bert"], Options(), 0, tmp_path, False)
    plan = find_method("adversarial:attack=key-star:budget=0.5,keep=changed")(training)
    assert plan.more is not None
    (made,) = plan.more(1)  # the other one is wrong as it is
    assert made.text.strings[0] == "a good film"
    assert made.text.strings[1] != pair.strings[1]


def fooled(victim: str, task: Path, attack: str) -> tuple[int, int]:
    """How many test samples an attack was tried on, and on how many it succeeded."""
    opened = open_victim(victim)
    steps = attack_samples(opened, load(str(task), split="test"), find_attack(attack))
    found = [outcome for step in steps for outcome in step]
    assert all(isinstance(outcome, Outcome) for outcome in found)
    statuses = [outcome.status for outcome in found if isinstance(outcome, Outcome)]
    return len(statuses) - statuses.count(Status.SKIPPED), statuses.count(Status.SUCCESS)


def test_adversarial_training_lowers_the_attacks_success(task: Path, tmp_path: Path) -> None:
    """Summed over three nets, since so small ones differ much."""
    settings: dict[str, Any] = {"epochs": 8, "lr": 1e-2, "batch": 16, "keep": "last", "device": "cpu"}
    counts = {"plain": 0, "hotflip": 0}
    for seed in range(3):
        start = save_letters(tmp_path / f"letters{seed}", seed, filters=32, units=16)
        for method in counts:
            out = tmp_path / f"{method}{seed}"
            hardened = harden(method, start, str(task), out, progress=False, **settings)
            assert hardened.test is not None
            assert hardened.test.share > 0.9
            counts[method] += fooled(f"zoo:{out}", task, "hotflip:width=1,operations=flips")[1]
    assert counts["plain"] > 40
    assert counts["hotflip"] < 0.75 * counts["plain"]


def test_samples_are_attacked_anew_for_every_epoch(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    net = trainable(open_victim(nets["letters"]))
    samples = list(load(str(task), split="train"))
    training = Training(net, samples, nets["letters"], Options(), 0, tmp_path, False)
    plan = find_method("adversarial:attack=key-star:budget=0.3,n=30,keep=changed")(training)
    assert plan.more is not None
    first, second = (plan.more(epoch) for epoch in (1, 2))
    texts = {str(sample.text): sample.label for sample in samples}
    assert first
    assert all(str(sample.text) not in texts for sample in first)
    assert {str(sample.text) for sample in first} != {str(sample.text) for sample in second}
    assert [str(sample.text) for sample in first] == [str(sample.text) for sample in plan.more(1)]
    outcomes = {outcome.perturbed: outcome for outcome in Run.open(tmp_path / "epoch-1").outcomes()}
    assert all(outcomes[sample.text.strings].label == sample.label for sample in first)


def test_noise_is_as_long_as_a_share_of_each_words_vectors() -> None:
    vectors = torch.tensor([[[3.0, 0.0], [0.0, 4.0], [1.0, 0.0]]])
    groups = torch.tensor([[0, 0, 1]])
    assert lengths_of_groups(vectors, groups).tolist() == [[5.0, 5.0, 1.0]]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("hotflop", "unknown method 'hotflop'; did you mean 'hotflip'"),
        ("hotflip:rate=1", "the method 'hotflip' has no setting 'rate'"),
        ("miyato:over=sentence", "cannot take over=sentence"),
        ("plain:rate=1", "the method 'plain' has no setting 'rate'; there is none"),
        ("fact:words=many", "it takes a whole number"),
    ],
)
def test_mistakes_are_told(spec: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        find_method(spec)


def test_what_cannot_work_is_said_before_training(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"device": "cpu", "progress": False}
    with pytest.raises(UserError, match="needs a net that reads characters"):
        harden("adversarial:attack=hotflip", nets["words"], str(task), tmp_path / "a", **settings)
    with pytest.raises(UserError, match="cannot be trained"):
        harden("plain", "py:unfool.victims.vader:probabilities", str(task), tmp_path / "b", **settings)
    with pytest.raises(UserError, match=r"does not know what .* was before it was trained"):
        harden("plain", nets["words"], str(task), tmp_path / "c", start="new", **settings)
    for lr in (0.0, -1.0, float("nan")):
        with pytest.raises(UserError, match=f"cannot train with the learning rate {lr}"):
            harden("plain", nets["words"], str(task), tmp_path / "c", lr=lr, **settings)
    for seed in (-1, 2**63):
        with pytest.raises(UserError, match=f"the seed {seed} is out of range"):
            harden("plain", nets["words"], str(task), tmp_path / "c", seed=seed, **settings)
    with pytest.raises(UserError, match="cannot take epsilon=nan"):
        harden("miyato:epsilon=nan", nets["words"], str(task), tmp_path / "c", **settings)
    (tmp_path / "d").mkdir()
    with pytest.raises(UserError, match="is there already"):
        harden("plain", nets["words"], str(task), tmp_path / "d", **settings)


def test_a_training_that_goes_out_of_bounds_is_told(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"epochs": 1, "n": 40, "device": "cpu", "progress": False}
    with pytest.raises(UserError, match="give a smaller learning rate"):
        harden("plain", nets["words"], str(task), tmp_path / "hard", lr=1e30, **settings)
    harden("plain", nets["words"], str(task), tmp_path / "hard", **settings)  # nothing is in its way


def test_methods_and_their_settings_are_read_back() -> None:
    for found in METHODS.all().values():
        assert repr(find_method(repr(found))) == repr(found)
