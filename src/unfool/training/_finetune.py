"""Fine-tuning a pretrained encoder on a data set, into an ordinary Hugging Face folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.devices import LOADING
from unfool.errors import UserError, not_installed
from unfool.training._fit import accuracy, adam_with_decay, fit, rise_and_fall, seeded
from unfool.training._records import TRAINING_FILE, TrainingReport
from unfool.training._samples import EncodedSamples, Splits
from unfool.victims.checkpoints import look_over, why_unread
from unfool.victims.huggingface import longest_input, takes_types
from unfool.victims.tokens import TokenBatch, TokenizerEncoder

if TYPE_CHECKING:
    import torch

_MAX_LENGTH = 256


def finetune(
    folder: Path,
    encoder_folder: Path | str,
    splits: Splits,
    place: torch.device,
    progress: bool,
    *,
    data_name: str,
    epochs: int,
    lr: float,
    seed: int,
    batch: int = 32,
) -> None:
    """Fine-tune an encoder into a classifier and write it with its tokenizer into an empty folder.

    The epoch with the best validation accuracy is kept. The learning rate rises over the first tenth of the steps
    and then falls to zero. A ``training.json`` in the folder tells accuracies, seconds and settings.

    Args:
        folder: The empty folder.
        encoder_folder: A folder saved by transformers, or a hub id.
        splits: The texts.
        place: Where to train.
        progress: Whether to show a bar.
        data_name: What the report calls the data.
        epochs: How often the training samples are seen.
        lr: The highest learning rate.
        seed: Draws the new layer's weights, dropout and the order of the batches.
        batch: Texts a batch.

    Raises:
        UserError: If the encoder cannot be read.
    """
    import torch

    with seeded(seed):
        model, tokenizer = classifier(str(encoder_folder), splits.labels)
        model.to(place)
        encoder = TokenizerEncoder(tokenizer, min(_MAX_LENGTH, longest_input(model, tokenizer)))
        train, validation, test = (
            EncodedSamples(samples, encoder, place, pad=tokenizer.pad_token_id or 0)
            for samples in (splits.train, splits.validation, splits.test)
        )
        typed = takes_types(model, tokenizer)

        def logits(tokens: TokenBatch) -> torch.Tensor:
            types = {"token_type_ids": tokens.types} if typed else {}
            with torch.autocast(place.type, torch.bfloat16, enabled=place.type == "cuda"):
                outputs = model(input_ids=tokens.ids, attention_mask=tokens.mask, **types).logits
            return torch.Tensor.float(outputs)

        fitted = fit(
            model,
            logits,
            train,
            validation,
            optimizer=adam_with_decay(model, lr),
            schedule=rise_and_fall,
            epochs=epochs,
            patience=epochs,
            batch=batch,
            seed=seed,
            progress=progress,
        )
    report = TrainingReport(
        data_name,
        splits.fingerprint,
        seed,
        fitted.seconds,
        fitted.validation,
        accuracy(model, logits, test) if splits.test else None,
        epoch=fitted.epoch,
        settings={"encoder": str(encoder_folder), "lr": lr, "batch": batch},
    )
    model.cpu().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / TRAINING_FILE).write_text(json.dumps(report.to_json(), indent=2) + "\n", encoding="utf-8")


def classifier(name: str, labels: tuple[str, ...]) -> tuple[Any, Any]:
    """Return an encoder with a new classification layer, and its tokenizer."""
    try:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils import logging
    except ImportError:
        raise not_installed("fine-tuning needs PyTorch and transformers", "torch") from None
    folder = Path(name).expanduser()
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # that the classification layer is new is the point
    logging.disable_progress_bar()
    try:
        known = str(folder) if folder.exists() else name
        look_over(known, allow_code=False)
        tokenizer = AutoTokenizer.from_pretrained(known, trust_remote_code=False)
        with LOADING:
            model = AutoModelForSequenceClassification.from_pretrained(
                known,
                dtype="float32",
                id2label=dict(enumerate(labels)),
                label2id={label: number for number, label in enumerate(labels)},
                trust_remote_code=False,
                weights_only=True,
            )
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"cannot read the encoder {name}: {why_unread(error)}") from error
    finally:
        logging.set_verbosity(verbosity)
    return model, tokenizer
