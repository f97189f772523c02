"""What its owner says of a net of PyTorch: the net, its tokenizer, its embedding."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unfool.errors import UserError, did_you_mean
from unfool.victims.tokens import SpanEncoder, SpansOfTokenizer, TokenizerEncoder

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True)
class TorchModel:
    """What ``torch:MODULE:FACTORY`` wants to know of a net; the factory returns one.

    The net is called with the numbers of tokens, ``[texts, tokens]``, and, if it takes a second argument (mask
    or attention_mask), with a mask that is true where a token stands; one without gets texts of one length
    together. It returns raw outputs, ``[texts, classes]``; a single one is the logit of the second of two labels.
    """

    net: torch.nn.Module
    tokenizer: Any
    """A function from a string to its tokens, ``(number, start, end)`` each: the token, and where in the string it
    was read. A token that stands for nothing in the text, such as a closing one, starts where it ends. A tokenizer
    of transformers or tokenizers will do as well."""
    embedding: str
    """The name of the layer that turns numbers into vectors, such as ``"embedding"`` or ``"encoder.words"``. The
    net calls it once, with the numbers as it got them."""
    labels: Sequence[str]
    words: Sequence[str] = ()
    """The words it knows; needed where the tokenizer is a function, which does not tell them."""
    longest: int = 512
    """How many tokens of a text are read."""
    pad: int = 0
    """The token that fills short texts."""


def embedding_of(name: str, model: TorchModel) -> Any:
    """Return the layer that is named as the embedding."""
    import torch

    parts = dict(model.net.named_modules())
    tables = [place for place, part in parts.items() if isinstance(part, torch.nn.Embedding)]
    if model.embedding not in tables:
        raise UserError(f"{name} has no embedding {model.embedding!r}{did_you_mean(model.embedding, tables)}")
    return parts[model.embedding]


def takes_mask(name: str, net: Any) -> bool:
    """Say whether a net is called with a mask."""
    parameters = [
        each
        for each in inspect.signature(net.forward).parameters.values()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    second = parameters[1] if len(parameters) > 1 else None
    if second is None or "mask" in second.name:
        return second is not None
    if second.default is second.empty:
        raise UserError(f"the net of {name} also wants {second.name!r}; it takes numbers of tokens, and a mask")
    return False


def encoder_of(name: str, model: TorchModel) -> SpanEncoder | TokenizerEncoder:
    """Return the tokenizer in the form that a victim reads texts by."""
    given = model.tokenizer
    if hasattr(given, "backend_tokenizer"):
        return TokenizerEncoder(given, model.longest)
    if hasattr(given, "encode_batch"):
        given = SpansOfTokenizer(given)
    if not callable(given):
        raise UserError(
            f"the tokenizer of {name} is a {type(given).__name__}; give a function from a text to tokens"
        )
    words = model.words or getattr(given, "words", ())
    if not words:
        raise UserError(f"the tokenizer of {name} is a function, which tells no words; give TorchModel(words=…)")
    return SpanEncoder(given, words, model.longest)
