"""One request to an endpoint, and what its failure means."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from unfool.errors import UserError
from unfool.victims._pace import Pace
from unfool.victims._plain import plain
from unfool.victims._text_victim import Input
from unfool.victims._token import Token

if TYPE_CHECKING:
    import httpx

LONGEST_REST_S = 60.0
EXCERPT = 100
_ANSWER_KEYS = ("probabilities", "predictions", "labels")


class RequestFailed(Exception):
    """A request that brought no answers.

    Attributes:
        again: Whether the same request may succeed later.
        alone: Whether a text of it may succeed without the others.
    """

    def __init__(self, said: str, *, again: bool = True, alone: bool = True) -> None:
        super().__init__(said)
        self.again, self.alone = again, alone


class Post:
    """Sends texts to one address, from any thread."""

    def __init__(self, url: str, timeout: float, pace: Pace, connections: int, token: Token) -> None:
        if importlib.util.find_spec("httpx") is None:
            raise UserError(f"{url} needs httpx; install unfool[http] to ask an endpoint")
        import httpx

        self.token = token
        self.has_answered = False
        """Whether any text ever got an answer that could be used."""
        self.url, self._pace = _valid_url(url), pace
        self._client = httpx.Client(
            timeout=timeout,
            limits=httpx.Limits(max_connections=connections),
            headers={"Content-Type": "application/json", **token.headers()},
        )
        # Connections stay open for the next request, so that somebody must close them.
        weakref.finalize(self, self._client.close)

    def ask(self, inputs: Sequence[Input], stop: threading.Event) -> list[Any]:
        """Return one JSON value a text, or raise `RequestFailed`; a `UserError` where no request can succeed."""
        self._pace.wait(stop)
        # Escaped to ASCII, so that a text with half a surrogate pair can be sent like any other.
        response = self._send(json.dumps({"texts": plain(inputs)}).encode("ascii"))
        self._require_success(response)
        try:
            payload = response.json()
        except (ValueError, RecursionError):
            raise RequestFailed(f"answered what is not JSON: {self._excerpt(response)}") from None
        if isinstance(payload, dict):
            payload = next((payload[key] for key in _ANSWER_KEYS if key in payload), None)
        if not isinstance(payload, list) or len(payload) != len(inputs):
            raise RequestFailed(
                f"answered {self._excerpt(response)} for {len(inputs)} texts; "
                'expected {"probabilities": [[…], …]}, {"labels": […]} or [[{"label": …, "score": …}, …], …] '
                "with one item a text"
            )
        return payload

    def _send(self, body: bytes) -> httpx.Response:
        import httpx

        try:
            return self._client.post(self.url, content=body)
        except httpx.HTTPError as error:
            said = self.token.hide(f"{type(error).__name__}: {error}")
            reached = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        raise RequestFailed(f"did not answer ({said})", alone=reached)

    def _require_success(self, response: httpx.Response) -> None:
        status = response.status_code
        if response.is_success:
            return
        if status in (401, 403):
            state = (
                "the token in the variable {} is not accepted" if self.token else "set the variable {} to a token"
            )
            raise UserError(f"{self.url} answered HTTP {status}: {state.format(self.token.variable)}")
        self._pace.hold(_asked_rest(response.headers.get("Retry-After", "")))
        raise RequestFailed(
            f"answered HTTP {status}: {self._excerpt(response)}",
            again=status in (408, 429) or status >= 500,
            alone=status != 429,
        )

    def _excerpt(self, response: httpx.Response) -> str:
        return " ".join(self.token.hide(response.text).split())[:EXCERPT] or "nothing"


def _asked_rest(retry_after: str) -> float:
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
