"""What a net tells besides its answers: gradients, hidden states, answers blind to a word, what it decides by."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.devices import flushed
from unfool.engine import Answers, Floats, FunctionService, Later, PendingAnswers
from unfool.errors import VictimError
from unfool.text import Text, Variants, as_variants
from unfool.victims._capabilities import (
    GradientRequest,
    Gradients,
    Hidden,
    Summaries,
    WordEmbeddings,
    Zeroed,
)
from unfool.victims.tokens import EncodedVictim, TokenBatch, UnitRows, Whole, batches, whole_batch

if TYPE_CHECKING:
    import torch

_BACKWARD_SHARES = {"cuda": 4}
"""A backward pass keeps what the forward pass made: where batches are huge, it gets a share of the tokens."""
_FEW_IDS = 1024
"""With so few tokens, as of characters, the one-hot gradients of a whole batch fit into memory."""
_MOST_TOLD = 1 << 15
"""Answers that may wait to be asked for; some never are, where another text has the same tokens."""


class Cut(NamedTuple):
    """Some of the texts asked about, as one batch."""

    numbers: list[int]
    batch: TokenBatch
    words: list[NDArray[np.int64]]


Reader = Callable[["torch.Tensor", Cut], Callable[["torch.Tensor"], "torch.Tensor"]]
"""Makes, of a batch and its vectors, the function from vectors to raw outputs."""


class WhiteBoxVictim(EncodedVictim):
    """Base of victims whose net can be looked into; a subclass says how. All of it is in full precision."""

    reads_last_token = False
    """Whether the net decides by the last place of a row, as decoders do."""
    blank: int | None = None
    """The token that stands for a hidden word; None if the net has learnt none."""

    @property
    @abstractmethod
    def table(self) -> torch.Tensor:
        """The vectors of all tokens, [ids, dimensions]."""

    @abstractmethod
    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""

    @abstractmethod
    def embed(self, batch: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors, [texts, tokens, dimensions]."""

    @abstractmethod
    def logits_of(self, vectors: torch.Tensor, batch: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""

    def logits_since(self, vectors: torch.Tensor, batch: TokenBatch, first: int) -> torch.Tensor:
        """Like `logits_of`, if no gradient is needed at tokens before ``first``; a net may save that work."""
        return self.logits_of(vectors, batch)

    @abstractmethod
    def layers(self, batch: TokenBatch) -> list[torch.Tensor]:
        """Return the tokens' vectors and the states of every layer, one row a token."""

    @abstractmethod
    def summary(self, batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what the net makes of each text before it decides, [texts, dimensions], and its raw outputs."""

    def refresh(self) -> None:
        """Forget what was read from the net; who changes its weights must call this."""
        self.__dict__.pop("embeddings", None)
        self.__dict__.pop("_told", None)

    def launch(self, rows: UnitRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the forward passes over the rows that no backward pass has answered on its way; `result` waits."""
        keys = rows.keys[chosen].tolist()
        told = {place: self._told.pop(key) for place, key in enumerate(keys) if key in self._told}
        rest = np.delete(np.arange(len(keys)), list(told))
        pending = super().launch(rows, chosen[rest])
        if not told:
            return pending
        there = self.answers(np.stack(list(told.values())), raw=False)
        return Later(lambda: _joined([(rest.tolist(), pending.result()), (list(told), there)]))

    @cached_property
    def _told(self) -> dict[int, Floats]:
        """Answers that came with gradients, by the rows' keys: attacks mostly ask for them next."""
        return {}

    @cached_property
    def gradients(self) -> FunctionService:
        """From `GradientRequest` to `Gradients`, many texts in one backward pass."""
        return FunctionService(self._gradients)

    @cached_property
    def hidden(self) -> FunctionService:
        """From `Text` to `Hidden`; zeros fill narrower layers, which moves no two apart."""
        return FunctionService(self._hidden)

    @cached_property
    def zeroed(self) -> FunctionService:
        """From `Zeroed` to probabilities, one row a position: the answer with that word's vectors zero."""
        return FunctionService(self._zeroed)

    @cached_property
    def summaries(self) -> FunctionService:
        """From a text, or variants of one, to `Summaries`: the vectors the net decides by, and its answers."""
        return FunctionService(self._summaries)

    @cached_property
    def embeddings(self) -> WordEmbeddings:
        """The words of the vocabulary that are one token each, with their vectors; one word for each token."""
        lead, unknown = self.encoder.lead, self.encoder.pieces([self.encoder.lead + self.unknown])[0]
        pieces = self.encoder.pieces([lead + word for word in self.vocabulary])
        words: dict[int, str] = {}
        for word, tokens in zip(self.vocabulary, pieces, strict=True):
            if len(tokens) == 1 and tokens != unknown:
                words.setdefault(tokens[0], word)
        return WordEmbeddings(tuple(words.values()), self.table.detach()[list(words)])

    @property
    def backward_share(self) -> int:
        """How many times smaller the batches of a backward pass are."""
        return _BACKWARD_SHARES.get(self.device.type, 1)

    def in_batches(self, texts: Sequence[Text], share: int = 1) -> Iterator[Cut]:
        """Encode texts whole and cut them into batches of similar length."""
        once: dict[int, tuple[Whole, list[int]]] = {}  # a text may be asked about many times
        encoded = [once.get(id(text)) or once.setdefault(id(text), self.words_of_tokens(text)) for text in texts]
        lengths = np.array([len(words) for _, words in encoded], dtype=np.int64)
        order = np.argsort(lengths, kind="stable")
        shape = self.packing._replace(tokens=max(1, self.packing.tokens // share))
        if self.reads_last_token:
            shape = shape._replace(least=1)  # batches of one length: the last token must not be padding
        for span, _ in batches(lengths[order], shape):
            numbers = order[span].tolist()
            wholes = [encoded[number][0] for number in numbers]
            batch = whole_batch(wholes, self.encoder, self._pad, self.packing.shortest, self.device)
            yield Cut(numbers, batch, [np.array(encoded[number][1], dtype=np.int64) for number in numbers])

    @contextmanager
    def differentiable(self) -> Iterator[None]:
        """Let backward passes run here, fast."""
        import torch

        # cuDNN differentiates recurrent nets only in training mode, where dropout would be on.
        with flushed(), torch.backends.cudnn.flags(enabled=False):
            yield

    def _gradients(self, requests: Sequence[GradientRequest]) -> list[Gradients]:
        def reader(_: torch.Tensor, cut: Cut) -> Callable[[torch.Tensor], torch.Tensor]:
            since = [requests[number].since for number in cut.numbers]
            first = min(map(_first_token, cut.words, since))
            return lambda vectors: self.logits_since(vectors, cut.batch, first)

        answers: Floats = np.empty((len(requests), len(self.labels)), dtype=np.float32)
        found = self.differentiated(requests, reader, answers=answers)
        # In half precision the search is not told what full precision says.
        if not self.approximate:
            if len(self._told) > _MOST_TOLD:
                self._told.clear()
            keys = self.rows([as_variants(request.text) for request in requests]).keys.tolist()
            # Copies: a row that nobody asks for must not keep its whole batch.
            self._told.update((key, row.copy()) for key, row in zip(keys, answers, strict=True))
        return found

    def differentiated(
        self,
        requests: Sequence[GradientRequest],
        reader: Reader,
        share: int | None = None,
        answers: Floats | None = None,
    ) -> list[Gradients]:
        """Answer requests by a way of reading that is made for each batch; put probabilities into ``answers``."""
        import torch

        found: dict[int, Gradients] = {}
        for cut in self.in_batches([request.text for request in requests], share or self.backward_share):
            asked = [requests[number] for number in cut.numbers]
            vectors = self.embed(cut.batch).detach()
            read = reader(vectors, cut)
            vectors.requires_grad_()
            labels = torch.tensor([request.label for request in asked], device=self.device)
            with self.differentiable():
                logits = read(vectors)
                losses = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
                outputs = logits.gather(1, labels[:, None])[:, 0]
                by_logit = torch.tensor([request.of == "logit" for request in asked], device=self.device)
                (gradient,) = torch.autograd.grad(torch.where(by_logit, outputs, losses).sum(), vectors)
            if answers is not None:
                answers[cut.numbers] = logits.detach().softmax(-1).cpu().numpy()
            told, ids = losses.detach().cpu().tolist(), cut.batch.ids.cpu().numpy()
            values = self._on_host(gradient, [request.one_hot for request in asked])
            for row, (number, words) in enumerate(zip(cut.numbers, cut.words, strict=True)):
                kept = len(words)
                found[number] = Gradients(ids[row, :kept], words, values[row][:kept], told[row])
        return [found[number] for number in range(len(requests))]

    def _on_host(self, gradient: torch.Tensor, one_hot: Sequence[bool]) -> Sequence[Floats]:
        """Return each text's gradients, by one-hot vectors if so asked; in one copy if memory allows it."""
        table = self.table.detach().T
        if not any(one_hot):
            return list(gradient.cpu().numpy())
        if all(one_hot) and table.shape[1] <= _FEW_IDS:
            return list((gradient @ table).cpu().numpy())
        return [(row @ table if wide else row).cpu().numpy() for row, wide in zip(gradient, one_hot, strict=True)]

    def _hidden(self, texts: Sequence[Text]) -> list[Hidden]:
        import torch

        found: dict[int, Hidden] = {}
        for cut in self.in_batches(texts, self.backward_share):
            with torch.inference_mode():
                layers = self.layers(cut.batch)
                widest = max(layer.shape[2] for layer in layers)
                filled = [torch.nn.functional.pad(layer, (0, widest - layer.shape[2])) for layer in layers]
            stacked = torch.stack(filled).cpu().numpy()
            for row, (number, words) in enumerate(zip(cut.numbers, cut.words, strict=True)):
                found[number] = Hidden(words, stacked[:, row, : len(words)])
        return [found[number] for number in range(len(texts))]

    def _zeroed(self, requests: Sequence[Zeroed]) -> list[Floats]:
        import torch

        asked: list[tuple[Text, int]] = []
        places: list[list[int]] = []
        for request in requests:
            read = set(self.words_of_tokens(request.text)[1])
            # One row, of the text as it is, answers for all words that are cut off.
            spots = [spot if spot in read else len(request.text) for spot in request.positions]
            rows = {spot: len(asked) + number for number, spot in enumerate(dict.fromkeys(spots))}
            asked += [(request.text, spot) for spot in rows]
            places.append([rows[spot] for spot in spots])
        found: Floats = np.empty((len(asked), len(self.labels)), dtype=np.float32)
        for cut in self.in_batches([text for text, _ in asked]):
            with torch.inference_mode():
                vectors = self.embed(cut.batch).clone()
                for row, (number, words) in enumerate(zip(cut.numbers, cut.words, strict=True)):
                    vectors[row, np.flatnonzero(words == asked[number][1])] = 0
                found[cut.numbers] = self.logits_of(vectors, cut.batch).softmax(-1).cpu().numpy()
        found = np.round(found, self.decimals)
        return [found[numbers] for numbers in places]

    def _summaries(self, requests: Sequence[Text | Variants]) -> list[Summaries]:
        import torch

        asked = [as_variants(request) for request in requests]
        rows = self.rows(asked)
        work, inverse = self._spliced(rows, np.arange(len(rows.lengths)), full=True)
        vectors: list[Floats] = []
        answers: list[Floats] = []
        with torch.inference_mode():
            for _, batch in work:
                read, outputs = self.summary(batch)
                vectors.append(read.float().cpu().numpy())
                answers.append(outputs.float().softmax(-1).cpu().numpy())
        cuts = np.cumsum([len(variants) for variants in asked])[:-1]
        rounded = np.round(np.concatenate(answers)[inverse], self.decimals)
        parts = np.split(np.concatenate(vectors)[inverse], cuts), np.split(rounded, cuts)
        return [Summaries(*part) for part in zip(*parts, strict=True)]


def _joined(parts: Sequence[tuple[list[int], Answers]]) -> Answers:
    """Put answers into one order, each part's into its places."""
    count = sum(len(places) for places, _ in parts)
    values = np.empty((count, parts[0][1].values.shape[1]), dtype=np.float32)
    errors: dict[int, VictimError] = {}
    for places, answers in parts:
        values[places] = answers.values
        errors |= {places[row]: error for row, error in answers.errors.items()}
    return Answers(values, errors)


def _first_token(words: NDArray[np.int64], since: int) -> int:
    """Return the first token of this word or a later one, or of the last that is read."""
    return int((words >= min(since, words.max(initial=-1))).argmax()) if len(words) else 0
