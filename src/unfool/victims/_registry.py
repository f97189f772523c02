"""Victims by name: a name is enough."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from unfool.devices import check_device
from unfool.engine import Predictor
from unfool.errors import UserError, did_you_mean
from unfool.options import Options, read_dtype


class Kind(NamedTuple):
    """A prefix, what it names, and the function that opens such a victim, found only when it is needed."""

    prefix: str
    form: str
    what: str
    opener: str
    has_settings: bool = False
    """Whether settings may stand behind the prefix: ``five[std=0.5]:…``."""


KINDS = (
    Kind("hf", "hf:FOLDER or hf:HUB-ID", "a Hugging Face sequence classifier", "unfool.victims._open:transformer"),
    Kind("zoo", "zoo:NAME@DATA", "a model of the zoo, trained on first use", "unfool.zoo._open:open_victim"),
    Kind("skops", "skops:FILE", "a scikit-learn pipeline, saved without code", "unfool.victims._open:pipeline"),
    Kind(
        "joblib",
        "joblib:FILE or joblib:VECTORIZER+MODEL",
        "a pickled scikit-learn pipeline (runs code)",
        "unfool.victims._open:pipeline",
    ),
    Kind(
        "py",
        "py:MODULE:FUNCTION or py:FILE.py:FUNCTION",
        "a Python function from texts to probabilities, or to labels",
        "unfool.victims._open:function",
    ),
    Kind(
        "http",
        "http://… or http://…#rate=5,…",
        "an endpoint: JSON in, probabilities or labels out",
        "unfool.victims._open:endpoint",
    ),
    Kind("https", "https://… or https://…#rate=5,…", "an endpoint over TLS", "unfool.victims._open:endpoint"),
    Kind("ensemble", "ensemble:A+B", "mean log-probabilities of several victims", "unfool.victims._open:ensemble"),
    Kind(
        "ensemble-logits", "ensemble-logits:A+B", "mean logits of neural victims", "unfool.victims._open:ensemble"
    ),
    Kind(
        "fuse",
        "fuse:VICTIM or fuse[words=2,…]:VICTIM",
        "a defence: the text and rewordings of it vote",
        "unfool.defences._open:open_victim",
        has_settings=True,
    ),
    Kind(
        "five",
        "five:VICTIM or five[std=0.5,…]:VICTIM",
        "a defence: copies with noise on important tokens vote",
        "unfool.defences._open:open_victim",
        has_settings=True,
    ),
)
_KIND_BY_ENDING = {".skops": "skops", ".joblib": "joblib", ".pkl": "joblib", ".pickle": "joblib"}


def open_victim(name: str, options: Options | None = None) -> Predictor:
    """Open a victim by its name, such as ``hf:./model`` or ``py:unfool.victims.vader:probabilities``.

    Raises:
        UserError: An unknown kind, or one that cannot be opened; the message says what to do.
    """
    chosen = options or Options()
    check_device(chosen.device)
    read_dtype(chosen.dtype)
    head, colon, _ = name.partition(":")
    prefix, bracket, _ = head.partition("[")
    kinds = {kind.prefix: kind for kind in KINDS}
    if not colon and (Path(name).expanduser() / "config.json").is_file():
        return open_victim(f"hf:{name}", chosen)
    if not colon or prefix not in kinds:
        raise UserError(
            f"cannot tell what kind of victim {name!r} is{did_you_mean(prefix, kinds) if colon else _meant(name)}"
        )
    if bracket and not kinds[prefix].has_settings:
        raise UserError(
            f"a victim of the kind {prefix} takes no settings, as in {head!r}; write {kinds[prefix].form}"
        )
    module, _, function = kinds[prefix].opener.partition(":")
    opener: Callable[[str, Options], Predictor] = getattr(importlib.import_module(module), function)
    return opener(name, chosen)


def _meant(name: str) -> str:
    """Guess the kind of a bare name, or tell what there is."""
    path = Path(name)
    kind = _KIND_BY_ENDING.get(path.suffix.lower(), "hf" if len(path.parts) > 1 or path.is_dir() else "")
    return (
        f"; did you mean '{kind}:{name}'?" if kind else f"; a victim is written {', '.join(k.form for k in KINDS)}"
    )
