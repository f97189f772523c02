"""Tokenizers of every family, small enough to be made in a test."""

from __future__ import annotations

import string
from typing import Any

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

SENTENCES = (
    "a fine film, isn't it?",
    "the plot is so-so and the acting is dull",
    "a lovely film with a great cast",
    "it was the best of times, it was the worst of times",
    "naïve Ärger über 42 % off",
)
WORDS = ("film", "fine", "good", "bad", "great", "awful", "plot", "the", "is", "a", "not", "dull", "lovely")
_CHARACTERS = string.ascii_lowercase + string.digits + string.punctuation + "éß中😀"


def wordpiece(**normalizer: bool) -> Any:
    """BERT's: breaks at spaces and marks, lower-cases, strips accents."""
    pieces = [*_CHARACTERS, *WORDS, *("##" + character for character in _CHARACTERS), "##ing", "##ly"]
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys([*specials, *pieces]))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=20))
    tokenizer.normalizer = normalizers.BertNormalizer(**normalizer)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def byte_bpe(*, prefix_space: bool = False) -> Any:
    """GPT-2's and RoBERTa's: bytes merged inside words that carry the space before them."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES * 4, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=prefix_space)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token=AddedToken("<mask>", lstrip=True, special=True),
    )


def split_bpe() -> Any:
    """Llama's and ModernBERT's: a pattern of its own cuts the text, then bytes are merged."""
    tokenizer = byte_bpe()
    pattern = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer


def unigram(*, collapse: bool = False) -> Any:
    """SentencePiece's: spaces become marks, pieces are the likeliest; optionally runs of spaces are one."""
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    pieces += [(character, -6.0) for character in _CHARACTERS]
    pieces += [("▁" + word, -4.0 - number / 10) for number, word in enumerate(WORDS)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    steps = [normalizers.Nmt(), normalizers.NFKC()]
    if collapse:
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
    )


def triples() -> Any:
    """Cuts a text every three characters, wherever its spaces are: nothing can be spliced."""
    tokenizer = byte_bpe()
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex("...?"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer


def unbroken() -> Any:
    """Merges over the spaces of the whole text."""
    tokenizer = byte_bpe()
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return tokenizer
