"""A server that generates: one that speaks our form, LibreTranslate's, or Hugging Face's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from unfool.errors import UserError, VictimError
from unfool.generation._function import as_output
from unfool.generation._names import name_with
from unfool.generation._output import Generator, Output
from unfool.settings import defaults
from unfool.victims import Input
from unfool.victims.endpoint import Client, Form, Limits

FormName = Literal["ours", "libretranslate", "huggingface"]


class GeneratingEndpoint(Generator):
    """A server that answers texts with texts. It is asked, and asked again, as `unfool.victims.Endpoint` is.

    ``ours``: ``{"texts": [...]}`` is answered ``{"outputs": [...]}``, each a string or a string with its
    log-probability; ``source`` and ``target`` are sent along if they are given. ``libretranslate``: as
    LibreTranslate's ``/translate``; the token goes into ``api_key``. ``huggingface``: ``{"inputs": [...]}`` is
    answered ``[{"translation_text": ...}, ...]``.

    Args:
        url: Where to post; http or https.
        form: How the server is asked, and answers.
        source: The source's language, as the server calls it.
        target: The output's language, likewise.
        timeout: Seconds a request may take.
        retries: How often a failed request is repeated.
        rate: Most requests a second, retries included.
        batch: Most texts a request.
        concurrency: Most requests at once.
        token_env: The environment variable that holds a token, if there is one.
    """

    def __init__(
        self,
        url: str,
        *,
        form: FormName = "ours",
        source: str | None = None,
        target: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        rate: float | None = None,
        batch: int = 16,
        concurrency: int = 8,
        token_env: str = "UNFOOL_TOKEN",
    ) -> None:
        if form == "libretranslate" and target is None:
            raise UserError("LibreTranslate's form needs the output's language; add target=de behind the address")
        told = {"form": form, "source": source, "target": target, "token_env": token_env}
        self._name = name_with(url, defaults(GeneratingEndpoint), told)
        limits = Limits(timeout, retries, rate, batch, concurrency)
        self._client = Client(url, _form(form, source, target), limits, token_env)

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Send all requests and wait."""
        return self._client.start([(source,) for source in sources], self._read).result()

    def generate_exactly(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Ask about each text alone, one after the other."""
        return [self._client.answer((source,), self._read) for source in sources]

    def __repr__(self) -> str:
        return self._name

    def _read(self, value: Any) -> Output | VictimError:
        output = as_output(self._client.url, value)
        return self._client.wrong(value, "a string") if isinstance(output, VictimError) else output


def _form(form: FormName, source: str | None, target: str | None) -> Form:
    if form == "libretranslate":
        languages = {"source": source or "auto", "target": target, "format": "text"}
        return Form(
            lambda inputs: {"q": _sources(inputs), **languages},
            ("translatedText",),
            '{"translatedText": ["…", …]}',
            token_field="api_key",
        )
    if form == "huggingface":
        asked = {"src_lang": source, "tgt_lang": target}
        parameters = {key: value for key, value in asked.items() if value is not None}
        told = {"parameters": parameters} if parameters else {}
        return Form(
            lambda inputs: {"inputs": _sources(inputs), **told},
            ("outputs", "predictions"),
            '[{"translation_text": "…"}, …]',
        )
    given = {key: value for key, value in (("source", source), ("target", target)) if value is not None}
    return Form(
        lambda inputs: {"texts": _sources(inputs), **given},
        ("outputs", "translations", "predictions"),
        '{"outputs": ["…", …]}',
    )


def _sources(inputs: Sequence[Input]) -> list[str]:
    return [strings[0] for strings in inputs]
