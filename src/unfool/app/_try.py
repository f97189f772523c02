"""The page on which visitors fool a model with a text of their own, and watch it."""

# Not with annotations as strings: FastAPI could not read those that name what is local to a function.
import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from unfool.app._pages import MENU, add_parts, page
from unfool.app.trial import LONGEST_SETTING, Event, Queue, Search, Shelf, Wish, attack_forms, read_attack
from unfool.errors import UserError
from unfool.generation import find_goal, told_goals
from unfool.storage import to_json

LONGEST_TEXT, MOST_ATTACKS, MOST_QUERIES = 5000, 4, 20_000
_SCRIPTS = (
    "elements.js",
    "theme.js",
    "diff.js",
    "downloads.js",
    "shades.js",
    "outputs.js",
    "people.js",
    "sample.js",
)
_Setting = Annotated[str, StringConstraints(max_length=LONGEST_SETTING)]
_LAST = ("end", "error")


class Chosen(BaseModel):
    """An attack, and the settings that are not its defaults."""

    model_config = ConfigDict(extra="forbid", strict=True)
    name: str = Field(max_length=100)
    settings: dict[_Setting, _Setting] = Field(default_factory=dict, max_length=30)


class Given(BaseModel):
    """What a visitor asks for."""

    model_config = ConfigDict(extra="forbid", strict=True)
    victim: str = Field(max_length=1000)
    goal: str | None = Field(default=None, max_length=200)
    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    second: str = Field(default="", max_length=LONGEST_TEXT)
    attacks: list[Chosen] = Field(min_length=1, max_length=MOST_ATTACKS)
    queries: int = Field(default=2000, ge=1, le=MOST_QUERIES)


def add_try(app: FastAPI, shelf: Shelf, seconds: float) -> None:
    """Let an app serve the page to try attacks on.

    Args:
        app: The app.
        shelf: The victims that visitors may attack.
        seconds: The longest that one attack may take.
    """
    add_parts(app, "try", _SCRIPTS, ("requests.js", "events.js", "attack-form.js", "search.js", "try.js"))
    queue = Queue(shelf, seconds)

    @app.get("/try")
    def try_page() -> Response:
        return page("try", "try", menu=MENU)

    @app.get("/api/try")
    def choices() -> dict[str, Any]:
        return {
            "classifiers": shelf.classifiers,
            "translators": shelf.translators,
            "attacks": attack_forms(),
            "goals": told_goals(),
            "longest_text": LONGEST_TEXT,
            "most_attacks": MOST_ATTACKS,
            "most_queries": MOST_QUERIES,
            "seconds": seconds,
        }

    @app.post("/api/try")
    async def search(given: Given) -> StreamingResponse:
        wish = read_wish(given, shelf)
        events = asyncio.Queue[Event]()
        loop = asyncio.get_running_loop()
        started = queue.add(wish, lambda event: _hand(loop, events, event))
        return StreamingResponse(_told(started, events), media_type="text/event-stream")


def read_wish(given: Given, shelf: Shelf) -> Wish:
    """Return what a visitor asks for.

    Raises:
        UserError: It may not be had.
    """
    shelf.check(given.victim, generates=given.goal is not None)
    if not given.text.strip():
        raise UserError("the text is empty; give one with words to change")
    return Wish(
        given.victim,
        None if given.goal is None else find_goal(given.goal),
        given.text,
        given.second.strip(),
        [read_attack(chosen.name, chosen.settings) for chosen in given.attacks],
        given.queries,
    )


def _hand(loop: asyncio.AbstractEventLoop, events: asyncio.Queue[Event], event: Event) -> None:
    # A server that ends closes its loop before the last search notices.
    if not loop.is_closed():
        loop.call_soon_threadsafe(events.put_nowait, event)


async def _told(search: Search, events: asyncio.Queue[Event]) -> AsyncIterator[bytes]:
    """Yield events as they come; a visitor who leaves, or closes the page, ends the search."""
    try:
        while True:
            event = await events.get()
            yield b"data: " + to_json(event) + b"\n\n"
            if event["type"] in _LAST:
                return
    finally:
        search.stop()
