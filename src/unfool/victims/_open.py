"""Openers of the victims that live in this room, each from a full name."""

from __future__ import annotations

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.options import Options
from unfool.victims._behind import read_behind, thresholded
from unfool.victims._registry import open_victim


def transformer(name: str, options: Options) -> Predictor:
    """Open ``hf:FOLDER`` or ``hf:HUB-ID``."""
    from unfool.victims.huggingface import Transformer

    behind = read_behind(name, batches=False)
    opened = Transformer(
        behind.name.removeprefix("hf:"), device=options.device, dtype=options.dtype, allow_code=options.allow_code
    )
    return behind.decided(opened)


def pipeline(name: str, options: Options) -> Predictor:
    """Open ``skops:FILE`` or ``joblib:FILE``, or two files: ``joblib:VECTORIZER+MODEL``."""
    from unfool.victims._sklearn import pipeline_victim

    behind = read_behind(name)
    return behind.decided(pipeline_victim(behind.name, options.allow_code, batch=behind.batch))


def function(name: str, options: Options) -> Predictor:
    """Open ``py:MODULE:FUNCTION`` or ``py:FILE.py:FUNCTION``."""
    from unfool.victims._function import callable_victim

    behind = read_behind(name)
    return behind.decided(callable_victim(behind.name, options.labels, batch=behind.batch))


def endpoint(name: str, options: Options) -> Predictor:
    """Open an ``http(s)://…`` endpoint, or with settings ``http(s)://…#rate=5,batch=4``."""
    from unfool.victims.endpoint import Endpoint, read_address

    url, settings = read_address(name)
    limits = [f"{key}={settings[key]}" for key in ("rate", "concurrency") if settings.get(key)]
    if options.processes > 1 and limits:
        raise UserError(
            f"each of {options.processes} workers would keep the endpoint's "
            f"{' and '.join(limits)} by itself, and all together exceed it; "
            "give --workers 1, or leave these limits out"
        )
    threshold, positive = settings.pop("threshold", None), settings.pop("positive", None)
    return thresholded(Endpoint(url, **{"labels": options.labels, **settings}), threshold, positive)


def ensemble(name: str, options: Options) -> Predictor:
    """Open ``ensemble:A+B`` or ``ensemble-logits:A+B``."""
    from unfool.victims._ensemble import Ensemble

    prefix, _, members = name.partition(":")
    names = [member for member in members.split("+") if member]
    if len(names) < 2:
        raise UserError(f"{name!r} names {len(names)} victim(s); an ensemble is written ensemble:A+B")
    victims = [open_victim(member, options) for member in names]
    return Ensemble(victims, "logits" if prefix == "ensemble-logits" else "log-probabilities")
