"""A Hugging Face tokenizer as an `Encoder`: what it adds around a text, and whether it can be spliced."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from unfool.text import Text
from unfool.victims.tokens._unit_store import Whole

_BREAKS_AT_SPACES = {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}
_PROBES = (
    "a fine film , isn't it ?",
    "The 3 rd-rate (plot) is so-so .",
    "x",
    "naïve Ärger 42 % off",
    "[UNK] <unk> it",
)


class TokenizerEncoder:
    """Wraps a tokenizer; splices only where its own description and a probe both say that it may."""

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        self._tokenizer, self.max_length = tokenizer, max_length
        self._has_types = "token_type_ids" in tokenizer.model_input_names
        self.prefix: tuple[int, ...] = ()
        self.middle: tuple[int, ...] = ()
        self.suffix: tuple[int, ...] = ()
        self._learn_specials()
        kinds = self._pre_tokenizers()
        self.lead = "" if kinds and kinds <= _BREAKS_AT_SPACES | {"Punctuation"} else " "
        self.splices = bool(kinds) and self._added_tokens_stay_apart() and self._probe()

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Whole words that are tokens: no specials, no pieces that only continue a word."""
        by_id = sorted((number, token) for token, number in self._tokenizer.get_vocab().items())
        marked = sum(token.startswith(("Ġ", "▁")) for _, token in by_id) > len(by_id) // 10
        specials = set(self._tokenizer.all_special_tokens)
        words = (token for _, token in by_id if token not in specials and not token.startswith(("##", "[unused")))
        if marked:
            starts = (word for word in words if word.startswith(("Ġ", "▁")) and len(word) > 1)
            words = (self._tokenizer.convert_tokens_to_string([w]).replace("▁", " ").strip() for w in starts)
        return tuple(word for word in words if word)

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, each by itself, no special tokens."""
        if self._tokenizer.is_fast:
            # The wrapper around it takes ten times as long as the tokenizer itself.
            backend = self._tokenizer.backend_tokenizer
            backend.no_truncation()
            backend.no_padding()
            return [encoding.ids for encoding in backend.encode_batch_fast(list(chunks), add_special_tokens=False)]
        encoded: list[list[int]] = self._tokenizer(list(chunks), add_special_tokens=False, verbose=False)[
            "input_ids"
        ]
        return encoded

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts as the tokenizer does it, cut to the longest length, without the closing tokens."""
        if len({len(strings) for strings in inputs}) != 1:
            return [self.whole([strings])[0] for strings in inputs]
        columns = [list(column) for column in zip(*inputs, strict=True)]
        encoding = self._encode(*columns)
        return [self._without_suffix(encoding, number, len(columns)) for number in range(len(inputs))]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""
        encoding = self._encode(*([string] for string in text.strings), return_offsets_mapping=True)
        whole = self._without_suffix(encoding, 0, len(text.strings))
        words = []
        for (start, end), field in zip(encoding["offset_mapping"][0], encoding.sequence_ids(0), strict=True):
            words.append(text.word_at(field, start, end) if field is not None and end > start else -1)
        return whole, words

    def _without_suffix(self, encoding: Any, number: int, fields: int) -> Whole:
        ids = encoding["input_ids"][number]
        end = len(ids) - len(self.suffix)
        second = None
        if fields > 1:
            if self._tokenizer.is_fast:
                owners = encoding.sequence_ids(number)
                second = owners.index(1) if 1 in owners else end
            elif self._has_types:
                second = encoding["token_type_ids"][number].index(1)
        return Whole(ids[:end], second)

    def _encode(self, *columns: list[str], **more: bool) -> Any:
        return self._tokenizer(
            *columns,
            truncation=True,
            max_length=self.max_length,
            verbose=False,
            return_attention_mask=False,
            **more,
        )

    def _learn_specials(self) -> None:
        """Find what the tokenizer puts before, between and after texts by encoding the letter a."""
        (content,) = self.pieces(["a"])
        (alone,) = self._encode(["a"])["input_ids"]
        start = next(i for i in range(len(alone)) if alone[i : i + len(content)] == content)
        self.prefix, self.suffix = tuple(alone[:start]), tuple(alone[start + len(content) :])
        (both,) = self._encode(["a"], ["a"])["input_ids"]
        self.middle = tuple(both[start + len(content) : len(both) - len(content) - len(self.suffix)])

    def _pre_tokenizers(self) -> set[str]:
        """Return the kinds of pre-tokenizer that break at spaces; empty if none does or none is known."""
        if not self._tokenizer.is_fast or self._tokenizer.truncation_side != "right":
            return set()
        described = json.loads(self._tokenizer.backend_tokenizer.to_str())["pre_tokenizer"] or {}
        parts = described.get("pretokenizers", [described])
        breaking = {
            part["type"]
            for part in parts
            if part.get("type") in _BREAKS_AT_SPACES
            or (part.get("type") == "ByteLevel" and part.get("use_regex", True))
            or (part.get("type") == "Metaspace" and part.get("split", True))
            or (part.get("type") == "Split" and "Regex" in part.get("pattern", {}))
        }
        return breaking and {part["type"] for part in parts}

    def _added_tokens_stay_apart(self) -> bool:
        """Whether no added token reaches over the space after it or holds one inside."""
        added = self._tokenizer.added_tokens_decoder.values()
        return not any(token.rstrip or any(map(str.isspace, token.content)) for token in added)

    def _probe(self) -> bool:
        for probe in _PROBES:
            first, *rest = probe.split(" ")
            spliced = [i for ids in self.pieces([first, *(self.lead + chunk for chunk in rest)]) for i in ids]
            cut = [*self.prefix, *spliced][: self.max_length - len(self.suffix)]
            if cut != self.whole([(probe,)])[0].tokens:
                return False
        (content,) = self.pieces(["a"])
        return self.whole([("a", "a")])[0].tokens == [*self.prefix, *content, *self.middle, *content]
