"""Guards that are services of others, as functions for profiles: OpenAI's, Azure's, and NVIDIA's microservice."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from unfool.errors import UserError, VictimError, first_line, not_installed

labels = ("passed", "blocked")

_SECONDS = 60
_JUST_BELOW = 0.499


def openai(texts: Sequence[str]) -> list[list[float]]:
    """OpenAI's moderation: how sure it is of the likeliest category, on the side of one half where it flags."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    headers = {"Authorization": f"Bearer {_needed('OPENAI_API_KEY')}"}
    asked = {"model": "omni-moderation-latest", "input": list(texts)}
    answer = _asked(f"{base}/moderations", asked, headers)
    try:
        found = [(bool(each["flagged"]), max(each["category_scores"].values())) for each in answer["results"]]
    except (KeyError, TypeError, AttributeError, ValueError):
        raise _unread("moderation", answer) from None
    return [_row(flagged, float(score)) for flagged, score in found]


def azure(texts: Sequence[str]) -> list[list[float]]:
    """Azure's Prompt Shields: yes or no."""
    base = _needed("AZURE_CONTENT_SAFETY_ENDPOINT").rstrip("/")
    headers = {"Ocp-Apim-Subscription-Key": _needed("AZURE_CONTENT_SAFETY_KEY")}
    address = f"{base}/contentsafety/text:shieldPrompt?api-version=2024-09-01"
    rows = []
    for text in texts:
        answer = _asked(address, {"userPrompt": text, "documents": []}, headers)
        try:
            blocked = bool(answer["userPromptAnalysis"]["attackDetected"])
        except (KeyError, TypeError):
            raise _unread("Prompt Shields", answer) from None
        rows.append([float(not blocked), float(blocked)])
    return rows


def nemoguard(texts: Sequence[str]) -> list[list[float]]:
    """NVIDIA's JailbreakDetect, behind a rail of NeMo Guardrails: a verdict, and how sure it is of it."""
    base = os.environ.get("NEMOGUARD_URL", "http://127.0.0.1:8000").rstrip("/")
    rows = []
    for text in texts:
        answer = _asked(f"{base}/v1/classify", {"input": text}, {})
        try:
            blocked, sure = bool(answer["jailbreak"]), abs(float(answer["score"]))
        except (KeyError, TypeError, ValueError):
            raise _unread("JailbreakDetect", answer) from None
        rows.append(_row(blocked, (1 + sure) / 2 if blocked else (1 - sure) / 2))
    return rows


def _row(blocked: bool, harm: float) -> list[float]:
    """Return probabilities that rise with the harm, from 0 to 1, and are on the verdict's side of one half."""
    p = 0.5 + harm / 2 if blocked else _JUST_BELOW * harm
    return [1 - p, p]


def _asked(address: str, asked: dict[str, Any], headers: dict[str, str]) -> Any:
    try:
        import httpx
    except ImportError:
        raise not_installed("httpx is not installed", "http") from None
    try:
        answer = httpx.post(address, json=asked, headers=headers, timeout=_SECONDS)
        answer.raise_for_status()
        return answer.json()
    except httpx.ConnectError as error:
        raise UserError(f"nobody answers at {address}: {first_line(error)}") from error
    except (httpx.HTTPError, ValueError) as error:
        raise VictimError(f"{address} gave no answer: {first_line(error)}") from error


def _needed(variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise UserError(f"this guard is a service; set the environment variable {variable}")
    return value


def _unread(what: str, answer: Any) -> VictimError:
    return VictimError(f"{what} answered {answer!r:.120}, which is not of its form")
