"""Trains the zoo's nets and encoders, each into a folder."""

from __future__ import annotations

from collections.abc import Sized
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unfool.devices import torch_device
from unfool.errors import UserError
from unfool.training import (
    Accuracy,
    Fitted,
    TrainingReport,
    accuracy,
    adam,
    finetune,
    fit,
    seeded,
    sgd,
    short_factors,
    usual_batch,
)
from unfool.victims.tokens import TokenBatch
from unfool.zoo import store
from unfool.zoo._catalogue import EncoderRecipe, NetRecipe, stand_in
from unfool.zoo.data_cache import DatasetCache, ElmoStates, EncodedSplits
from unfool.zoo.nets import make_net
from unfool.zoo.victim_names import Named
from unfool.zoo.word_vectors import first_front

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from unfool.zoo.nets.net import Net

_FALL = 0.4
"""The last share of a training, in which a falling learning rate falls."""
_FEWEST_EPOCHS, _FEWEST_EPOCHS_TUNED = 3, 2


def train(
    net: Net,
    texts: EncodedSplits,
    place: torch.device,
    *,
    seed: int,
    epochs: int,
    lr: float,
    patience: int,
    progress: bool,
    batch: int | None = None,
    optimizer: Literal["adam", "sgd"] = "adam",
    falling: bool = False,
    elmo: ElmoStates | None = None,
) -> tuple[Fitted, Accuracy | None]:
    """Train a net and leave it, on the CPU, with the weights of its best epoch.

    The same net and seed give the same weights, on the same kind of CPU with as many threads. A learning rate that
    is ``falling`` ends at zero: few epochs then come as far as many. A net on an ELMo may learn from its states at
    the texts; it is judged on the texts themselves. Gradients are clipped to a norm of 5, by Adam and by ``sgd``.
    Return how training went, and the test accuracy if there are test samples.
    """
    net.to(place)

    def logits(tokens: TokenBatch) -> Tensor:
        outputs: Tensor = net(tokens.ids, tokens.mask, tokens.types)
        return outputs

    def logits_of_states(rows: TokenBatch) -> Tensor:
        assert elmo
        return net.forward_read(elmo.read(net.front, rows))

    with seeded(seed), short_factors(place):
        fitted = fit(
            net,
            logits_of_states if elmo else logits,
            elmo.train if elmo else texts.train,
            elmo.validation if elmo else texts.validation,
            optimizer=(sgd if optimizer == "sgd" else adam)(net, lr),
            schedule=(lambda done: min(1.0, (1.0 - done) / _FALL)) if falling else (lambda done: 1.0),
            epochs=epochs,
            patience=patience,
            batch=batch or usual_batch(len(texts.train)),
            seed=seed,
            progress=progress,
        )
    test = accuracy(net, logits, texts.test) if len(texts.test) else None
    net.cpu()
    return fitted, test


def train_net(
    recipe: NetRecipe, named: Named, folder: Path, device: str, progress: bool, datasets: DatasetCache
) -> None:
    """Train a net and write it into an empty folder."""
    place = torch_device(device)
    splits = datasets.splits(named.data)
    texts = datasets.encoded(named.data, recipe, place)
    front = first_front(recipe, texts.encoder, named.seed, progress=progress)
    sizes = {**recipe.sizes, **({"pair": True} if splits.pairs and recipe.net == "LSTMAttention" else {})}
    with seeded(named.seed):
        net = make_net(recipe.net, front, len(splits.labels), **sizes)
    if splits.pairs != net.reads_pairs:
        raise UserError(
            f"{named.model} reads one text, but {named.data} has pairs; LSTM-Attention and BERT read them"
        )
    epochs = _epochs(recipe, texts.train, _FEWEST_EPOCHS)
    falling = recipe.falling and epochs < recipe.epochs
    fitted, test = train(
        net,
        texts,
        place,
        seed=named.seed,
        epochs=epochs,
        patience=epochs if falling else recipe.patience,
        lr=recipe.lr,
        batch=recipe.batch,
        optimizer=recipe.optimizer,
        falling=falling,
        progress=progress,
        elmo=datasets.elmo_states(texts, front, place),
    )
    report = TrainingReport(
        named.data,
        splits.fingerprint,
        named.seed,
        fitted.seconds,
        fitted.validation,
        test,
        epoch=fitted.epoch,
        settings={"stand-in": stand_in(named.model)},
    )
    store.write(folder, net, texts.encoder, splits.labels, report.to_json(), recipe)


def fine_tune(
    recipe: EncoderRecipe, named: Named, folder: Path, device: str, progress: bool, datasets: DatasetCache
) -> None:
    """Fine-tune an encoder and write it into an empty folder."""
    from unfool.zoo import pretrained

    splits = datasets.splits(named.data)
    finetune(
        folder,
        pretrained.folder(recipe.encoder, named.seed),
        splits,
        torch_device(device),
        progress,
        data_name=named.data,
        epochs=_epochs(recipe, splits.train, _FEWEST_EPOCHS_TUNED),
        lr=recipe.lr,
        seed=named.seed,
    )


def _epochs(recipe: NetRecipe | EncoderRecipe, texts: Sized, fewest: int) -> int:
    return min(recipe.epochs, max(fewest, recipe.most_texts // max(1, len(texts))))
