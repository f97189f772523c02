"""Killed in training: the same command with --resume ends in the same weights."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.end_to_end.command import Finished, start, unfool

from unfool.data import load
from unfool.defences.harden import Training, find_method, harden, trainable
from unfool.errors import UserError
from unfool.storage import locked
from unfool.text import Sample, Text
from unfool.training import Checkpoint, EncodedSamples, LabelledBatch, TrainingState, add_gradients, fit, seeded
from unfool.victims import Options, open_victim

pytestmark = pytest.mark.usefixtures("word_lists")


def arguments(method: str, victim: str, task: Path, out: str) -> list[object]:
    more = ["--epochs", 3, "--lr", 0.01, "--batch", 8, "--accumulate", 2, "--device", "cpu", "--quiet"]
    return ["harden", method, "--victim", victim, "--data", task, "--out", out, *more]


def kill_when_there(command: list[object], file: Path, cwd: Path) -> None:
    process = start(*command, cwd=cwd)
    deadline = time.monotonic() + 120
    while not file.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("method", "reads", "sign"),
    [
        ("hotflip", "bert", "checkpoint.safetensors"),
        ("adversarial:attack=greedy-synonym", "words", "epoch-2/outcomes.jsonl"),
    ],
)
def test_killed_and_resumed_it_ends_in_the_same_weights(
    method: str, reads: str, sign: str, nets: dict[str, str], task: Path, tmp_path: Path
) -> None:
    whole = unfool(*arguments(method, nets[reads], task, "whole"), cwd=tmp_path)
    assert (whole.code, whole.err) == (0, "")
    command = arguments(method, nets[reads], task, "killed")
    kill_when_there(command, tmp_path / "killed.training" / sign, tmp_path)
    assert not (tmp_path / "killed").exists()
    settings: dict[str, Any] = {"epochs": 3, "lr": 0.01, "batch": 8, "device": "cpu", "progress": False}
    with pytest.raises(UserError, match="add --resume"):
        harden(method, nets[reads], str(task), tmp_path / "killed", **settings)
    with pytest.raises(UserError, match="accumulate was 2, and is now 1; the seed was 0, and is now 1"):
        harden(method, nets[reads], str(task), tmp_path / "killed", seed=1, resume=True, **settings)
    resumed = unfool(*command, "--resume", cwd=tmp_path)
    assert (resumed.code, resumed.err) == (0, "")
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "killed"))
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not (tmp_path / "killed.training").exists()


def test_a_victim_that_changed_is_told_wherever_training_started(
    nets: dict[str, str], task: Path, tmp_path: Path
) -> None:
    """FACT asks it which words matter, whatever the weights that are trained."""
    shutil.copytree(nets["bert"].removeprefix("hf:"), tmp_path / "victim")
    encoder = nets["bert"].removeprefix("hf:")
    command = [*arguments("fact:words=2,alternatives=2", "hf:victim", task, "killed"), "--start", encoder]
    kill_when_there(command, tmp_path / "killed.training" / "checkpoint.safetensors", tmp_path)
    weights = load_file(tmp_path / "victim" / "model.safetensors")
    changed = {name: 2 * weight for name, weight in weights.items()}
    save_file(changed, tmp_path / "victim" / "model.safetensors", {"format": "pt"})
    refused = unfool(*command, "--resume", cwd=tmp_path)
    assert refused.code == 2
    assert "was begun with other settings (the files of " in refused.err


def test_a_mistake_noticed_late_does_not_block_the_folder(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"epochs": 1, "n": 16, "device": "cpu", "progress": False}
    with pytest.raises(UserError, match="cannot take trials=0"):
        harden("adversarial:attack=random:trials=0", nets["words"], str(task), tmp_path / "new", **settings)
    work = tmp_path / "new.training"
    assert not work.exists()
    work.mkdir()
    with locked(work), pytest.raises(UserError, match="another process is writing"):
        harden("plain", nets["words"], str(task), tmp_path / "new", **settings)
    (work / "harden.json").write_text("{}")
    (work / "checkpoint.safetensors").touch()
    with pytest.raises(UserError, match="holds a training already"):
        harden("plain", nets["words"], str(task), tmp_path / "new", **settings)
    (work / "checkpoint.safetensors").unlink()
    assert harden("plain", nets["words"], str(task), tmp_path / "new", **settings).settings["method"] == "plain"


def test_an_interrupt_is_one_line(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    process = start(*arguments("plain", nets["bert"], task, "new"), "--epochs", 500, cwd=tmp_path)
    while not (tmp_path / "new.training" / "checkpoint.safetensors").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    stopped = Finished(process.returncode, out, err)
    assert stopped.code == 130
    assert stopped.err.splitlines() == [
        "stopped; what was done is kept: give the same command with --resume to go on"
    ]


def test_it_goes_on_in_the_middle_of_an_epoch(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    """An epoch can take hours; what is done of it counts."""

    class Killed(Exception):
        pass

    def trained(path: Path, stop_at: int | None) -> dict[str, torch.Tensor]:
        net, steps = trainable(open_victim(nets["words"])), 0

        def losses(batch: Any, place: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == stop_at:
                raise Killed
            yield torch.nn.functional.cross_entropy(net.logits(batch.tokens), batch.labels)

        samples = EncodedSamples(load(str(task), split="train"), net.encoder, net.device)
        with seeded(3):
            fit(
                net.module,
                net.logits,
                samples,
                samples,
                optimizer=net.optimizer(0.01),
                schedule=lambda done: 1 - done,
                epochs=3,
                patience=3,
                batch=16,
                seed=4,
                progress=False,
                losses=losses,
                checkpoint=Checkpoint(path, seconds=0),
            )
        return dict(net.module.state_dict())

    whole = trained(tmp_path / "whole.safetensors", None)
    with pytest.raises(Killed):
        trained(tmp_path / "part.safetensors", 13)
    parts = trained(tmp_path / "part.safetensors", None)
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_parts_of_a_batch_add_up_to_it(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    """Without dropout a step in parts is the step itself."""
    for parts in (1, 3):
        harden(
            "plain", nets["bert"], str(task), tmp_path / str(parts), epochs=1, n=64, batch=32, lr=1e-3,
            accumulate=parts, device="cpu", progress=False,
        )  # fmt: skip
    one, three = (load_file(tmp_path / str(parts) / "model.safetensors") for parts in (1, 3))
    assert all(np.allclose(one[name], three[name], atol=2e-3) for name in one)


def test_parts_add_up_though_some_texts_have_no_alternatives(nets: dict[str, str], tmp_path: Path) -> None:
    """The first part has all the alternatives, so by its originals it would weigh too little."""
    texts = [
        "the film was great",
        "a good plot",
        "an awful actor",
        "it is a dull film",
        "it is",
        "a the",
        "it",
        "was",
    ]
    samples = [Sample(number, Text.of(text), number % 2) for number, text in enumerate(texts)]
    net = trainable(open_victim(nets["bert"]))
    net.module.eval()  # no dropout
    training = Training(net, samples, nets["bert"], Options(), 0, tmp_path, False)
    losses = find_method("fact:words=2,alternatives=3")(training).losses
    assert losses is not None
    labels = torch.tensor([sample.label for sample in samples])
    batch = LabelledBatch(net.encode([sample.text for sample in samples]), labels, np.arange(8))
    found = []
    for parts in (1, 2, 3):
        net.module.zero_grad()
        add_gradients(losses, batch, (1, 0), parts)
        found.append([weight.grad.clone() for weight in net.module.parameters() if weight.grad is not None])
    for one, two, three in zip(*found, strict=True):
        torch.testing.assert_close(two, one, atol=1e-6, rtol=1e-4)
        torch.testing.assert_close(three, one, atol=1e-6, rtol=1e-4)


def test_a_damaged_checkpoint_is_told(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    net, file = trainable(open_victim(nets["words"])), tmp_path / "checkpoint.safetensors"
    optimizer = net.optimizer(0.01)
    assert Checkpoint(file).load(net.module, optimizer) is None
    file.write_bytes(b"nothing")
    with pytest.raises(UserError, match="cannot be used"):
        Checkpoint(file).load(net.module, optimizer)
    other = trainable(open_victim(nets["letters"]))
    Checkpoint(file).save(other.module, other.optimizer(0.01), TrainingState(), {})
    with pytest.raises(UserError, match="cannot be used"):
        Checkpoint(file).load(net.module, optimizer)


def test_where_there_is_no_training_to_resume_it_starts(
    nets: dict[str, str], task: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harden("plain", nets["words"], str(task), tmp_path / "new", epochs=1, resume=True, progress=False)
    assert (tmp_path / "new").is_dir()
    assert "new.training to resume: this starts it\n" in capsys.readouterr().err


def test_a_file_where_the_work_is_to_lie_is_told(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    (tmp_path / "new.training").touch()
    with pytest.raises(UserError, match=r"new\.training is a file, and a folder is needed there"):
        harden("plain", nets["words"], str(task), tmp_path / "new", progress=False)
