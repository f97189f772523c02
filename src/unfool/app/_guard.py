"""What stands before every page: who may ask, how much, from where, and what the browser may do with the answer."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 64 << 10
"""No request has more."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    # An address may hold a personal token.
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_READS = ("GET", "HEAD")


class Guard:
    """Wraps an app. A page of another origin can neither write through a visitor's browser nor read.

    Args:
        app: What answers in the end.
        hosts: The names this server goes by; a request that gives another is refused, as a foreign name that was
            made to lead here would. None takes any, for servers that strangers reach anyway.
        password: What a visitor must give, with any user name.
    """

    def __init__(self, app: App, hosts: Collection[str] | None, password: str | None = None) -> None:
        self._app, self._hosts = app, hosts
        self._password = None if password is None else password.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if refused := self._refusal(scope["method"], headers):
            await _refuse(send, *refused)
            return
        body = await _body(receive) if scope["method"] not in _READS else b""
        if body is None:
            await _refuse(send, 413, f"a request may have {MOST_BYTES} bytes; send less")
            return
        await self._app(scope, _replaying(body, receive), send)

    def _refusal(self, method: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if self._hosts is not None and _name(host) not in self._hosts:
            return 421, "this server goes by another name; use the link you were given"
        if self._password is not None and not secrets.compare_digest(_given(headers), self._password):
            return 401, "this server asks for a password"
        if method in _READS:
            return None
        if method != "POST":
            return 405, "this cannot be done here"
        if not host or headers.get("origin", "").partition("://")[2] != host:
            return 403, "this came from another page; open the link you were given"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "send JSON"
        return None


def _name(host: str) -> str:
    """Return a host without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _given(headers: Mapping[str, str]) -> bytes:
    """Return the password a visitor gives; nothing if there is none."""
    kind, _, encoded = headers.get("authorization", "").partition(" ")
    try:
        return base64.b64decode(encoded, validate=True).partition(b":")[2] if kind.lower() == "basic" else b""
    except ValueError:
        return b""


async def _body(receive: Receive) -> bytes | None:
    """Return what a request holds, or None if that is too much."""
    parts, size = list[bytes](), 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return what hands the body out again, and then tells when the visitor leaves."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            more = [
                (name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in given
            ]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending


async def _refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"error": why}).encode()
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
    if status == 401:
        headers.append((b"www-authenticate", b'Basic realm="unfool", charset="UTF-8"'))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
