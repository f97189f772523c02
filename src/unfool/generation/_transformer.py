"""Any Hugging Face encoder–decoder as a model that generates: Marian, T5, BART, NLLB."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unfool.devices import torch_device
from unfool.errors import UserError, VictimError
from unfool.generation._alone import greedy_alone
from unfool.generation._attention import OutputAttention, told_by_words
from unfool.generation._beams import by_beams
from unfool.generation._decoding import Decoded, forced_score, greedy, mean_states
from unfool.generation._names import name_with
from unfool.generation._output import MOST_TOKENS, Generator, Output, Slope
from unfool.generation._slopes import slopes
from unfool.generation._spans import one_token_words, pieces_in, tokens_within
from unfool.generation._steps import Steps, check_settings
from unfool.settings import defaults
from unfool.victims import fingerprint
from unfool.victims.checkpoints import SEQ2SEQ, load_model

if TYPE_CHECKING:
    import torch


class Seq2Seq(Generator):
    """An encoder–decoder with its tokenizer.

    The model's own settings of generation count (words that may not be said, repetitions, the least length), except
    how it searches: greedily unless ``beams`` says otherwise.

    Args:
        path: A model folder, or a hub id.
        prefix: What every source begins with, such as T5's ``translate English to German: ``.
        source: The source's language as the tokenizer calls it, such as NLLB's ``eng_Latn``.
        target: The output's language, likewise.
        beams: How many beams; 1 is greedy.
        most: How many tokens an output has at the most, those at its ends included.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search.
        name: The name the model goes by.
        allow_code: Whether code that comes with the model may run.
    """

    def __init__(
        self,
        path: str,
        *,
        prefix: str = "",
        source: str | None = None,
        target: str | None = None,
        beams: int = 1,
        most: int = MOST_TOKENS,
        device: str = "auto",
        dtype: str = "fp32",
        name: str | None = None,
        allow_code: bool = False,
    ) -> None:
        if beams < 1 or most < 1:
            raise UserError(f"hf-seq2seq:{path}: beams={beams},most={most}; give whole numbers from 1")
        told = {"prefix": prefix, "source": source, "target": target, "beams": beams, "most": most}
        self._name = name or name_with(f"hf-seq2seq:{path}", defaults(Seq2Seq), told)
        model, self.tokenizer = load_model(path, SEQ2SEQ, allow_code=allow_code)
        folder = Path(path).expanduser()
        self.fingerprint = fingerprint(folder) if folder.is_dir() else None
        self.device = torch_device(device)
        places = getattr(model.config, "max_position_embeddings", None)
        self._longest = int(min(places or 512, 1024))
        self._prefix, self._beams, self._most = prefix, beams, min(most, places or most)
        if source is not None:
            self._read_as(source)
        settings = model.generation_config
        check_settings(path, settings)
        forced = self._language_token(target, model)
        # What is forced counts as what is said does, so that the limit is that of `generate`.
        self._said = max(1, self._most - len(forced) - (settings.forced_eos_token_id is not None))
        full = model.to(self.device).eval()
        self.approximate = dtype == "bf16"
        self._full = Steps(full, forced)
        self._search = Steps(copy.deepcopy(full).bfloat16(), forced) if self.approximate else self._full

    @property
    def module(self) -> Any:
        """The network."""
        return self._full.module

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Decode in full batches."""
        return [self._output(decoded) for decoded in self._decoded(self._search, self._encoded(sources))]

    def generate_exactly(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Decode each alone, at full precision."""
        read = self._encoded(sources)
        if self._beams == 1:
            return [self._output(decoded) for decoded in greedy_alone(self._full, read, self._said, self._search)]
        return [self._output(decoded) for decoded in self._decoded(self._full, read)]

    def generate_weighing(
        self, sources: Sequence[str], words: Sequence[str]
    ) -> tuple[list[Output | VictimError], list[list[float]]]:
        """Decode, and say how near the output came to words."""
        firsts = [self._first_token(word) for word in words]
        found = self._decoded(self._search, self._encoded(sources), firsts)
        return [self._output(decoded) for decoded in found], [decoded.weights for decoded in found]

    def force(self, sources: Sequence[str], outputs: Sequence[str]) -> list[float]:
        """Return the log-probability of given outputs."""
        wanted = self.tokenizer(text_target=list(outputs), add_special_tokens=False)["input_ids"] if outputs else []
        return forced_score(self._full, self._encoded(sources), wanted)

    def generate_blanked(
        self, source: str, spans: Sequence[tuple[int, int]], words: Sequence[str] = ()
    ) -> tuple[list[Output | VictimError], list[list[float]]]:
        """Decode one source once for each span of characters, read without it."""
        (ids,), places = self._encoded([source]), self._places(source)
        firsts = [self._first_token(word) for word in words]
        blank = [tokens_within(places, span) for span in spans]
        found = self._decoded(self._search, [ids] * len(spans), firsts, blank)
        return [self._output(decoded) for decoded in found], [decoded.weights for decoded in found]

    def reads_whole(self, source: str) -> bool:
        """Whether a source, its prefix and the tokens at its ends are no longer than the model reads."""
        return len(self.tokenizer(self._prefix + source, verbose=False)["input_ids"]) <= self._longest

    @property
    def table(self) -> torch.Tensor:
        """The vectors of all source tokens."""
        return self._full.table

    def spell_words(self) -> dict[int, str]:
        """Return the words that are one token each, by token."""
        return one_token_words(
            [str(self.tokenizer.decode([number])) for number in range(len(self.table))],
            lambda words: self.tokenizer(words, add_special_tokens=False)["input_ids"],
        )

    def places(self, source: str) -> list[tuple[int, int]]:
        """Return where in a source each of its tokens stands."""
        return self._places(source)

    def slopes(self, sources: Sequence[str], outputs: Sequence[str], words: Sequence[str] = ()) -> list[Slope]:
        """Differentiate how far words are behind, or the log-probability of the outputs."""
        read = self._encoded(sources)
        if words:
            given = [decoded.tokens for decoded in self._decoded(self._full, read)]
        else:
            given = self.tokenizer(text_target=list(outputs), add_special_tokens=False)["input_ids"]
        return slopes(self._full, read, given, [self._first_token(word) for word in words])

    def summarise(self, sources: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean encoder state of each source."""
        return mean_states(self._search, self._encoded(sources))

    def attention(self, source: str) -> OutputAttention:
        """Return the last layer's attention, the mean over its heads, with which a source becomes its output."""
        import torch

        (ids,), places = self._encoded([source]), self._places(source)
        (found,) = self._decoded(self._full, [ids])
        begun = [self._full.start, *self._full.forced]
        # Only where it is computed plainly does a model tell its attention.
        chosen = self.module.config._attn_implementation
        self.module.set_attn_implementation("eager")
        try:
            with torch.inference_mode():
                seen = self.module(
                    input_ids=torch.tensor([ids], device=self.device),
                    decoder_input_ids=torch.tensor([[*begun, *found.tokens]], device=self.device),
                    output_attentions=True,
                )
        finally:
            self.module.set_attn_implementation(chosen)
        # Neither the prefix nor the tokens at the ends belong to a word of the source.
        at_ends = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        read = [number for number, (_, end) in enumerate(places) if end > 0 and ids[number] not in at_ends]
        cross, own = (
            each[-1][0].mean(0).float().cpu().numpy() for each in (seen.cross_attentions, seen.encoder_attentions)
        )
        first, tokens = len(begun) - 1, [ids[number] for number in read]

        def spell(numbers: list[int], of_output: bool) -> str:
            if of_output:
                return self._text([found.tokens[number] for number in numbers])
            return source[max(0, places[read[numbers[0]]][0]) : places[read[numbers[-1]]][1]].strip()

        return told_by_words(
            cross[first : first + len(found.tokens), read],
            own[np.ix_(read, read)],
            self.tokenizer.convert_ids_to_tokens(tokens),
            self.tokenizer.convert_ids_to_tokens(found.tokens),
            spell,
        )

    def tokens(self, sources: Sequence[str]) -> list[list[int]]:
        """Return the tokens of outputs, without those at their ends."""
        return [decoded.tokens for decoded in self._decoded(self._full, self._encoded(sources))]

    def __repr__(self) -> str:
        return self._name

    def _decoded(
        self,
        steps: Steps,
        read: Sequence[list[int]],
        asked: Sequence[int] = (),
        blank: Sequence[Sequence[int]] | None = None,
    ) -> list[Decoded]:
        if self._beams == 1:
            return greedy(steps, read, self._said, asked, blank)
        return [
            by_beams(steps, ids, beams=self._beams, new=self._most, most=self._said, asked=asked, blank=hidden)
            for ids, hidden in zip(read, blank or [()] * len(read), strict=True)
        ]

    def _output(self, decoded: Decoded) -> Output:
        return Output(self._text(decoded.tokens), decoded.log_probability)

    def _text(self, tokens: list[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True)).strip()

    def _encoded(self, sources: Sequence[str]) -> list[list[int]]:
        if not sources:
            return []
        texts = [self._prefix + source for source in sources]
        ids: list[list[int]] = self.tokenizer(texts, truncation=True, max_length=self._longest)["input_ids"]
        return ids

    def _places(self, source: str) -> list[tuple[int, int]]:
        """Return where each token stands in a source."""
        text, shift = self._prefix + source, len(self._prefix)
        if getattr(self.tokenizer, "is_fast", False):
            told = self.tokenizer(text, truncation=True, max_length=self._longest, return_offsets_mapping=True)
            places = told["offset_mapping"]
        else:
            places = pieces_in(text, self.tokenizer.convert_ids_to_tokens(self._encoded([source])[0]))
        return [(start - shift, end - shift) for start, end in places]

    def _first_token(self, word: str) -> int:
        ids = self.tokenizer(text_target=word, add_special_tokens=False)["input_ids"]
        if not ids:
            raise UserError(f"{self!r} cannot write the word {word!r}; give another keyword")
        return int(ids[0])

    def _read_as(self, language: str) -> None:
        """Have sources read in a language."""
        if not hasattr(self.tokenizer, "src_lang"):
            raise UserError(f"{self!r} takes no source language; leave source={language} out")
        self._id_of(language)
        self.tokenizer.src_lang = language

    def _language_token(self, target: str | None, model: Any) -> tuple[int, ...]:
        """Return the token that outputs begin with, if there is one."""
        if target is not None:
            return (self._id_of(target),)
        forced = model.generation_config.forced_bos_token_id
        return () if forced is None else (int(forced),)

    def _id_of(self, language: str) -> int:
        # M2M100 writes the language de as __de__.
        for token in (language, f"__{language}__"):
            number = self.tokenizer.convert_tokens_to_ids(token)
            if number is not None and number != self.tokenizer.unk_token_id:
                return int(number)
        raise UserError(f"{self!r} knows no language {language!r}; give it as its tokenizer does, such as deu_Latn")
