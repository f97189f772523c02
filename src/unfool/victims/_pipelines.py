"""Pipelines from texts to labels, as transformers, scikit-learn and spaCy make them, as victims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.victims._fingerprints import fingerprint, weights_fingerprint
from unfool.victims._function import FunctionVictim
from unfool.victims._sklearn import Pipeline, is_classifier


def pipeline_of(given: Any, name: str | None = None) -> Predictor | None:
    """Return the victim that a pipeline is; None if it is none that is known.

    Args:
        given: A text-classification pipeline of transformers, a fitted classifier of scikit-learn that takes texts,
            or a pipeline of spaCy with a text categorizer.
        name: The name it goes by (default: one that says what it is).
    """
    if is_classifier(given):
        return Pipeline(given, name or f"sklearn:{'+'.join(_steps(given))}")
    library = type(given).__module__.partition(".")[0]
    if library == "transformers" and hasattr(given, "tokenizer"):
        return _of_transformers(given, name)
    if library == "spacy" and hasattr(given, "pipe_names"):
        return _of_spacy(given, name)
    return None


def _of_transformers(pipe: Any, name: str | None) -> FunctionVictim:
    """Wrap a text-classification pipeline; all scores are asked of it, and texts are cut to what it reads."""
    if getattr(pipe, "task", "") != "text-classification":
        raise UserError(
            f"a pipeline of the kind {getattr(pipe, 'task', '')!r} classifies no texts; give one of the kind "
            "'text-classification'"
        )
    from unfool.victims.huggingface import longest_input

    names = pipe.model.config.id2label
    place = str(getattr(pipe.model, "name_or_path", "") or type(pipe.model).__name__)
    longest = longest_input(pipe.model, pipe.tokenizer)

    def scores(texts: Sequence[Any]) -> Any:
        asked = [t if isinstance(t, str) else {"text": t[0], "text_pair": t[1]} for t in texts]
        return pipe(asked, top_k=None, truncation=True, max_length=longest, batch_size=len(asked))

    folder = Path(place).expanduser()
    weights = fingerprint(folder) if folder.is_dir() else weights_fingerprint(pipe.model)
    labels = [names[number] for number in sorted(names)]
    return FunctionVictim(scores, labels, name or f"pipeline:{place}", fingerprint=weights)


def _of_spacy(nlp: Any, name: str | None) -> FunctionVictim:
    """Wrap a pipeline whose text categorizer gives one label a text."""
    if "textcat" not in nlp.pipe_names:
        raise UserError(
            f"a pipeline of spaCy with {', '.join(nlp.pipe_names) or 'nothing in it'} gives a text no label; give "
            "one with a textcat"
        )

    def scores(texts: Sequence[str]) -> list[dict[str, float]]:
        return [doc.cats for doc in nlp.pipe(texts)]

    return FunctionVictim(scores, nlp.get_pipe("textcat").labels, name or "pipeline:spacy")


def _steps(model: Any) -> list[str]:
    steps = getattr(model, "steps", None)
    return [type(step).__name__ for _, step in steps] if steps else [type(model).__name__]
