"""Training of nets: the loop, optimizers, checkpoints, encoded batches, splits, fine-tuning and reports."""

from unfool.training._finetune import classifier, finetune
from unfool.training._fit import (
    Fitted,
    Losses,
    Place,
    accuracy,
    adam,
    adam_with_decay,
    add_gradients,
    fit,
    rise_and_fall,
    seeded,
    sgd,
    short_factors,
    usual_batch,
)
from unfool.training._records import TRAINING_FILE, Accuracy, Checkpoint, TrainingReport, TrainingState
from unfool.training._samples import EncodedSamples, LabelledBatch, Splits, have_changed, load_splits

__all__ = [
    "TRAINING_FILE",
    "Accuracy",
    "Checkpoint",
    "EncodedSamples",
    "Fitted",
    "LabelledBatch",
    "Losses",
    "Place",
    "Splits",
    "TrainingReport",
    "TrainingState",
    "accuracy",
    "adam",
    "adam_with_decay",
    "add_gradients",
    "classifier",
    "finetune",
    "fit",
    "have_changed",
    "load_splits",
    "rise_and_fall",
    "seeded",
    "sgd",
    "short_factors",
    "usual_batch",
]
