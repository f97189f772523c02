"""One request to an endpoint, and what its failure means."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.errors import UserError, not_installed
from unfool.victims._victim import EMPTY_TEXT, Input
from unfool.victims.endpoint._limits import Pace, Pulse

if TYPE_CHECKING:
    import httpx


HIDDEN = "***"


class Token:
    """A bearer token from the environment; its repr does not show it."""

    def __init__(self, variable: str) -> None:
        self.variable = variable
        self._value = os.environ.get(variable, "").strip()
        if not all("!" <= character <= "~" for character in self._value):
            raise UserError(f"the token in the variable {variable} has characters that no HTTP header may carry")

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Token({self.variable!r})"

    def headers(self, header: str | None = None) -> dict[str, str]:
        """Return the header that carries the token; none if there is no token."""
        if not self:
            return {}
        return {header: self._value} if header else {"Authorization": f"Bearer {self._value}"}

    def into(self, body: dict[str, Any], field: str | None) -> dict[str, Any]:
        """Return the JSON of a request with the token in a field."""
        return {**body, field: self._value} if self and field else body

    def hide(self, text: str) -> str:
        """Blot the token out of what a server or a library says, also where it stands there in quotes."""
        for form in (self._value, repr(self._value)[1:-1], json.dumps(self._value)[1:-1]):
            text = text.replace(form, HIDDEN) if form else text
        return text


LONGEST_REST_S = 60.0
EXCERPT = 100
_LEAST_ROOM, _ROOM_A_TEXT = 4 << 20, 256 << 10


class Form(NamedTuple):
    """How an endpoint is asked about texts, and where its answers stand."""

    body: Callable[[Sequence[Input]], dict[str, Any]]
    """Makes the JSON of a request."""
    keys: tuple[str, ...]
    """The fields of an answer that may hold the list with one item a text; a bare list is taken, too."""
    expected: str
    """What an answer looks like, for a person."""
    whole: bool = False
    """Whether an answer is one item as it is, as of servers that take one text a request."""
    token_field: str | None = None
    """The field of a request that carries the token as well; None if the header alone does."""
    token_header: str | None = None
    """The header that carries the token as it is; None for ``Authorization: Bearer``."""
    learn: Callable[[str], None] | None = None
    """Hears what a server said to a request it refuses (HTTP 400); if the same texts then make another request,
    that is sent at once."""


class _Answer(NamedTuple):
    """What came back."""

    status: int
    retry_after: str
    content: bytes
    is_cut: bool
    """Whether there was more than an answer may have."""

    def __repr__(self) -> str:
        return f"HTTP {self.status}"  # what the server said may hold the token


class RequestFailed(Exception):
    """A request that brought no answers.

    Attributes:
        again: Whether the same request may succeed later.
        alone: Whether a text of it may succeed without the others.
    """

    def __init__(self, said: str, *, again: bool = True, alone: bool = True) -> None:
        super().__init__(said)
        self.again, self.alone = again, alone


class _TimedOut(RequestFailed):
    """A request that was given up."""


class Post:
    """Sends texts to one address, from any thread."""

    def __init__(self, url: str, form: Form, timeout: float, pace: Pace, connections: int, token: Token) -> None:
        if importlib.util.find_spec("httpx") is None:
            raise not_installed(f"{url} is an endpoint, and asking one needs httpx", "http")
        import httpx

        from unfool.victims.endpoint._deadline import Deadline

        self.token, self._form = token, form
        self.url, self._pace = _valid_url(url), pace
        self._timeout, self._pulse = timeout, Pulse(timeout)
        self._known_to_be_answered = self._body([EMPTY_TEXT])
        self._client = httpx.Client(
            timeout=timeout,
            limits=httpx.Limits(max_connections=connections),
            headers={
                "Content-Type": "application/json",
                "Accept-Encoding": "gzip",
                **token.headers(form.token_header),
            },
        )
        self._deadline = Deadline(self._client)
        # Connections stay open for the next request, so that somebody must close them.
        weakref.finalize(self, self._client.close)

    def ask(self, inputs: Sequence[Input], stop: threading.Event) -> list[Any]:
        """Return one JSON value a text, or raise `RequestFailed`; a `UserError` if no request can succeed."""
        self._pace.wait(stop)
        body, began = self._body(inputs), time.monotonic()
        try:
            answer = self._send(body, _room(len(inputs)))
        except _TimedOut as problem:
            self._require_pulse(began, stop)
            raise problem
        if answer.status == 400 and self._form.learn:
            self._form.learn(answer.content.decode("utf-8", "replace"))
            if self._body(inputs) != body:
                return self.ask(inputs, stop)
        self._require_success(answer)
        if answer.is_cut:
            raise RequestFailed(
                f"answered with more than {_room(len(inputs)) >> 20} MB about {len(inputs)} text(s)", again=False
            )
        try:
            payload = json.loads(answer.content)
        except (ValueError, RecursionError):
            raise RequestFailed(f"answered what is not JSON: {self._excerpt(answer)}") from None
        if self._form.whole:
            payload = [payload]
        elif isinstance(payload, dict):
            payload = next((payload[key] for key in self._form.keys if key in payload), None)
        if not isinstance(payload, list) or len(payload) != len(inputs):
            raise RequestFailed(
                f"answered {self._excerpt(answer)} for {len(inputs)} texts; expected {self._form.expected} "
                "with one item a text"
            )
        self._known_to_be_answered = body
        return payload

    def _body(self, inputs: Sequence[Input]) -> bytes:
        # Escaped to ASCII, so that a text with half a surrogate pair can be sent like any other.
        return json.dumps(self.token.into(self._form.body(inputs), self._form.token_field)).encode("ascii")

    def _send(self, body: bytes, room: int) -> _Answer:
        import httpx

        try:
            with (
                self._deadline.within(self._timeout),
                self._client.stream("POST", self.url, content=body) as response,
            ):
                content = _read(response, room)
            self._pulse.answered()
            return _Answer(
                response.status_code, response.headers.get("Retry-After", ""), content[:room], len(content) > room
            )
        except httpx.TimeoutException as error:
            reached = not isinstance(error, httpx.ConnectTimeout)
            raise _TimedOut(f"did not answer within {self._timeout:g} s", alone=reached) from None
        except httpx.HTTPError as error:
            said = self.token.hide(f"{type(error).__name__}: {error}")
            reached = not isinstance(error, httpx.ConnectError)
        raise RequestFailed(f"did not answer ({said})", alone=reached)

    def _require_pulse(self, began: float, stop: threading.Event) -> None:
        def answers() -> bool:
            self._pace.wait(stop)
            try:
                self._send(self._known_to_be_answered, _room(1))
            except _TimedOut:
                return False
            except RequestFailed:
                return True
            return True

        if self._pulse.is_gone(began, answers):
            raise UserError(
                f"{self.url} answers no request within {self._timeout:g} s any more: it hangs or is gone; see to "
                f"it, or give it longer (#timeout={6 * self._timeout:g} behind the address), and go on with "
                "--resume where a run has begun"
            )

    def _require_success(self, answer: _Answer) -> None:
        status = answer.status
        if 200 <= status < 300:
            return
        if status in (401, 403):
            state = (
                "the token in the variable {} is not accepted" if self.token else "set the variable {} to a token"
            )
            raise UserError(f"{self.url} answered HTTP {status}: {state.format(self.token.variable)}")
        self._pace.hold(retry_after_seconds(answer.retry_after))
        raise RequestFailed(
            f"answered HTTP {status}: {self._excerpt(answer)}",
            again=status in (408, 429) or status >= 500,
            alone=status != 429,
        )

    def _excerpt(self, answer: _Answer) -> str:
        said = answer.content.decode("utf-8", "replace")
        return " ".join(self.token.hide(said).split())[:EXCERPT] or "nothing"


def _room(texts: int) -> int:
    """Return how many bytes an answer about so many texts may have."""
    return max(_LEAST_ROOM, texts * _ROOM_A_TEXT)


def _read(response: httpx.Response, room: int) -> bytes:
    """Return the body of an answer, unpacked; of one that is too long, a byte more than there is room for."""
    packing = response.headers.get("Content-Encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip"):
        raise RequestFailed(f"answered packed by {packing}, which was not asked for", again=False)
    content, unpack = bytearray(), zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        for piece in response.iter_raw():
            left = room + 1 - len(content)
            content += piece[:left] if packing == "identity" else unpack.decompress(piece, left)
            if len(content) > room:
                break
    except zlib.error:
        raise RequestFailed(f"answered what is not {packing}") from None
    return bytes(content)


def retry_after_seconds(retry_after: str) -> float:
    """Return the seconds a Retry-After header asks for, a number or a date; no more than a minute."""
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return min(max(seconds, 0.0), LONGEST_REST_S)


def _valid_url(url: str) -> str:
    import httpx

    if re.match(r"\w+://[^/?#]*@", url):  # so that no error and no repr shows it
        raise UserError("an endpoint's address holds a user or a password; put a token in the environment instead")
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise UserError(f"{url!r} is no address: {error}; write http://… or https://…") from None
    if parts.scheme not in ("http", "https") or not parts.host:
        raise UserError(f"{url!r} is no address of an endpoint; write http://… or https://…")
    if parts.fragment:
        raise UserError(
            f"an endpoint does not read what is behind the # of {url!r}; open it by name with open_victim, "
            "or give Endpoint its limits as arguments"
        )
    return url
