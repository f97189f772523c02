"""A language model behind an OpenAI-compatible address as a classifier."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, PendingAnswers
from unfool.errors import UserError, VictimError
from unfool.settings import at_least, written_settings
from unfool.victims._answer_forms import label_names
from unfool.victims._victim import Input, StringRows, TextVictim, Unusable
from unfool.victims.endpoint import Client, Form, Limits
from unfool.victims.prompted._account import Account, Price
from unfool.victims.prompted._faults import excerpt, why_none
from unfool.victims.prompted._mass import label_mass, named_label
from unfool.victims.prompted._prompt import Prompt
from unfool.victims.prompted._reply import Reply, read_reply

_MOST_TOLD = 20
"""OpenAI tells no more tokens a place."""


@dataclass(frozen=True, kw_only=True)
class ChatSettings:
    """How a model is asked, and what its answers must be."""

    model: str
    """The model, as the server calls it."""
    labels: tuple[str, ...]
    """The labels, as the model is to write them."""
    prompt: str | None = None
    """A file with ``{text}`` in it, or a template itself; by default the model is asked which label fits."""
    system: str | None = None
    """A system message that comes before the prompt."""
    answers: Literal["logprobs", "label", "sampled"] = "logprobs"
    """``logprobs``: probabilities by the log-probabilities of tokens. ``label``: the likeliest answer alone.
    ``sampled``: an answer drawn at random; the mean of many is asked for with ``--eot``."""
    least: float = 0.5
    """The least share of its belief that the model must give to the labels; an answer with less is refused."""
    top: int = _MOST_TOLD
    """Tokens a place whose log-probabilities are asked for."""
    tokens: int = 8
    """The most tokens it may write."""
    seed: int = 0
    """Together with a text, decides what is drawn."""
    price: Price | None = None
    """What a million tokens cost, read and written, such as ``0.15/0.6``."""
    keep: str | None = None
    """A file that gets a line of JSON for every answer."""
    timeout: float = 60.0
    """Seconds a request may take."""
    retries: int = 4
    """How often a failed request is repeated."""
    rate: float | None = None
    """Most requests a second, retries included."""
    concurrency: int = 8
    """Most requests at once."""
    token_env: str = "UNFOOL_TOKEN"
    """The environment variable that holds the key."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        at_least(1, top=self.top, tokens=self.tokens)
        if not 0 <= self.least <= 1:
            raise UserError(f"least={self.least:g} is no share of the belief; give a number from 0 to 1")


_SPEED = {"timeout", "retries", "rate", "concurrency", "keep", "price"}
"""Settings that change no answer."""


class Answered(NamedTuple):
    """What came of one text."""

    text: str
    """What the model wrote."""
    mass: tuple[float, ...]
    """The probability of each label; 1 for one where the label alone is asked for."""
    fault: str
    """Why this is no answer; empty if it is one."""

    @property
    def outside(self) -> float:
        """What goes to no label."""
        return max(0.0, 1 - sum(self.mass))


class Chat(TextVictim):
    """A model that is asked with a prompt and answers with a label; one request a text.

    A label's probability is that of all tokens with which an answer may begin to write it, in any case, behind a
    space or a quote; the labels' probabilities are then made to sum to one. What goes to no label is kept with
    every answer, and an answer that leaves them too little is refused, with what came instead.

    Args:
        url: The address up to ``/v1``, before ``/chat/completions``.
        settings: How it is asked.
        max_cost: The most that may be spent; it needs a price.
        account: Where requests are counted, if together with others.
    """

    def __init__(
        self, url: str, settings: ChatSettings, max_cost: float | None = None, account: Account | None = None
    ) -> None:
        self.labels = label_names(url, settings.labels)
        self.settings, self._url = settings, url.rstrip("/")
        self._prompt = Prompt.read(settings.prompt, self.labels)
        self.fingerprint = self._prompt.fingerprint
        self._account = account or Account(settings.price, max_cost)
        self._writing = threading.Lock()
        limits = Limits(settings.timeout, settings.retries, settings.rate, 1, settings.concurrency)
        self._length, self._draws_itself = "max_tokens", False
        form = Form(self._body, (), '{"choices": [{"message": …}]}', whole=True, learn=self._learn)
        self._client = Client(f"{self._url}/chat/completions", form, limits, settings.token_env)

    def __repr__(self) -> str:
        told = {
            each.name: getattr(self.settings, each.name)
            for each in fields(self.settings)
            if each.name not in (*_SPEED, "labels") and getattr(self.settings, each.name) != each.default
        }
        return f"chat:{self._url}#{written_settings({**told, 'labels': '|'.join(self.labels)})}"

    @property
    def account(self) -> str:
        """What asking has cost, and how the belief was spread."""
        return str(self._account)

    def prompt_length(self, strings: Input) -> int:
        """Return how many characters a request about a text sends."""
        return len(self._prompt.of(strings))

    def probabilities(self, inputs: Sequence[Input]) -> list[Floats | VictimError]:
        """Ask about all texts and wait."""
        return self._rows(self._client.start(inputs, self._read).result(), inputs)

    def answers(self, inputs: Sequence[Input]) -> list[Answered | VictimError]:
        """Ask about all texts, wait, and return all that came."""
        return self._client.start(inputs, self._read).result()

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Send requests for some of the rows and return at once."""
        inputs = [rows.inputs[number] for number in chosen.tolist()]
        pending = self._client.start(inputs, self._read)
        return pending.then(lambda found: self.judged(self._rows(found, inputs), inputs))

    def dismiss(self) -> None:
        """Give up all requests under way, so that an interrupted run need not wait for their retries."""
        self._client.dismiss()

    def _body(self, inputs: Sequence[Input]) -> dict[str, Any]:
        (strings,) = inputs
        asked = self.settings
        body: dict[str, Any] = {
            "model": asked.model,
            "messages": [
                *([{"role": "system", "content": asked.system}] if asked.system else ()),
                {"role": "user", "content": self._prompt.of(strings)},
            ],
            self._length: asked.tokens,
        }
        if asked.answers == "sampled":
            body |= {"temperature": 1, "seed": _seed(asked.seed, strings)}
        elif not self._draws_itself:
            body["temperature"] = 0
        if asked.answers == "logprobs":
            body |= {"logprobs": True, "top_logprobs": asked.top}
        return body

    def _learn(self, said: str) -> None:
        """Mend requests by what a server says of them: OpenAI's models that reason want other words."""
        if "'max_completion_tokens'" in said:
            self._length = "max_completion_tokens"
        if "'temperature'" in said and self.settings.answers != "sampled" and not self._draws_itself:
            self._draws_itself = True
            self._account.remark(f"{self.settings.model} takes no temperature, so its answers may be drawn")

    def _read(self, value: Any) -> Answered | VictimError:
        reply = read_reply(value)
        if reply is None:
            return self._client.wrong(value, "a chat completion")
        self._account.pay(self._url, reply.read, reply.written)
        fault = why_none(reply, self._url, self.settings.model, weighed=self.settings.answers == "logprobs")
        if not fault and self.settings.answers == "logprobs":
            return self._weighed(reply)
        label = None if fault else named_label(reply.text, self.labels)
        if label is None:
            unnamed = f"{self.settings.model} answered {excerpt(reply.text)}, which names none of {self._names}"
            return Answered(reply.text, (0.0,) * len(self.labels), fault or unnamed)
        return Answered(reply.text, tuple(float(number == label) for number in range(len(self.labels))), "")

    def _weighed(self, reply: Reply) -> Answered:
        mass = label_mass(reply.positions, self.labels)
        self._account.spread(mass.outside, bool(mass.unseen))
        fault = ""
        if 1 - mass.outside < self.settings.least:
            fault = (
                f"{self.settings.model} gives {1 - mass.outside:.1%} of its belief to {self._names}, less than "
                f"least={self.settings.least:g}: instead came {mass.instead}, in {excerpt(reply.text)}; mend the "
                "prompt, or name the labels as it writes them"
            )
        return Answered(reply.text, mass.labels, fault)

    def _rows(self, found: Sequence[Answered | VictimError], inputs: Sequence[Input]) -> list[Floats | VictimError]:
        if self.settings.keep:
            self._keep(self.settings.keep, found, inputs)
        return [self._row(answer) for answer in found]

    def _row(self, answer: Answered | VictimError) -> Floats | VictimError:
        if isinstance(answer, VictimError):
            return answer
        if answer.fault:
            self._account.refuse()
            return Unusable(answer.fault)
        if not sum(answer.mass):
            self._account.refuse()
            return Unusable(f"{self.settings.model} gives none of its belief to {self._names}")
        row: Floats = np.array(answer.mass, dtype=np.float32) / np.float32(sum(answer.mass))
        return row

    def _keep(self, file: str, found: Sequence[Answered | VictimError], inputs: Sequence[Input]) -> None:
        lines = [
            {"text": strings, "fault": str(answer)}
            if isinstance(answer, VictimError)
            else {
                "text": strings,
                "answer": answer.text,
                "mass": dict(zip(self.labels, answer.mass, strict=True)),
                "outside": answer.outside,
                "fault": answer.fault,
            }
            for strings, answer in zip(inputs, found, strict=True)
        ]
        with self._writing, Path(file).open("a", encoding="utf-8") as target:
            target.writelines(json.dumps(line) + "\n" for line in lines)

    @property
    def _names(self) -> str:
        return ", ".join(self.labels)


class SampledChat(Chat):
    """A model whose answers are drawn: each request brings one label, and texts are judged by other draws."""

    def draw(self, number: int) -> SampledChat:
        """Return the same victim with other draws; draw 0 is its own."""
        seed = zlib.crc32(f"{self.settings.seed} {number}".encode()) if number else self.settings.seed
        return SampledChat(self._url, replace(self.settings, seed=seed), account=self._account)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Ask again about rendered texts, with draws that no search has met."""
        judge = self.draw(-1)
        return Chat.launch(judge, StringRows(inputs), np.arange(len(inputs)))


def open_chat(url: str, settings: ChatSettings, max_cost: float | None = None) -> Chat:
    """Return the victim at an address."""
    kind = SampledChat if settings.answers == "sampled" else Chat
    return kind(url, settings, max_cost)


def _seed(seed: int, strings: Input) -> int:
    drawn = zlib.crc32("\0".join((str(seed), *strings)).encode(errors="surrogatepass"))
    return drawn >> 1  # servers keep seeds in 32 bits with a sign
