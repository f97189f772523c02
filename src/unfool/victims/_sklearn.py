"""scikit-learn pipelines from file as victims."""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Later, PendingAnswers
from unfool.errors import UserError, not_installed
from unfool.stats import softmax
from unfool.text import Text, Variants
from unfool.victims._answer_forms import label_names
from unfool.victims._fingerprints import fingerprint
from unfool.victims._foreign_code import BATCH, Aside, Batches
from unfool.victims._linear import Linear, linear
from unfool.victims._victim import PLAIN_TEXTS, Input, StringRows, TextVictim, checked
from unfool.victims._word_counts import WordCounts, word_counts
from unfool.victims.tokens import TokenRows, UnitRows, UnitTable, spliced_rows

TRUSTED_PACKAGES = ("sklearn", "numpy", "scipy")
_ALWAYS_ROOM, _MOST_GROWTH = 256 << 20, 20
_LIKE = 1e-7
"""How far a sum may be from the pipeline's answer: the last bit of what is kept of it."""
_VECTORS_AT_ONCE = 1024
"""Few enough that a step which fills in the zeros does not fill the memory."""


class CountedRows(NamedTuple):
    """Texts as rows of units whose tokens are words, and the texts themselves."""

    asked: Sequence[Variants]
    units: UnitRows

    @property
    def keys(self) -> NDArray[np.uint64]:
        """One key a text."""
        return self.units.keys


class _Counting(NamedTuple):
    """What counts words, the table of what they are counted in, and the model where a sum tells its answers."""

    counts: WordCounts
    table: UnitTable
    linear: Linear | None

    @classmethod
    def of(cls, model: Any) -> _Counting | None:
        """Return what counts for a pipeline; None where only the pipeline itself knows how."""
        from sklearn.pipeline import Pipeline as Steps

        counts = word_counts(model[0]) if type(model) is Steps and len(model) > 1 else None
        if counts is None:
            return None
        made = cls(counts, UnitTable(counts), linear(model, counts.features))
        return made if made.answers_as(model) else made._replace(linear=None)

    def answers_as(self, model: Any) -> bool:
        """Whether the sum tells what the pipeline does of texts of many words, of few, of none, and of changes."""
        if self.linear is None:
            return True
        known = list(model[0].vocabulary_)
        texts = [Text.of(" ".join(words)) for words in (known[:: 1 + len(known) // 50], known[:2] * 2, [])]
        asked = [Variants.of_texts(texts), *(text.variants([0], [known[-1]]) for text in texts[:2])]
        rows = self.table.rows(asked)
        ours = self.linear.probabilities(rows, np.arange(len(rows.keys)), self.table.store)
        its = _scores(model, [text.strings[0] for variants in asked for text in variants], model.classes_)
        return ours.shape == its.shape and bool(np.allclose(ours, its, rtol=0, atol=_LIKE))


class Pipeline(TextVictim):
    """A fitted classifier that takes strings, e.g. TF-IDF and a logistic regression.

    It is asked by ``predict_proba`` if it has one; else by its ``decision_function``, through a sigmoid (two
    classes) or a softmax (more), which has the order of probabilities, not their calibration; else by ``predict``,
    all or nothing.

    Where it begins with scikit-learn's own vectorizer of words, the words of a changed text are not looked for
    anew: the steps behind the vectorizer get the vectors that it would make. Checks go by the pipeline as it is.
    """

    fingerprint: str | None = None

    def __init__(self, model: Any, name: str, *, batch: int = BATCH, aside: Aside | None = None) -> None:
        """Wrap a fitted model; see `pipeline_victim`, which loads one from a file.

        Args:
            model: The model.
            name: The name the victim goes by.
            batch: Most texts a call.
            aside: Where the model's code has run before.
        """
        if not is_classifier(model):
            raise UserError(f"{name} holds a {type(model).__name__}, not a fitted classifier of one label a text")
        self._model, self._name, self._classes = model, name, np.asarray(model.classes_)
        self._aside = aside or Aside()
        self._batches = Batches(name, self._predict, batch)
        self.labels = label_names(name, [str(label) for label in self._classes])
        self._refuse_one_for_numbers()
        self._counting = _Counting.of(model)

    def rows(self, asked: Sequence[Variants]) -> Any:
        """Read or render what the samples ask."""
        if self._counting is None or any(len(base.fields) != 1 for variants in asked for base in variants.bases):
            return super().rows(asked)
        return CountedRows(asked, self._counting.table.rows(asked))

    def launch(self, rows: StringRows | CountedRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Ask about some of the rows; the work is done when the answer is fetched."""
        if isinstance(rows, StringRows):
            return super().launch(rows, chosen)
        assert self._counting
        counts, table, sums = self._counting
        # The units must be read now: who asks next may make the table forget them.
        if sums:
            found = checked(
                repr(self), sums.probabilities(rows.units, chosen, table.store), len(chosen), len(self.labels)
            )
            return Later.of(found)
        words = spliced_rows(rows.units, chosen, table.store, counts)
        return Later(partial(self._counted, counts, words, rows.asked, chosen))

    def _counted(
        self, counts: WordCounts, words: TokenRows, asked: Sequence[Variants], chosen: NDArray[np.intp]
    ) -> Answers:
        try:
            with self._aside():
                parts = [
                    words.part(start, start + _VECTORS_AT_ONCE) for start in range(0, len(chosen), _VECTORS_AT_ONCE)
                ]
                answers = [_scores(self._model[1:], counts.matrix(part), self._classes) for part in parts]
        except Exception:  # the pipeline itself says what is wrong, and about which text
            found = None
        else:
            found = checked(repr(self), np.concatenate(answers) if answers else [], len(chosen), len(self.labels))
        if found and not found.errors:
            return found
        inputs = [text.strings for variants in asked for text in variants]
        return self.confirm([inputs[number] for number in chosen.tolist()])

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        """Ask the pipeline."""
        if any(len(strings) != 1 for strings in inputs):
            raise UserError(
                f"{self._name} takes single texts, and the samples are pairs; use a data set of one field"
            )
        return self._batches.rows(inputs)

    def __repr__(self) -> str:
        return self._name

    def _refuse_one_for_numbers(self) -> None:
        if not hasattr(self._model, "n_features_in_"):  # known of whatever was fitted on columns of numbers
            return
        try:
            self._predict([(PLAIN_TEXTS[0],)])
        except Exception:
            kind = self._name.partition(":")[0]
            raise UserError(
                f"{self._name} holds a {type(self._model).__name__}, which takes numbers, not texts; give the "
                f"file of its vectorizer, too, {kind}:VECTORIZER+MODEL, or save both as one pipeline"
            ) from None

    def _predict(self, inputs: Sequence[Input]) -> Any:
        with self._aside():
            return _scores(self._model, [strings[0] for strings in inputs], self._classes)


def _scores(model: Any, given: Any, classes: NDArray[Any]) -> Any:
    """Return a classifier's probabilities, or what comes nearest to them."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(given)
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(given), dtype=np.float64)
        if scores.ndim == 1:  # one score, for the second of two classes; softmax of (0, s) is sigmoid of s
            scores = np.stack([np.zeros_like(scores), scores], axis=1)
        return softmax(scores)
    return classes == np.asarray(model.predict(given))[:, None]


def is_classifier(model: Any) -> bool:
    """Whether something is a fitted classifier of one label a text, as scikit-learn makes them."""
    return hasattr(model, "predict") and hasattr(model, "classes_") and np.ndim(model.classes_) == 1


def pipeline_victim(name: str, allow_code: bool = False, *, batch: int = BATCH) -> Pipeline:
    """Load a pipeline from ``skops:PATH`` or ``joblib:PATH``, or from two files: ``joblib:VECTORIZER+MODEL``.

    Args:
        name: Which file, and how it was saved. Of a skops file only types that skops trusts, and classes of
            scikit-learn, numpy and scipy, are loaded.
        allow_code: Whether the file may run code of its own, as loading any joblib file does.
        batch: Most texts a call.
    """
    kind, _, path = name.partition(":")
    if kind not in _LOADERS or not path:
        raise UserError(f"{name!r} names no pipeline; write skops:PATH or joblib:PATH")
    files = [path] if Path(path).is_file() else path.split("+")
    for file in files:
        if not Path(file).is_file():
            raise UserError(f"{name!r}: there is no file {file}")
    aside = Aside()
    try:
        with aside():
            parts = [_LOADERS[kind](file, allow_code) for file in files]
    except UserError as error:
        raise UserError(f"{name!r}: {error}") from None
    except (Exception, SystemExit) as error:
        raise UserError(f"{name!r} could not be loaded: {type(error).__name__}: {error}") from error
    pipeline = Pipeline(parts[0] if len(parts) == 1 else _joined(name, parts), name, batch=batch, aside=aside)
    prints = [fingerprint(Path(file)) for file in files]
    pipeline.fingerprint = prints[0] if len(prints) == 1 else "+".join(prints)
    return pipeline


def _joined(name: str, parts: list[Any]) -> Any:
    from sklearn.pipeline import make_pipeline

    *before, last = parts
    for part in before:
        if not hasattr(part, "transform"):
            raise UserError(f"{name!r}: a {type(part).__name__} is no vectorizer; name the vectorizer first")
    if not is_classifier(last):
        raise UserError(f"{name!r}: a {type(last).__name__} is no fitted classifier; name the vectorizer first")
    return make_pipeline(*parts)


def _load_skops(path: str, allow_code: bool) -> Any:
    try:
        import skops.io
    except ImportError:
        raise not_installed("skops is not installed", "sklearn") from None
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
        raise not_installed("joblib is not installed", "sklearn") from None
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
