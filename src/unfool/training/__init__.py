"""Training of nets: the loop, checkpoints, batches, splits and fine-tuning."""

from unfool.training._checkpoint import Checkpoint, Standing
from unfool.training._encoded_samples import EncodedSamples, LabelledBatch
from unfool.training._finetune import (
    TRAINING_FILE,
    adam_with_decay,
    classifier,
    finetune,
    finetune_into,
    rise_and_fall,
)
from unfool.training._fit import (
    Accuracy,
    Fitted,
    Losses,
    Place,
    accuracy,
    add_gradients,
    fit,
    seeded,
    short_factors,
)
from unfool.training._splits import Splits, have_changed, load_splits

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
    "Standing",
    "accuracy",
    "adam_with_decay",
    "add_gradients",
    "classifier",
    "finetune",
    "finetune_into",
    "fit",
    "have_changed",
    "load_splits",
    "rise_and_fall",
    "seeded",
    "short_factors",
]
