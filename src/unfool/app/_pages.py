"""Pages and their parts: a shell of HTML, one style and one script, each from this server alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from fastapi import FastAPI, HTTPException, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse

from unfool.app.trial import Busy
from unfool.errors import UserError
from unfool.rating import NoRoom
from unfool.report import page_parts

MENU = {"/": "Runs", "/try": "Try"}
"""The parts of `unfool app`, by address."""
_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>unfool: {title}</title>
<link rel="stylesheet" href="/{name}.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
  <h1><strong>unfool</strong> {title}</h1>
  <nav id="nav" aria-label="Parts of the page">{menu}</nav>
  <button id="theme" type="button"></button>
</header>
<main id="main" tabindex="-1"></main>
<noscript><p>This page draws itself with JavaScript, which is switched off here.</p></noscript>
<script src="/{name}.js" defer></script>
</body>
</html>
"""


_STATUS = {NoRoom: 507, Busy: 503}


def new_app() -> FastAPI:
    """Return an app without a page, whose errors are one line each."""
    # No pages about the interface: they load scripts from elsewhere.
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.exception_handler(UserError)
    def of_the_user(_: object, error: UserError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, _STATUS.get(type(error), 409))

    @app.exception_handler(HTTPException)
    def refused(_: object, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": error.detail}, error.status_code)

    @app.exception_handler(RequestValidationError)
    def of_the_form(_: object, error: RequestValidationError) -> JSONResponse:
        # What was given is not said again: it may be anything.
        where = ", ".join(sorted({".".join(map(str, each["loc"][1:])) for each in error.errors()}))
        return JSONResponse({"error": f"this cannot be read: {where}"}, 422)

    return app


def page(name: str, title: str, status: int = 200, menu: Mapping[str, str] | None = None) -> HTMLResponse:
    """Return the shell of a page, with links to others: names by address."""
    links = []
    for address, told in (menu or {}).items():
        here = ' aria-current="page"' if told.lower() == title else ""
        links.append(f'<a href="{address}"{here}>{told}</a>')
    return HTMLResponse(_SHELL.format(name=name, title=title, menu="\n  ".join(links)), status)


def add_parts(app: FastAPI, name: str, shared: tuple[str, ...], own: tuple[str, ...]) -> None:
    """Let an app serve the style and the script of a page.

    Args:
        app: The app.
        name: The page's.
        shared: Scripts of the report's page.
        own: The page's own scripts.
    """
    style = page_parts("page.css") + _own("app.css")
    script = '"use strict";\n{\n' + page_parts(*shared) + "\n".join(map(_own, own)) + "\n}\n"

    @app.get(f"/{name}.css")
    def css() -> Response:
        return Response(style, media_type="text/css")

    @app.get(f"/{name}.js")
    def javascript() -> Response:
        return Response(script, media_type="text/javascript")


def _own(name: str) -> str:
    return (files("unfool.app") / "page" / name).read_text(encoding="utf-8")
