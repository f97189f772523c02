"""Language models as victims by name: ``chat:http://…#model=…`` and ``hf-causal:FOLDER``."""

from __future__ import annotations

import typing
from typing import Any, NamedTuple
from urllib.parse import unquote

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.options import Options
from unfool.settings import read_values, split_settings
from unfool.victims._answer_forms import read_labels
from unfool.victims._kinds import victim_kind
from unfool.victims._wrapped import thresholded
from unfool.victims.endpoint import check_token_variable
from unfool.victims.prompted._calibrated import Calibrated

_DECISION = {"calibrated": bool, "threshold": float, "positive": unquote}


@victim_kind("chat:http://…/v1#model=NAME,labels=A|B,…")
def chat(name: str, options: Options) -> Predictor:
    """A language model behind an OpenAI-compatible address."""
    from unfool.victims.prompted._account import Price
    from unfool.victims.prompted.chat import ChatSettings, open_chat

    url, settings = _read(name, ChatSettings, {"price": Price.parse}, options)
    if "model" not in settings:
        raise UserError("a chat: victim needs the model's name; write chat:http://host/v1#model=NAME,labels=A|B")
    check_token_variable(settings)
    limits = [f"{key}={settings[key]}" for key in ("rate", "concurrency") if settings.get(key)]
    if options.max_cost is not None:
        limits.append("--max-cost")
    if options.processes > 1 and limits:
        raise UserError(
            f"each of {options.processes} workers would keep {' and '.join(limits)} by itself, and all together "
            "exceed it; give --workers 1, or leave these limits out"
        )
    decision = _Decision.of(settings)
    if decision.calibrated and settings.get("answers", "logprobs") != "logprobs":
        raise UserError("calibrated=true needs probabilities; leave it out, or answers=… out")
    return decision.around(open_chat(url, ChatSettings(**settings), options.max_cost))


@victim_kind("hf-causal:FOLDER#labels=A|B,…")
def hf_causal(name: str, options: Options) -> Predictor:
    """A causal language model with a prompt, in this process."""
    from unfool.victims.prompted.causal import Causal, CausalSettings

    if options.dtype == "bf16":
        raise UserError("an hf-causal: victim answers in full precision alone; leave --dtype bf16 out")
    path, settings = _read(name, CausalSettings, {}, options)
    decision = _Decision.of(settings)
    return decision.around(
        Causal(path, CausalSettings(**settings), device=options.device, allow_code=options.allow_code)
    )


class _Decision(NamedTuple):
    """What is made of a model's answers."""

    calibrated: bool
    threshold: float | None
    positive: str | None

    @classmethod
    def of(cls, settings: dict[str, Any]) -> _Decision:
        """Take what is made of answers out of the settings."""
        taken = {name: settings.pop(name, None) for name in _DECISION}
        return cls(bool(taken["calibrated"]), taken["threshold"], taken["positive"])

    def around(self, victim: Predictor) -> Predictor:
        """Return the victim, answering so."""
        return thresholded(Calibrated(victim) if self.calibrated else victim, self.threshold, self.positive)


def _read(name: str, kind: type[Any], more: dict[str, Any], options: Options) -> tuple[str, dict[str, Any]]:
    """Return where a model is, and the settings behind the ``#``; labels are those of ``--labels`` if not there."""
    where, _, behind = name.partition(":")[2].partition("#")
    hints = typing.get_type_hints(kind)
    quoted: dict[str, Any] = {key: unquote for key in ("prompt", "keep", "system") if key in hints}
    known: dict[str, Any] = {**hints, "labels": read_labels, **quoted, **_DECISION, **more}
    owner = f"a {name.partition(':')[0]}: victim"
    settings = read_values(owner, known, split_settings(behind, f"#{behind}"))
    if "labels" not in settings:
        if not options.labels:
            raise UserError(f"{owner} needs the labels that it may answer; give --labels A,B or labels=A|B")
        settings["labels"] = tuple(options.labels)
    return where, settings
