"""Kinds of victim: what stands before the colon of a victim's name, and the function that opens it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar, Literal

from unfool.devices import check_device
from unfool.engine import Predictor
from unfool.errors import UserError, did_you_mean
from unfool.options import Options, read_dtype
from unfool.registry import Named, Registry
from unfool.settings import split_settings
from unfool.victims._wrapped import VictimName, thresholded


@dataclass(frozen=True, kw_only=True, repr=False)
class VictimKind(Named):
    """A prefix and the function that opens such a victim; called with a whole name it opens one."""

    KIND: ClassVar[str] = "kind of victim"

    form: str = ""
    """How such a name is written."""
    settings_class: type[Any] | None = None
    """A dataclass whose fields are the settings; if None, they are the function's keyword-only arguments."""

    def __call__(self, name: str, options: Options) -> Predictor:
        """Open a victim by its whole name; settings stand in brackets: ``five[std=0.5]:…``.

        Raises:
            UserError: The name cannot be read, or the victim cannot be opened.
        """
        head = name.partition(":")[0]
        prefix, bracket, tail = head.partition("[")
        if bracket and not self.defaults():
            raise UserError(f"a victim of the kind {prefix} takes no settings, as in {head!r}; write {self.form}")
        if bracket and not tail.endswith("]"):
            raise UserError(
                f"cannot read {head!r} in {name!r}; settings are written {prefix}[key=value,key=value]:VICTIM"
            )
        settings = self.with_settings(**split_settings(tail.removesuffix("]"), name)).settings
        opened: Predictor = self.function(name, options, **settings)
        return opened

    @property
    def _takes_settings(self) -> Callable[..., Any]:
        return self.settings_class or self.function


def victim_kind(
    form: str, *, settings: type[Any] | None = None
) -> Callable[[Callable[..., Predictor]], VictimKind]:
    """Make a kind of victim of a function of a whole name and `Options`; its keyword-only arguments are settings.

    Args:
        form: How such a name is written, such as ``shout:VICTIM``.
        settings: A dataclass of the settings, if the function takes them as ``**settings``.
    """

    def register(function: Callable[..., Predictor]) -> VictimKind:
        name = function.__name__.replace("_", "-")
        return VictimKind(name=name, function=function, form=form, settings_class=settings)

    return register


VICTIM_KINDS = Registry("unfool.victims", VictimKind)
"""Every kind of victim by its prefix."""
_NEEDS_A_FUNCTION = (".pt", ".pth", ".gguf", ".h5", ".keras", ".tflite")
_KIND_BY_ENDING = {".skops": "skops", ".joblib": "joblib", ".pkl": "joblib", ".pickle": "joblib", ".onnx": "onnx"}


def open_victim(name: str, options: Options | None = None) -> Predictor:
    """Open a victim by its name, such as ``hf:./model`` or ``py:unfool.victims.vader:probabilities``.

    Raises:
        UserError: An unknown kind, or one that cannot be opened; the message says what to do.
    """
    chosen = options or Options()
    check_device(chosen.device)
    read_dtype(chosen.dtype)
    head, colon, _ = name.partition(":")
    prefix = head.partition("[")[0]
    if not colon and (Path(name).expanduser() / "config.json").is_file():
        return open_victim(f"hf:{name}", chosen)
    kinds = VICTIM_KINDS.names()
    if colon and prefix not in kinds and entry_points(group="unfool.generators", name=prefix):
        raise generates(name)
    if not colon or prefix not in kinds:
        raise UserError(
            f"cannot tell what kind of victim {name!r} is{did_you_mean(prefix, kinds) if colon else _meant(name)}"
        )
    if chosen.max_cost is not None and "chat:" not in name:
        raise UserError(
            f"--max-cost is for chat: victims, whose tokens are counted; {name!r} costs nothing we know"
        )
    return VICTIM_KINDS.find(prefix)(name, chosen)


def generates(name: str) -> UserError:
    """Return the error for a model that generates where a classifier is wanted."""
    return UserError(
        f"{name!r} generates, and here only classifiers make sense; `unfool attack`, `try` and `transfer` take "
        "such a model with a --goal, such as degrade"
    )


def _meant(name: str) -> str:
    """Guess the kind of a bare name, or say how names are written."""
    path = Path(name)
    if path.suffix.lower() in _NEEDS_A_FUNCTION:
        return (
            "; weights alone do not say how a text becomes numbers: write a function that does that and asks the "
            "model, and give py:FILE.py:FUNCTION, or for a net of PyTorch torch:FILE.py:FACTORY"
        )
    kind = _KIND_BY_ENDING.get(path.suffix.lower(), "hf" if len(path.parts) > 1 or path.is_dir() else "")
    if kind:
        return f"; did you mean '{kind}:{name}'?"
    return f"; a victim is written {', '.join(kind.form for kind in VICTIM_KINDS.all().values())}"


@victim_kind("hf:FOLDER or hf:HUB-ID")
def hf(name: str, options: Options) -> Predictor:
    """A Hugging Face sequence classifier."""
    from unfool.victims.huggingface import Transformer

    named = VictimName.read(name, batches=False)
    opened = Transformer(
        named.bare.removeprefix("hf:"),
        device=options.device,
        dtype=options.dtype,
        allow_code=options.allow_code,
        positive=named.positive,
        one_output=named.threshold is not None,
    )
    return opened if opened.asks_about_one and named.threshold is None else named.decided(opened)


@victim_kind("skops:FILE")
def skops(name: str, options: Options) -> Predictor:
    """A scikit-learn pipeline, saved without code."""
    return _pipeline(name, options)


@victim_kind("joblib:FILE or joblib:VECTORIZER+MODEL")
def joblib(name: str, options: Options) -> Predictor:
    """A pickled scikit-learn pipeline (runs code)."""
    return _pipeline(name, options)


@victim_kind("py:MODULE:FUNCTION or py:FILE.py:FUNCTION")
def py(name: str, options: Options) -> Predictor:
    """A Python function from texts to probabilities, or to labels."""
    from unfool.victims._function import callable_victim

    named = VictimName.read(name)
    return named.decided(callable_victim(named.bare, options.labels, batch=named.batch))


@victim_kind("http://… or http://…#rate=5,…")
def http(name: str, options: Options) -> Predictor:
    """An endpoint: JSON in, probabilities or labels out."""
    return _endpoint(name, options)


@victim_kind("https://… or https://…#rate=5,…")
def https(name: str, options: Options) -> Predictor:
    """An endpoint over TLS."""
    return _endpoint(name, options)


@victim_kind("ensemble:A+B")
def ensemble(name: str, options: Options) -> Predictor:
    """Mean log-probabilities of several victims."""
    return _ensemble(name, options, "log-probabilities")


@victim_kind("ensemble-logits:A+B")
def ensemble_logits(name: str, options: Options) -> Predictor:
    """Mean logits of neural victims."""
    return _ensemble(name, options, "logits")


def _pipeline(name: str, options: Options) -> Predictor:
    from unfool.victims._sklearn import pipeline_victim

    named = VictimName.read(name)
    return named.decided(pipeline_victim(named.bare, options.allow_code, batch=named.batch))


def _endpoint(name: str, options: Options) -> Predictor:
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


def _ensemble(name: str, options: Options, mean_of: Literal["logits", "log-probabilities"]) -> Predictor:
    from unfool.victims._ensemble import Ensemble

    names = [member for member in name.partition(":")[2].split("+") if member]
    if len(names) < 2:
        raise UserError(f"{name!r} names {len(names)} victim(s); an ensemble is written ensemble:A+B")
    return Ensemble([open_victim(member, options) for member in names], mean_of)
