"""Guards that are services of others, as functions for profiles: OpenAI's, Azure's, and NVIDIA's microservice."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from unfool.errors import Unheard, UserError, VictimError, first_line
from unfool.victims.endpoint import Client, Form, Limits

labels = ("passed", "blocked")

_SECONDS = 60
_JUST_BELOW = 0.499
_OPENAI_KEY, _AZURE_KEY = "OPENAI_API_KEY", "AZURE_CONTENT_SAFETY_KEY"


class _Service(NamedTuple):
    """How a service is asked."""

    name: str
    form: Form
    key: str
    """The environment variable that holds its key."""
    batch: int = 1


_MODERATION = _Service(
    "moderation",
    Form(
        lambda inputs: {"model": "omni-moderation-latest", "input": [text for (text,) in inputs]},
        ("results",),
        '{"results": [...]}',
    ),
    _OPENAI_KEY,
    batch=16,
)
_SHIELDS = _Service(
    "Prompt Shields",
    Form(
        lambda inputs: {"userPrompt": inputs[0][0], "documents": []},
        (),
        '{"userPromptAnalysis": ...}',
        whole=True,
        token_header="Ocp-Apim-Subscription-Key",
    ),
    _AZURE_KEY,
)
_DETECT = _Service(
    "JailbreakDetect",
    Form(lambda inputs: {"input": inputs[0][0]}, (), '{"jailbreak": ...}', whole=True),
    "NEMOGUARD_TOKEN",
)


def openai(texts: Sequence[str]) -> list[list[float]]:
    """OpenAI's moderation: how sure it is of the likeliest category, on the side of one half where it flags."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    _needed(_OPENAI_KEY)

    def read(each: Any) -> list[float]:
        return _row(bool(each["flagged"]), float(max(each["category_scores"].values())))

    return _asked(f"{base}/moderations", _MODERATION, texts, read)


def azure(texts: Sequence[str]) -> list[list[float]]:
    """Azure's Prompt Shields: yes or no."""
    base = _needed("AZURE_CONTENT_SAFETY_ENDPOINT").rstrip("/")
    _needed(_AZURE_KEY)
    address = f"{base}/contentsafety/text:shieldPrompt?api-version=2024-09-01"

    def read(answer: Any) -> list[float]:
        blocked = bool(answer["userPromptAnalysis"]["attackDetected"])
        return [float(not blocked), float(blocked)]

    return _asked(address, _SHIELDS, texts, read)


def nemoguard(texts: Sequence[str]) -> list[list[float]]:
    """NVIDIA's JailbreakDetect, behind a rail of NeMo Guardrails: a verdict, and how sure it is of it."""
    base = os.environ.get("NEMOGUARD_URL", "http://127.0.0.1:8000").rstrip("/")

    def read(answer: Any) -> list[float]:
        blocked, sure = bool(answer["jailbreak"]), abs(float(answer["score"]))
        return _row(blocked, (1 + sure) / 2 if blocked else (1 - sure) / 2)

    return _asked(f"{base}/v1/classify", _DETECT, texts, read)


def _row(blocked: bool, harm: float) -> list[float]:
    """Return probabilities that rise with the harm, from 0 to 1, and are on the verdict's side of one half."""
    p = 0.5 + harm / 2 if blocked else _JUST_BELOW * harm
    return [1 - p, p]


def _asked(
    address: str, service: _Service, texts: Sequence[str], read: Callable[[Any], list[float]]
) -> list[list[float]]:
    """Ask about texts, several at once; what fails is asked again, with the rests that the service asks for."""

    def understood(answer: Any) -> list[float] | VictimError:
        try:
            return read(answer)
        except (KeyError, TypeError, AttributeError, ValueError):
            return VictimError(f"{service.name} answered {answer!r:.120}, which is not of its form")

    rows: list[list[float]] = []
    for answer in _client(address, service).start([(text,) for text in texts], understood).result():
        if isinstance(answer, Unheard):
            raise UserError(f"nobody answers at {address}: {first_line(answer)}")
        if isinstance(answer, VictimError):
            raise answer
        rows.append(answer)
    return rows


@cache
def _client(address: str, service: _Service) -> Client:
    """Return the client of an address, whose connections stay open."""
    return Client(address, service.form, Limits(_SECONDS, batch=service.batch), service.key)


def _needed(variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise UserError(f"this guard is a service; set the environment variable {variable}")
    return value
