"""What people have in their hands as a victim: a name, a function, a pipeline, or a victim."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.options import Options
from unfool.victims._fingerprints import fingerprint
from unfool.victims._function import Callable, callable_victim
from unfool.victims._registry import open_victim
from unfool.victims._sklearn import Pipeline, is_classifier


def as_victim(given: Any, options: Options | None = None) -> Predictor:
    """Return the victim that something is, or that can be made of it.

    Args:
        given: A victim's name, a victim, a function from texts to answers, a text-classification pipeline of
            transformers, or a fitted classifier of scikit-learn that takes texts.
        options: How to open a name; of the other things, labels go with a function.

    Raises:
        UserError: It is nothing of the kind.
    """
    chosen = options or Options()
    if isinstance(given, str):
        return open_victim(given, chosen)
    if hasattr(given, "launch"):
        victim: Predictor = given
        return victim
    if is_classifier(given):
        return Pipeline(given, f"sklearn:{'+'.join(_kinds(given))}")
    if type(given).__module__.startswith("transformers.") and hasattr(given, "tokenizer"):
        return _transformers_pipeline(given)
    if hasattr(given, "parameters") and hasattr(given, "forward"):
        raise UserError(
            f"a {type(given).__name__} takes tokens, not texts; save it with its tokenizer and give hf:FOLDER, "
            "or give a function from a list of texts to rows of probabilities"
        )
    if callable(given) and not isinstance(given, type):
        return callable_victim(given, chosen.labels)
    raise UserError(
        f"{given!r:.80} is no victim; give a name, such as hf:FOLDER, a function from texts to probabilities, "
        "a transformers pipeline or a fitted scikit-learn pipeline"
    )


def _transformers_pipeline(pipe: Any) -> Callable:
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
    weights = fingerprint(folder) if folder.is_dir() else _digest_of_weights(pipe.model)
    return Callable(scores, [names[number] for number in sorted(names)], f"pipeline:{place}", fingerprint=weights)


def _digest_of_weights(model: Any) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode() + tensor.detach().float().cpu().numpy().tobytes())
    return digest.hexdigest()


def _kinds(model: Any) -> list[str]:
    steps = getattr(model, "steps", None)
    return [type(step).__name__ for _, step in steps] if steps else [type(model).__name__]
