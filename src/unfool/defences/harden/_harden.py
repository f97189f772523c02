"""Hardening: a victim is trained to withstand attacks, and becomes an ordinary model folder."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from unfool.data import GUESSED, BadRow, Reading
from unfool.defences.harden._method import Method, Plan, Training, find_method
from unfool.defences.harden._trainable import (
    VICTIM,
    TrainableClassifier,
    TrainableNet,
    TrainableZooNet,
    starting_net,
)
from unfool.errors import UserError
from unfool.labels import check_labels, match_labels, told_in_order
from unfool.resources import build_once
from unfool.runs import nothing_done
from unfool.storage import JSON, Kind, WorkFolder, reading
from unfool.text import Sample
from unfool.training import (
    TRAINING_FILE,
    Accuracy,
    Checkpoint,
    EncodedSamples,
    Splits,
    accuracy,
    fit,
    load_splits,
    seeded,
    short_factors,
)
from unfool.victims import Options

_CHECKPOINT = "checkpoint.safetensors"
_TRAINING = Kind("a training", "harden.json", leftover=lambda path: path.is_dir() and nothing_done(path))
"""The folders in it are the runs of attacks on training samples."""


@dataclass(frozen=True, repr=False)
class Hardened:
    """A hardened model, and what its folder tells of its training."""

    model: str
    """The name that opens it: ``hf:FOLDER`` or ``zoo:FOLDER``."""
    settings: Mapping[str, Any]
    """How it was trained: the method, the victim before, the data and more."""
    epoch: int
    """The epoch whose weights were kept, from 1."""
    seconds: float
    precision: str
    validation: Accuracy
    """On clean texts, as the next."""
    figures: Mapping[str, float]
    """What the method tells of the training, such as ``flipped``."""
    test: Accuracy | None
    """None if the data have no test split."""

    def __repr__(self) -> str:
        judged = {"validation": self.validation, "test": self.test}
        told = ", ".join(
            f"{each.share:.1%} of {each.n} {name} texts right" for name, each in judged.items() if each
        )
        return f"<Hardened {self.model} by {self.settings['method']}: {told}>"

    @classmethod
    def open(cls, folder: str | Path) -> Hardened:
        """Read what the folder of a hardened model tells.

        Raises:
            UserError: If it holds no such model.
        """
        own, config = Path(folder) / TRAINING_FILE, Path(folder) / "config.json"
        kind = TrainableClassifier.kind if own.is_file() else TrainableZooNet.kind
        try:
            with reading(Path(folder)):
                plain = json.loads((own if own.is_file() else config).read_bytes())
            return cls.from_json(plain if own.is_file() else plain["training"], f"{kind}:{folder}")
        except (LookupError, TypeError, ValueError, AttributeError):
            raise UserError(f"{folder} holds no hardened model; give a folder that `harden` wrote") from None

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as they are written into the folder."""
        return {
            **self.settings,
            "epoch": self.epoch,
            "seconds": self.seconds,
            "precision": self.precision,
            "validation": self.validation._asdict(),
            **self.figures,
            **({"test": self.test._asdict()} if self.test else {}),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], model: str) -> Hardened:
        """Return what `to_json` described."""
        names = list(plain)
        settings, rest = (names[: names.index("epoch")], names[names.index("validation") + 1 :])
        return cls(
            model=model,
            settings={name: plain[name] for name in settings},
            epoch=plain["epoch"],
            seconds=plain["seconds"],
            precision=plain["precision"],
            validation=Accuracy(**plain["validation"]),
            figures={name: plain[name] for name in rest if name != "test"},
            test=Accuracy(**plain["test"]) if "test" in plain else None,
        )


def harden(
    method: str | Method,
    victim: str,
    data: str,
    out: str | Path,
    *,
    epochs: int = 3,
    lr: float | None = None,
    batch: int | None = None,
    accumulate: int = 1,
    start: str = VICTIM,
    keep: Literal["best", "last"] | None = None,
    n: int | None = None,
    edit: str | None = None,
    reading: Reading = GUESSED,
    seed: int = 0,
    device: str = "auto",
    resume: bool = False,
    progress: bool = True,
    skipped: Callable[[BadRow], object] = lambda row: None,
    say: Callable[[str], object] = lambda told: None,
) -> Hardened:
    """Train a victim to withstand attacks and write an ordinary model folder.

    While it is trained, what is done so far lies in a folder beside it, named like it with ``.training``: killed at
    any moment and resumed, training ends in the same weights as if it had never been, on a CPU to the last bit.

    Args:
        method: A name, settings behind a colon: ``fact:words=23``, ``hotflip``, ``adversarial:attack=pwws``.
        victim: A Hugging Face classifier (``hf:…``) or a neural model of the zoo (``zoo:…``), by name.
        data: A data set with a split ``train``, or a file.
        out: A folder that is not there yet: ``hf:OUT``, or ``zoo:OUT`` for a net of the zoo, names the new victim.
        epochs: How often the training samples are seen.
        lr: The learning rate; 2e-5 for classifiers of transformers, 1e-3 for nets of the zoo if None.
        batch: Texts a step; 32, or for nets of the zoo 64 or 256, if None.
        accumulate: In how many parts a step is computed, if all of it does not fit into memory.
        start: ``victim`` trains its weights on; ``new`` starts where a model of the zoo started; else the folder
            of an encoder to start from.
        keep: The epoch with the ``best`` accuracy on the validation samples, or the ``last``; if None the last, but
            for ``plain`` the best, since an epoch that is best on clean texts need not be the hardest to fool.
        n: How many training samples, drawn by the seed (default: all).
        edit: Of a pair, the column that may be changed; if None that of ``reading``, else both.
        reading: The columns of the data, the names of its labels, and whether bad rows are left out.
        seed: Decides every random choice.
        device: ``cpu``, ``cuda`` or ``auto``.
        resume: Go on with a training that was stopped; start it if there is none.
        progress: Whether to show bars.
        skipped: Called with each bad row that is left out.
        say: Called with a sentence on which labels are taken for which, unless their names tell.

    Returns:
        The new model, with what its folder tells of its training.

    Raises:
        UserError: If something given cannot be used.
    """
    chosen = find_method(method) if isinstance(method, str) else method
    _check(epochs, accumulate, batch, lr, seed)
    place = Path(out).expanduser()
    work = place.with_name(f"{place.name}.training")
    if place.exists():
        if resume and _TRAINING.lies_in(work):  # killed between its end and this
            shutil.rmtree(work)
            return Hardened.open(place)
        raise UserError(f"{place} is there already; choose a new folder for the hardened model")
    if edit is not None:
        reading = replace(reading, edit=edit)
    splits = _drawn(load_splits(data, reading), n, seed)
    for row in splits.skipped:
        skipped(row)
    with seeded(seed):
        options = Options(device, "fp32")
        net = starting_net(victim, start, options, seed)
        splits = _renumbered(splits, net.labels, data)
        if told_labels := told_in_order(data, splits.labels, victim, net.labels):
            say(told_labels)
        config: dict[str, JSON] = {
            "method": repr(chosen),
            "victim": victim,
            "victim_fingerprint": net.fingerprint,
            "data": data,
            "fingerprint": splits.fingerprint,
            "n": len(splits.train),
            "max_length": net.encoder.max_length,
            "edit": reading.edit,
            **reading.given,
            "start": start,
            "epochs": epochs,
            "lr": net.lr if lr is None else lr,
            "batch": batch or net.batch_for(len(splits.train)),
            "accumulate": accumulate,
            "keep": keep or ("best" if chosen.name == "plain" else "last"),
            "seed": seed,
        }
        with WorkFolder(work, _TRAINING, config, resume) as held, held.writing():
            training = Training(net, splits.train, victim, options, seed, work, progress)
            build_once(place, lambda folder: _train(folder, chosen(training), training, splits, config))
            shutil.rmtree(work)
    return Hardened.open(place)


def _train(folder: Path, plan: Plan, training: Training, splits: Splits, config: dict[str, Any]) -> None:
    net = training.net
    net.module.to(net.device)
    validation, test = (_encoded(samples, net) for samples in (splits.validation, splits.test))
    plainly = _encoded(splits.train, net)

    def lessons(epoch: int) -> EncodedSamples:
        import torch

        if plan.more is None:
            return plainly
        with torch.random.fork_rng():  # what is made once and then kept must not move the numbers of dropout
            more = plan.more(epoch)
        return _encoded([*splits.train, *more], net)

    with short_factors(net.device):
        fitted = fit(
            net.module,
            net.logits,
            lessons,
            validation,
            optimizer=net.optimizer(config["lr"]),
            schedule=net.schedule,
            epochs=config["epochs"],
            patience=config["epochs"],
            batch=config["batch"],
            seed=config["seed"],
            progress=training.progress,
            losses=plan.losses,
            parts=config["accumulate"],
            keep=config["keep"],
            checkpoint=Checkpoint(training.folder / _CHECKPOINT),
        )
    hardened = Hardened(
        model=f"{net.kind}:{folder}",
        settings=config,
        epoch=fitted.epoch,
        seconds=round(fitted.seconds, 1),
        precision=net.precision,
        validation=fitted.validation,
        figures=plan.figures() if plan.figures else {},
        test=accuracy(net.module, net.logits, test) if splits.test else None,
    )
    net.write(folder, hardened.to_json())


def _encoded(samples: Sequence[Sample], net: TrainableNet) -> EncodedSamples:
    return EncodedSamples(samples, net.encoder, net.device, pad=net.pad)


def _renumbered(splits: Splits, labels: tuple[str, ...], data: str) -> Splits:
    """Number the data's labels as the victim does."""
    check_labels(data, splits.labels, "the victim", labels)
    numbers = match_labels(splits.labels, labels)
    if not numbers:
        return splits
    train, validation, test = (
        [replace(sample, label=numbers[sample.label]) for sample in samples]
        for samples in (splits.train, splits.validation, splits.test)
    )
    return splits._replace(train=train, validation=validation, test=test)


def _drawn(splits: Splits, n: int | None, seed: int) -> Splits:
    if n is None or n >= len(splits.train):
        return splits
    if n < 1:
        raise UserError(f"cannot train on n={n} samples; it takes 1 or more")
    numbers = sorted(random.Random(seed).sample(range(len(splits.train)), n))
    return splits._replace(train=[splits.train[number] for number in numbers])


def _check(epochs: int, accumulate: int, batch: int | None, lr: float | None, seed: int) -> None:
    for name, given in (("epochs", epochs), ("accumulate", accumulate), ("batch", batch)):
        if given is not None and given < 1:
            raise UserError(f"cannot train with {name} {given}; give 1 or more")
    if lr is not None and not 0 < lr < math.inf:
        raise UserError(f"cannot train with the learning rate {lr}; give a number above 0, such as 2e-5")
    if not 0 <= seed < 2**63:
        raise UserError(f"the seed {seed} is out of range; give one from 0 to {2**63 - 1}")
