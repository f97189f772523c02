"""scikit-learn pipelines from file as victims."""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unfool.errors import UserError
from unfool.victims._fingerprint import fingerprint
from unfool.victims._labels import label_names
from unfool.victims._rescue import rescued
from unfool.victims._softmax import softmax
from unfool.victims._text_victim import Input, TextVictim

TRUSTED_PACKAGES = ("sklearn", "numpy", "scipy")
_ALWAYS_ROOM, _MOST_GROWTH = 256 << 20, 20


class Pipeline(TextVictim):
    """A fitted classifier that takes strings, e.g. TF-IDF and a logistic regression.

    Asked by ``predict_proba`` where it has one; else its ``decision_function``, through a sigmoid (two classes) or
    a softmax (more), stands for probabilities: it has their order, not their calibration; else ``predict``, all or
    nothing.
    """

    fingerprint: str | None = None

    def __init__(self, model: Any, name: str) -> None:
        """Wrap a fitted model; see `pipeline_victim`, which loads one from a file."""
        classes = getattr(model, "classes_", None)
        if not hasattr(model, "predict") or classes is None or np.ndim(classes) != 1:
            raise UserError(f"{name} holds a {type(model).__name__}, not a fitted classifier of one label a text")
        self._model, self._name, self._classes = model, name, np.asarray(classes)
        self.labels = label_names(name, [str(label) for label in self._classes])

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        """Ask the pipeline."""
        if any(len(strings) != 1 for strings in inputs):
            raise UserError(
                f"{self._name} takes single texts, and the samples are pairs; use a data set of one field"
            )
        return rescued(self, self._predict, inputs)

    def __repr__(self) -> str:
        return self._name

    def _predict(self, inputs: Sequence[Input]) -> Any:
        texts = [strings[0] for strings in inputs]
        if hasattr(self._model, "predict_proba"):
            return self._model.predict_proba(texts)
        if hasattr(self._model, "decision_function"):
            scores = np.asarray(self._model.decision_function(texts), dtype=np.float64)
            if scores.ndim == 1:  # one score, for the second of two classes; softmax of (0, s) is sigmoid of s
                scores = np.stack([np.zeros_like(scores), scores], axis=1)
            return softmax(scores)
        return self._classes == np.asarray(self._model.predict(texts))[:, None]


def pipeline_victim(name: str, allow_code: bool = False) -> Pipeline:
    """Load a pipeline from ``skops:PATH`` or ``joblib:PATH``.

    Args:
        name: Which file, and how it was saved. Of a skops file only types that skops trusts, and classes of
            scikit-learn, numpy and scipy, are loaded.
        allow_code: Whether the file may run code of its own, as loading any joblib file does.
    """
    kind, _, path = name.partition(":")
    if kind not in _LOADERS or not path:
        raise UserError(f"{name!r} names no pipeline; write skops:PATH or joblib:PATH")
    if not Path(path).is_file():
        raise UserError(f"{name!r}: there is no file {path}")
    try:
        model = _LOADERS[kind](path, allow_code)
    except UserError as error:
        raise UserError(f"{name!r}: {error}") from None
    except Exception as error:
        raise UserError(f"{name!r} could not be loaded: {type(error).__name__}: {error}") from error
    pipeline = Pipeline(model, name)
    pipeline.fingerprint = fingerprint(Path(path))
    return pipeline


def _load_skops(path: str, allow_code: bool) -> Any:
    try:
        import skops.io
    except ImportError:
        raise UserError("skops is not installed; install unfool[sklearn]") from None
    _check_growth(Path(path))
    unknown = skops.io.get_untrusted_types(file=path)
    foreign = [] if allow_code else [name for name in unknown if not _is_trusted_class(name)]
    if foreign:
        raise UserError(
            f"it holds {', '.join(foreign)}, which may run any code; allow it (--allow-code) if you trust its maker"
        )
    return skops.io.load(path, trusted=unknown)


def _check_growth(path: Path) -> None:
    """Refuse a file that would fill the memory: it is a zip archive, and so are the sparse matrices in it."""
    most = max(_ALWAYS_ROOM, _MOST_GROWTH * path.stat().st_size)
    with zipfile.ZipFile(path) as parts:
        sizes = sum(part.file_size for part in parts.infolist())
        if sizes <= most:
            for part in parts.infolist():
                if part.filename.endswith(".npz"):
                    with parts.open(part) as packed, zipfile.ZipFile(packed) as arrays:
                        sizes += sum(array.file_size for array in arrays.infolist())
    if sizes > most:
        raise UserError(
            f"it has {path.stat().st_size / 1e6:,.1f} MB and would grow to more than {most / 1e6:,.0f} MB; save "
            "the pipeline again, uncompressed"
        )


def _load_joblib(path: str, allow_code: bool) -> Any:
    if not allow_code:
        raise UserError(
            "loading a joblib file runs whatever code is in it; save the pipeline with skops, "
            "or allow it (--allow-code) if you trust its maker"
        )
    try:
        import joblib
    except ImportError:
        raise UserError("joblib is not installed; install unfool[sklearn]") from None
    return joblib.load(path)


_LOADERS = {"skops": _load_skops, "joblib": _load_joblib}


def _is_trusted_class(name: str) -> bool:
    # Only classes: numpy and scipy ship functions that evaluate strings, and a pipeline may call any function.
    module_name, _, last = name.rpartition(".")
    if module_name.partition(".")[0] not in TRUSTED_PACKAGES or "__" in module_name:
        return False
    try:
        found = getattr(importlib.import_module(module_name), last, None)
    except ImportError:
        return False
    # Their modules hold classes of others, too, as whoever imports one has it.
    return isinstance(found, type) and found.__module__.partition(".")[0] in TRUSTED_PACKAGES
