"""Pretrains the zoo's small ALBERT with masked language modelling, on one GPU, within a budget of seconds.

First the corpus, where the data sets are at hand (training texts of five sets, a tokenizer learned from them):

    python papers/src/unfool_papers/scripts/pretrain_albert.py corpus carry/albert

Then the encoder, where the GPU is; what it writes goes to ``weights/src/unfool_weights/albert``:

    python papers/src/unfool_papers/scripts/pretrain_albert.py train carry/albert OUT --seconds 120
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

SETS = ("imdb", "ag_news", "sst2", "snli", "rotten_tomatoes")
PARTS_OF_ONE_SOURCE = ("sst2", "rotten_tomatoes")
"""Both are cut from the same reviews: a training phrase of one may stand inside a test sentence of the other."""
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNKNOWN, CLS, SEP, MASK = range(len(SPECIALS))
ENTRIES = 8192
LONGEST = 256
HELD_OUT_EVERY = 100
TOKENS_FILE = "tokens.npz"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")


class Size(NamedTuple):
    """How large the encoder and its batches are."""

    hidden: int
    inner: int
    layers: int
    heads: int
    rows: int


# 3.7 million weights: 7.5 MB in half precision. Its one layer is gone through eight times.
FULL = Size(hidden=512, inner=1408, layers=8, heads=8, rows=256)
TINY = Size(hidden=32, inner=64, layers=2, heads=2, rows=8)

LENGTH = 128
LONG_ROWS_FROM = 0.8
"""The share of the budget after which rows are `LONGEST` tokens: all positions are then known, most steps cheap."""
MASKED_EVERY = 5.3
PEAK_RATE = 7e-4
WARM_UP = 0.06
REPORT_SECONDS = 10.0


def make_corpus(folder: Path) -> None:
    """Write the tokenizer and the texts as one stream of token ids, every hundredth line held out."""
    lines = sorted(set(_training_lines()))
    random.Random(0).shuffle(lines)
    tokenizer = _train_tokenizer(line for line in lines)
    streams: dict[str, list[NDArray[np.uint16]]] = {"train": [], "held_out": []}
    for start in range(0, len(lines), 10_000):
        batch = lines[start : start + 10_000]
        encoded = tokenizer.encode_batch_fast([field for line in batch for field in line], add_special_tokens=False)
        ids = iter(encoding.ids for encoding in encoded)
        for number, line in enumerate(batch, start):
            ended = [token for _ in line for token in (*next(ids), SEP)]
            part = "train" if number % HELD_OUT_EVERY else "held_out"
            streams[part].append(np.array(ended, np.uint16))
    folder.mkdir(parents=True, exist_ok=True)
    joined = {part: np.concatenate(rows) for part, rows in streams.items()}
    np.savez_compressed(folder / TOKENS_FILE, train=joined["train"], held_out=joined["held_out"])
    _save_tokenizer(tokenizer, folder)
    print({part: len(stream) for part, stream in joined.items()}, "tokens of", len(lines), "lines")


def _training_lines() -> Iterator[tuple[str, ...]]:
    """Yield the training texts of all sets, pairs as pairs, without any that is also tested on somewhere."""
    from unfool import data

    tested: set[str] = set()
    shared: list[str] = []
    for name in SETS:
        for split in ("test", "validation"):
            if split == "validation" and name in ("imdb", "ag_news"):
                continue
            texts = [_bare(" ".join(sample.text.strings)) for sample in data.load(name, split=split)]
            tested.update(texts)
            if name in PARTS_OF_ONE_SOURCE:
                shared.extend(texts)
    everything_shared = "\n".join(shared)
    for name in SETS:
        kept = dropped = 0
        for sample in data.load(name, split="train"):
            bare = _bare(" ".join(sample.text.strings))
            if bare in tested or (name in PARTS_OF_ONE_SOURCE and bare in everything_shared):
                dropped += 1
            else:
                kept += 1
                yield sample.text.strings
        print(f"{name}: {kept} texts, {dropped} dropped because they are tested on", flush=True)


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _train_tokenizer(lines: Iterator[tuple[str, ...]]) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    trainer = trainers.WordPieceTrainer(
        vocab_size=ENTRIES, special_tokens=list(SPECIALS), limit_alphabet=200, show_progress=False
    )
    tokenizer.train_from_iterator((" ".join(line) for line in lines), trainer)
    return tokenizer


def _save_tokenizer(tokenizer: Any, folder: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    pad, unknown, cls, sep, mask = SPECIALS
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=LONGEST,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        pad_token=pad,
        unk_token=unknown,
        cls_token=cls,
        sep_token=sep,
        mask_token=mask,
    ).save_pretrained(folder)


def train(carried: Path, out: Path, seconds: float, size: Size, rate: float, seed: int = 0) -> dict[str, Any]:
    """Pretrain for ``seconds`` and write the encoder as a folder in half precision.

    Args:
        carried: What `make_corpus` wrote.
        out: The folder to write.
        seconds: The budget from the first step on; the learning rate follows its elapsed share.
        size: How large the encoder is.
        rate: The highest learning rate.
        seed: Draws the weights, the rows and the masks.
    """
    import torch
    from transformers import AlbertConfig, AlbertForMaskedLM

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(seed)
    stored = np.load(carried / TOKENS_FILE)
    streams = {part: torch.from_numpy(stored[part].astype(np.int32)).to(device) for part in stored.files}
    config = AlbertConfig(
        vocab_size=ENTRIES,
        embedding_size=128,
        hidden_size=size.hidden,
        intermediate_size=size.inner,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        max_position_embeddings=LONGEST,
        hidden_act="gelu",
        pad_token_id=PAD,
        bos_token_id=CLS,
        eos_token_id=SEP,
    )
    model = AlbertForMaskedLM(config).to(device)
    held_out = _held_out(streams["held_out"], size.rows)
    told: dict[str, Any] = {"device": str(device), "seconds": seconds, "rate": rate, "seed": seed}
    told["corpus"] = hashlib.sha256((carried / TOKENS_FILE).read_bytes()).hexdigest()
    told["steps"], told["tokens"] = _steps(model, streams["train"], held_out, seconds, size.rows, rate)
    told["held-out loss"], told["held-out accuracy"] = _measure(model, held_out)
    # No dropout while it is pretrained: it sees each text a few times only. Fine-tuning has less text.
    model.config.hidden_dropout_prob = model.config.attention_probs_dropout_prob = 0.1
    model.half().cpu().save_pretrained(out)
    for name in TOKENIZER_FILES:
        shutil.copyfile(carried / name, out / name)
    (out / "pretraining.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(told), "bytes:", sum(file.stat().st_size for file in out.iterdir()), flush=True)
    return told


class Masked(NamedTuple):
    """Rows of tokens, some of them hidden: which, and what stood there."""

    ids: torch.Tensor
    places: torch.Tensor
    answers: torch.Tensor


def _masked(rows: torch.Tensor, generator: torch.Generator | None = None) -> Masked:
    """Put a mark before each row and hide the same number of its tokens, as BERT does: 8 of 10 behind [MASK]."""
    import torch

    def draw(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, device=rows.device, generator=generator)

    ids = torch.nn.functional.pad(rows.long(), (1, 0), value=CLS)
    chance = draw(*ids.shape).masked_fill(ids < len(SPECIALS), -1.0)
    # The same number in each row, so that no step waits for the device to count.
    places = chance.topk(round(ids.shape[1] / MASKED_EVERY), dim=1).indices
    answers = ids.gather(1, places)
    dice, other = draw(*places.shape), (draw(*places.shape) * (ENTRIES - len(SPECIALS))).long() + len(SPECIALS)
    shown = torch.where(dice < 0.8, MASK, torch.where(dice < 0.9, other, answers))
    return Masked(ids.scatter(1, places, shown), places, answers)


def _held_out(stream: torch.Tensor, rows: int) -> Masked:
    import torch

    count = min(rows, len(stream) // (LENGTH - 1))
    generator = torch.Generator(stream.device).manual_seed(0)
    return _masked(stream[: count * (LENGTH - 1)].view(count, LENGTH - 1), generator)


def _logits(model: Any, masked: Masked) -> torch.Tensor:
    import torch

    with torch.autocast(masked.ids.device.type, torch.bfloat16, enabled=masked.ids.is_cuda):
        states = model.albert(input_ids=masked.ids).last_hidden_state
        chosen = states.gather(1, masked.places[:, :, None].expand(-1, -1, states.shape[2]))
        answers: torch.Tensor = model.predictions(chosen)
    return answers.float().flatten(0, 1)


def _measure(model: Any, masked: Masked) -> tuple[float, float]:
    import torch

    model.eval()
    with torch.inference_mode():
        logits, answers = _logits(model, masked), masked.answers.flatten()
        loss = float(torch.nn.functional.cross_entropy(logits, answers))
        accuracy = float((logits.argmax(1) == answers).float().mean())
    model.train()
    return round(loss, 4), round(accuracy, 4)


def _steps(
    model: Any, stream: torch.Tensor, held_out: Masked, seconds: float, rows: int, rate: float
) -> tuple[int, int]:
    """Train until the budget is spent; return how many steps and tokens that were."""
    import torch

    matrices = [weight for weight in model.parameters() if weight.ndim > 1]
    rest = [weight for weight in model.parameters() if weight.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)
    model.train()
    started = reported = time.perf_counter()
    steps = tokens = 0
    while (share := (time.perf_counter() - started) / seconds) < 1:
        length = LENGTH if share < LONG_ROWS_FROM else LONGEST
        count = rows * LENGTH // length
        starts = torch.randint(len(stream) - length, (count, 1), device=stream.device)
        masked = _masked(stream[starts + torch.arange(length - 1, device=stream.device)])
        for group in optimizer.param_groups:
            group["lr"] = rate * _rise_and_fall(share)
        loss = torch.nn.functional.cross_entropy(_logits(model, masked), masked.answers.flatten())
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        steps, tokens = steps + 1, tokens + count * length
        if steps % 16 == 0 and stream.is_cuda:
            torch.cuda.synchronize()  # else the clock runs behind the queue, and the budget is overdrawn
        if time.perf_counter() - reported > REPORT_SECONDS:
            reported = time.perf_counter()
            held = "held-out loss {:.3f}, accuracy {:.3f}".format(*_measure(model, held_out))
            speed = tokens / (reported - started)
            print(f"{share:.0%}: step {steps}, {speed:,.0f} tokens/s, loss {loss.item():.3f}, {held}", flush=True)
    return steps, tokens


def _rise_and_fall(share: float) -> float:
    return share / WARM_UP if share < WARM_UP else (1 + math.cos(math.pi * (share - WARM_UP) / (1 - WARM_UP))) / 2


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    corpus = what.add_parser("corpus", help="write the tokenizer and the token ids")
    training = what.add_parser("train", help="pretrain the encoder")
    for command in (corpus, training):
        command.add_argument("carried", type=Path, help="the folder with the corpus")
    training.add_argument("out", type=Path, help="the folder for the encoder")
    training.add_argument("--seconds", type=float, default=120.0, help="the budget of training")
    training.add_argument("--rate", type=float, default=PEAK_RATE, help="the highest learning rate")
    training.add_argument("--tiny", action="store_true", help="a very small encoder, to try the script on a CPU")
    given = parser.parse_args()
    if given.what == "corpus":
        make_corpus(given.carried)
    else:
        train(given.carried, given.out, given.seconds, TINY if given.tiny else FULL, given.rate)


if __name__ == "__main__":
    main()
