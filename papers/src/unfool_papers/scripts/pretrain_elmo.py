"""Pretrain the zoo's small ELMo on the training texts of five data sets.

python -m unfool_papers.scripts.pretrain_elmo corpus ../shared/data carry/elmo/corpus.txt.gz python -m
unfool_papers.scripts.pretrain_elmo train carry/elmo/corpus.txt.gz weights/src/unfool_weights/elmo --seconds 120

The second step wants a GPU. Both directions share one softmax over the commonest words, which is thrown away.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from unfool.zoo.encoders import PAD, START, CharWords, split_words
from unfool.zoo.fronts.elmo import BYTE_ROWS, CLOSE_TEXT, OPEN_TEXT, Elmo, ProjectedLSTM

COLUMNS = {
    "imdb": ("text",),
    "ag_news": ("text",),
    "sst2": ("sentence",),
    "snli": ("premise", "hypothesis"),
    "rotten_tomatoes": ("text",),
}
TWINS = ("sst2", "rotten_tomatoes")
"""Cut from the same reviews: the test sentences of one are among the training sentences of the other."""
RUN = 5
LONGEST, SHORTEST = 62, 20

NOTHING, OPEN, CLOSE, RARE, FIRST_WORD = range(5)
HELD_OUT = 100
HIDDEN, DROPOUT = 0.02, 0.1
WARM_UP, CLIP = 0.05, 1.0
REPORT_EVERY = 10.0


def write_corpus(data: Path, file: Path) -> None:
    """Write the training texts as one gzip of lines: at most 62 words each, a space between words."""
    unseen = {run for name in TWINS for split in ("validation", "test") for run in _runs(_texts(data, name, split))}
    lines: dict[str, None] = {}
    for name in COLUMNS:
        for words in _texts(data, name, "train"):
            runs = list(_runs([words]))
            if name in TWINS and runs and unseen.issuperset(runs):
                continue
            lines.update(dict.fromkeys(" ".join(piece) for piece in _pieces(words)))
    file.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=9) as out:
        out.writelines(line + "\n" for line in lines)
    print(f"{len(lines)} lines, {sum(line.count(' ') + 1 for line in lines)} words, {file.stat().st_size} bytes")


def _texts(data: Path, name: str, split: str) -> Iterator[list[str]]:
    import pyarrow.parquet as parquet

    for column in parquet.read_table(data / name / f"{split}.parquet", columns=list(COLUMNS[name])).columns:
        for text in column.to_pylist():
            yield [word.written for word in split_words(text)]


def _runs(texts: Iterable[Sequence[str]]) -> Iterator[str]:
    for words in texts:
        yield from (" ".join(words[n : n + RUN]).lower() for n in range(len(words) - RUN + 1))


def _pieces(words: list[str]) -> Iterator[list[str]]:
    """Cut a text into pieces, at ends of sentences where there are any."""
    while len(words) > LONGEST:
        ends = [n for n in range(SHORTEST, LONGEST + 1) if words[n - 1] in (".", "!", "?")]
        cut = ends[-1] if ends else LONGEST
        yield words[:cut]
        words = words[cut:]
    if words:
        yield words


class Corpus(NamedTuple):
    """Texts as word ids between sentence marks, padded; and how each word is spelled."""

    texts: Tensor
    lengths: NDArray[np.int64]
    spelling: Tensor


def read_corpus(file: Path, device: torch.device) -> Corpus:
    """Number the words, the commonest first, and spell them once."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        texts = [line.split() for line in lines]
    counts = Counter(word for words in texts for word in words)
    known = {word: number for number, (word, _) in enumerate(counts.most_common(), start=FIRST_WORD)}
    lengths = np.array([len(words) + 2 for words in texts])
    padded = np.full((len(texts), lengths.max()), NOTHING, dtype=np.int32)
    for row, words in zip(padded, texts, strict=True):
        row[: len(words) + 2] = [OPEN, *map(known.__getitem__, words), CLOSE]
    marks = [[START], [START, BYTE_ROWS + OPEN_TEXT], [START, BYTE_ROWS + CLOSE_TEXT]]
    spelled = marks + CharWords(None).pieces([CharWords.unknown, *known])
    spelling = np.full((len(spelled), max(map(len, spelled))), PAD, dtype=np.int32)
    for row, symbols in zip(spelling, spelled, strict=True):
        row[: len(symbols)] = symbols
    return Corpus(torch.from_numpy(padded).to(device), lengths, torch.from_numpy(spelling).to(device))


class Learner(nn.Module):
    """ELMo with what it is trained through: dropout and a softmax over the commonest words."""

    def __init__(self, elmo: Elmo, spelling: Tensor, classes: int) -> None:
        super().__init__()
        self.elmo, self._spelling, self._classes = elmo.requires_grad_(True), spelling, classes
        self.dropout = nn.Dropout(DROPOUT)
        self.softmax = nn.Linear(elmo.width // 2, classes)
        nn.init.normal_(self.softmax.weight, std=0.05)
        for module in elmo.modules():
            if isinstance(module, ProjectedLSTM):
                nn.init.constant_(module.bias_ih_l0[module.hidden_size : 2 * module.hidden_size], 1.0)

    def forward(self, texts: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean loss a word of the onward and of the backward direction."""
        there = torch.arange(texts.shape[1], device=texts.device) < lengths[:, None]
        read = texts
        if self.training:
            hidden = torch.rand(texts.shape, device=texts.device) < HIDDEN
            read = torch.where(hidden & (texts >= FIRST_WORD), RARE, texts)
        distinct, place = torch.unique(read, return_inverse=True)
        half = torch.autocast(texts.device.type, torch.bfloat16, enabled=texts.is_cuda)
        with half:
            symbols = self._spelling[distinct]
            vectors = nn.functional.embedding(symbols, torch.cat([self.elmo.table.weight, self.elmo.marks]))
            words = self.dropout(self.elmo.spell(vectors, symbols != PAD).float())
        # cuDNN's LSTM would fall to float16 under autocast, where small gradients vanish.
        states = self.elmo.language_model(words[place], there)[-1]
        onward, backward = self.dropout(states).chunk(2, dim=2)
        classes = torch.where(texts < self._classes, texts, RARE).long()
        pairs = there[:, 1:]
        with half:
            ahead = nn.functional.cross_entropy(self.softmax(onward[:, :-1][pairs]), classes[:, 1:][pairs])
            behind = nn.functional.cross_entropy(self.softmax(backward[:, 1:][pairs]), classes[:, :-1][pairs])
        return ahead, behind


def batches(lengths: NDArray[np.int64], tokens: int, generator: np.random.Generator) -> list[NDArray[np.int64]]:
    """Put texts of like length together, at most so many tokens a batch, in random order."""
    order = np.argsort(lengths + generator.uniform(0, 4, len(lengths)))
    # A row is charged the longest length it may meet in its batch.
    cuts = np.flatnonzero(np.diff((lengths[order] + 4).cumsum() // tokens)) + 1
    parts = np.split(order, cuts)
    return [parts[n] for n in generator.permutation(len(parts))]


def perplexities(learner: Learner, corpus: Corpus, rows: NDArray[np.int64], tokens: int) -> tuple[float, float]:
    """Return the held-out perplexity onward and backward; all rare words count as one."""
    learner.eval()
    total, words = np.zeros(2), 0
    with torch.no_grad():
        for part in batches(corpus.lengths[rows], tokens, np.random.default_rng(0)):
            losses = learner(*_batch(corpus, rows[part]))
            count = int((corpus.lengths[rows[part]] - 1).sum())
            total, words = total + count * np.array([float(loss) for loss in losses]), words + count
    learner.train()
    ahead, behind = np.exp(total / words)
    return float(ahead), float(behind)


def _batch(corpus: Corpus, rows: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
    lengths = corpus.lengths[rows]
    place = corpus.texts.device
    return corpus.texts[torch.from_numpy(rows).to(place), : lengths.max()], torch.from_numpy(lengths).to(place)


def train(file: Path, folder: Path, *, seconds: float, classes: int, tokens: int, rate: float) -> None:
    """Pretrain for so many seconds, reading the corpus included, and write the weights in half precision."""
    begun = time.perf_counter()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    corpus = read_corpus(file, device)
    generator = np.random.default_rng(0)
    shuffled = generator.permutation(len(corpus.texts))
    held_out, rows = np.split(shuffled, [len(shuffled) // HELD_OUT])
    learner = Learner(Elmo(), corpus.spelling, classes).to(device).train()
    trained = [weight for name, weight in learner.named_parameters() if name not in ("elmo.mix", "elmo.gamma")]
    optimizer = torch.optim.Adam(trained, lr=rate, betas=(0.9, 0.99), fused=device.type == "cuda")
    first = time.perf_counter()
    print(f"{len(rows)} texts, {len(corpus.spelling)} words, {first - begun:.1f} s to read", flush=True)
    step, seen, told, share = 0, 0, first, 0.0
    while share < 1:
        for part in batches(corpus.lengths[rows], tokens, generator):
            now = time.perf_counter()
            share = (now - first) / (begun + seconds - first)
            if share >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = rate * min(share / WARM_UP, (1 + math.cos(math.pi * share)) / 2)
            ahead, behind = learner(*_batch(corpus, rows[part]))
            optimizer.zero_grad()
            torch.autograd.backward(ahead + behind)
            nn.utils.clip_grad_norm_(trained, CLIP)
            optimizer.step()
            step, seen = step + 1, seen + int(corpus.lengths[rows[part]].sum())
            if now - told > REPORT_EVERY:
                onward, backward = perplexities(learner, corpus, held_out, tokens)
                told = time.perf_counter()
                print(
                    f"{told - first:5.0f} s  step {step}  {seen / 1e6:.1f} M words  training {ahead.item():.3f} "
                    f"{behind.item():.3f}  held-out perplexity {onward:.1f} {backward:.1f}",
                    flush=True,
                )
    write(learner, corpus, held_out, folder, tokens, {"words_read": seen, "steps": step, "seconds": seconds})


def write(
    learner: Learner,
    corpus: Corpus,
    held_out: NDArray[np.int64],
    folder: Path,
    tokens: int,
    training: dict[str, float],
) -> None:
    """Write ELMo without its mix, and what the written weights are worth."""
    from safetensors.torch import save_file

    state = {name: weight.half() for name, weight in learner.elmo.state_dict().items()}
    learner.elmo.load_state_dict(state)
    onward, backward = perplexities(learner, corpus, held_out, tokens)
    kept = {name: weight.cpu().contiguous() for name, weight in state.items() if name not in ("mix", "gamma")}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(kept, folder / "elmo.safetensors")
    told = {
        "texts": "training texts of " + ", ".join(COLUMNS),
        **training,
        "held_out_perplexity": {"onward": round(onward, 2), "backward": round(backward, 2)},
    }
    described = {
        "sizes": learner.elmo.sizes,
        "training": told,
        "made_by": "papers/src/unfool_papers/scripts/pretrain_elmo.py",
    }
    (folder / "elmo.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
    size = (folder / "elmo.safetensors").stat().st_size
    print(f"written: {size} bytes, held-out perplexity {onward:.1f} {backward:.1f}", flush=True)


def main() -> None:
    """Make the corpus or train on it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    corpus = steps.add_parser("corpus")
    corpus.add_argument("data", type=Path)
    corpus.add_argument("file", type=Path)
    training = steps.add_parser("train")
    training.add_argument("file", type=Path)
    training.add_argument("folder", type=Path)
    training.add_argument("--seconds", type=float, default=120)
    training.add_argument("--classes", type=int, default=24_000, help="words the softmax tells apart")
    training.add_argument("--tokens", type=int, default=32_768, help="words a batch")
    training.add_argument("--rate", type=float, default=2e-3)
    given = vars(parser.parse_args())
    if given.pop("step") == "corpus":
        write_corpus(given["data"], given["file"])
    else:
        train(given.pop("file"), given.pop("folder"), **given)


if __name__ == "__main__":
    main()
