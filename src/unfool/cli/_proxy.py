"""``unfool proxy``: what users say is changed on its way to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unfool.cli.options import grouped
from unfool.errors import not_installed


@grouped
def proxy_command(
    *,
    to: Annotated[str, typer.Option(help="The model's address up to /v1.", metavar="URL")],
    attack: Annotated[str, typer.Option(help="NAME or NAME:key=value,…")] = "charmer",
    seed: Annotated[int, typer.Option(help="Decides what is changed.")] = 0,
    max_words: Annotated[
        float, typer.Option(help="The largest share of a text's words that changes.", min=0, max=1)
    ] = 0.5,
    keep: Annotated[
        Path | None, typer.Option(help="A file that gets a line of JSON for every changed text.", readable=False)
    ] = None,
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free.", min=0, max=65535)] = 8100,
) -> None:
    """Serve an OpenAI-shaped address until Ctrl-C that changes what users say and passes it on."""
    try:
        from unfool.app import Place, run
        from unfool.integrations.proxy import ProxySettings, proxy_app
    except ImportError:
        raise not_installed("the proxy is made with FastAPI and httpx", "app,http") from None
    settings = ProxySettings(to=to, attack=attack, seed=seed, max_words=max_words, keep=keep)
    run(proxy_app(settings), Place("127.0.0.1", port), lambda address: print(f"{address}/v1", flush=True))
