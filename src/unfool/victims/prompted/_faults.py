"""Why a model's answer is none, in one line that says what to do."""

from __future__ import annotations

from unfool.victims.prompted._mass import is_cut_short, is_thinking
from unfool.victims.prompted._reply import Reply

_SHOWN = 60
_INSTEAD = "turn its reasoning off at the server, or ask with answers=label,tokens=2000"


def why_none(reply: Reply, url: str, model: str, *, weighed: bool) -> str:
    """Return why a reply has no label to look for; empty if it may have one.

    Args:
        reply: The reply.
        url: Where it comes from.
        model: Whose it is.
        weighed: Whether the log-probabilities of its first tokens are wanted.
    """
    thoughts = reply.thoughts or (reply.text if is_thinking(reply.text) else "")
    if reply.refusal or reply.ended == "content_filter":
        return f"{model} refuses to answer: {excerpt(reply.refusal or 'the server filters the answer')}"
    if weighed and thoughts:
        return f"{model} reasons before it answers, so that no label comes first ({excerpt(thoughts)}); {_INSTEAD}"
    if is_cut_short(reply.text) or (thoughts and not reply.text):
        return f"{model} still reasons when its tokens are used up ({excerpt(thoughts)}); {_INSTEAD}"
    if weighed and not reply.positions:
        return (
            f"{url} gives no log-probabilities for {model} (it answered {excerpt(reply.text)}); ask for the label "
            "alone with answers=label, or for votes with answers=sampled and --eot 8"
        )
    return ""


def excerpt(text: str) -> str:
    """Return the beginning of a text in quotes, in one line."""
    said = " ".join(text.split())
    return repr(said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…")
