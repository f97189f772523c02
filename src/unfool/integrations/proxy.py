"""An OpenAI-shaped proxy: what users say is changed by an attack on its way to a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from unfool.app import LOCAL
from unfool.errors import UserError, in_one_line
from unfool.integrations import changed

_STAY_HERE = {
    "connection", "content-length", "host", "keep-alive", "proxy-authenticate", "proxy-authorization", "te",
    "trailer", "transfer-encoding", "upgrade",
}  # fmt: skip
"""Headers of one connection alone."""
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]
_REMEMBERED = 4096


@dataclass(frozen=True)
class ProxySettings:
    """Where requests go, and how they are changed."""

    to: str
    """The address up to ``/v1``."""
    attack: str = "charmer"
    seed: int = 0
    max_words: float = 0.5
    """The largest share of a text's words that changes."""
    keep: Path | None = None
    """A file that gets a line of JSON for every text that was changed."""
    timeout: float = 600.0
    """Seconds that the model may be silent."""

    def __post_init__(self) -> None:
        """Refuse what is no address, and an attack that does not work here."""
        parts = urlsplit(self.to)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UserError(f"--to {self.to} is no address; write such as http://127.0.0.1:8080/v1")
        changed("a first text", attack=self.attack, seed=self.seed, max_words=self.max_words)


def proxy_app(settings: ProxySettings) -> FastAPI:
    """Return the app: every request goes on as it came, but for what users say in it."""
    client = httpx.AsyncClient(timeout=settings.timeout, follow_redirects=False, trust_env=False)
    base = urlsplit(settings.to).path.rstrip("/")
    host = settings.to.rstrip("/").removesuffix(base)

    @asynccontextmanager
    async def open_as_long(_: FastAPI) -> AsyncIterator[None]:
        async with client:
            yield

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=open_as_long)

    @lru_cache(maxsize=_REMEMBERED)
    def change(text: str) -> str:
        return changed(text, attack=settings.attack, seed=settings.seed, max_words=settings.max_words)

    def kept(text: str) -> str:
        after = change(text)
        if settings.keep:
            with settings.keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"before": text, "after": after}) + "\n")
        return after

    @app.api_route("/{path:path}", methods=_METHODS)
    async def pass_on(path: str, request: Request) -> Response:
        if request.url.hostname not in LOCAL or "origin" in request.headers:
            return _refusal(403, "this proxy is for programs on its own machine, not for pages in a browser")
        body = await request.body()
        if request.method == "POST":
            body = await asyncio.to_thread(_changed_body, body, kept)
        where = path if path.startswith("/") else f"/{path}"
        query = f"?{request.url.query}" if request.url.query else ""
        target = f"{host}{where if where.startswith(f'{base}/') else f'{base}{where}'}{query}"
        asked = client.build_request(request.method, target, headers=_passing(request.headers), content=body)
        try:
            answer = await client.send(asked, stream=True)
        except httpx.HTTPError as error:
            return _refusal(502, f"{settings.to} did not answer: {in_one_line(error)}")
        return StreamingResponse(_pieces(answer), answer.status_code, _passing(answer.headers))

    return app


async def _pieces(answer: httpx.Response) -> AsyncIterator[bytes]:
    """Hand on an answer as it comes, packed as it is."""
    try:
        async for piece in answer.aiter_raw():
            yield piece
    finally:
        await answer.aclose()


def _changed_body(body: bytes, change: Any) -> bytes:
    """Return a request with what users say in it changed; what is no such request stays as it is."""
    try:
        asked = json.loads(body)
    except ValueError:
        return body
    if not isinstance(asked, dict):
        return body
    for holder, key in _texts(asked):
        holder[key] = change(holder[key]) if holder[key].strip() else holder[key]
    return json.dumps(asked).encode()


def _texts(asked: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield where a request holds what users say: chats, completions, responses, and moderations."""
    for name in ("prompt", "input"):
        if isinstance(asked.get(name), str):
            yield asked, name
    for name in ("messages", "input", "prompt"):
        several = asked.get(name)
        for number, each in enumerate(several if isinstance(several, list) else ()):
            if isinstance(each, str):
                yield several, number
            elif isinstance(each, dict) and each.get("role") == "user":
                yield from _texts_of(each)


def _texts_of(message: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        yield message, "content"
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part, "text"


def _passing(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _STAY_HERE}


def _refusal(status: int, why: str) -> Response:
    return JSONResponse({"error": {"message": why, "type": "unfool_proxy"}}, status)
