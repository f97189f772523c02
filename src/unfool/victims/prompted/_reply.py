"""What servers that speak OpenAI's form answer, each in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from unfool.victims.prompted._mass import Position


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
    # Some servers leave the written token out of the likeliest ones, others tell it in both places.
    entries = [*(each.get("top_logprobs") or ()), each]
    told = {str(one["token"]): float(one["logprob"]) for one in entries if one.get("logprob") is not None}
    return Position(str(each["token"]), told)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
