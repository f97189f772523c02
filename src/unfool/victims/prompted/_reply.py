"""What servers that speak OpenAI's form answer, each in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from unfool.victims.prompted._mass import Position

_CLOSE = 1e-3
"""Log-probabilities of one token may be rounded apart."""


class Reply(NamedTuple):
    """A server's answer to one prompt."""

    text: str
    thoughts: str
    """What it reasoned, where the server keeps that apart."""
    refusal: str
    """Why it does not answer, where the server says so apart."""
    positions: tuple[Position, ...]
    """Log-probabilities token by token; empty where there are none."""
    ended: str
    """Why it stopped."""
    read: int | None
    """Tokens of the prompt; None if the server does not count."""
    written: int | None


def read_reply(answer: Any) -> Reply | None:
    """Read ``/chat/completions`` of OpenAI, vLLM, llama.cpp and Ollama; None if it is nothing of the kind."""
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content")
        counted = answer.get("usage") or {}
        if not (text is None or isinstance(text, str)):
            return None
        return Reply(
            text=text or "",
            thoughts=str(message.get("reasoning_content") or message.get("reasoning") or ""),
            refusal=str(message.get("refusal") or ""),
            positions=_positions(choice.get("logprobs")),
            ended=str(choice.get("finish_reason") or ""),
            read=_count(counted.get("prompt_tokens")),
            written=_count(counted.get("completion_tokens")),
        )
    except (KeyError, IndexError, TypeError, AttributeError):
        return None


def _positions(logprobs: Any) -> tuple[Position, ...]:
    told = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    return tuple(_position(each) for each in told or ())


def _position(each: Mapping[str, Any]) -> Position:
    told: dict[str, float] = {}
    likeliest = list(each.get("top_logprobs") or ())
    # Some servers leave the written token out of the likeliest ones, others tell it in both places.
    if not any(_same(one, each) for one in likeliest):
        likeliest.append(each)
    for one in likeliest:
        if one.get("logprob") is not None:
            # Tokens of other bytes may be written alike, such as a half of a letter.
            token, logprob = str(one["token"]), float(one["logprob"])
            told[token] = float(np.logaddexp(told.get(token, -np.inf), logprob))
    return Position(str(each["token"]), told)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if any(one.get(name) != other.get(name) for name in ("token", "bytes", "id")):
        return False
    return bool(np.isclose(one.get("logprob") or 0.0, other.get("logprob") or 0.0, atol=_CLOSE))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
