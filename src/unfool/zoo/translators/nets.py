"""The two translators: an LSTM with attention, and a Transformer, which is Marian's.

Each makes one token a step from a state, as `unfool.generation` decodes, and all tokens at once from given outputs,
as training wants.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

PAD, START, END, UNKNOWN = 0, 1, 2, 3


class LstmState(NamedTuple):
    """What the decoder knows after a step."""

    memory: Tensor
    """The encoder's states, a row a source token."""
    mask: Tensor
    hidden: tuple[Tensor, Tensor]
    context: Tensor
    """What attention read last; it goes into the next step (input feeding)."""
    weights: Tensor
    """Where attention looked last."""


class Attended(NamedTuple):
    """Where a net looked while it made an output: from 0 to 1, each row's sum is 1."""

    cross: Tensor
    """A row an output token, a column a source token; the Transformer's are the mean over a layer's heads."""
    own: Tensor | None
    """How the source's tokens look at each other, likewise; None if the net has no self-attention."""


class AttentiveLstm(nn.Module):
    """A two-layer bidirectional encoder and a decoder of as many layers with attention (Luong et al., 2015).

    Args:
        vocabulary: How many tokens there are, shared by both languages.
        units: The width of vectors and states.
        layers: Layers of the encoder and of the decoder.
        dropout: Between layers, and on vectors.
    """

    at_once = False
    """Whether it reads a whole output in one pass."""

    def __init__(self, vocabulary: int, units: int = 512, layers: int = 2, dropout: float = 0.3) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, units, padding_idx=PAD)
        self.encoder = nn.LSTM(units, units // 2, layers, batch_first=True, bidirectional=True, dropout=dropout)
        self.decoder = nn.LSTM(2 * units, units, layers, batch_first=True, dropout=dropout)
        self.query = nn.Linear(units, units, bias=False)
        self.combine = nn.Linear(2 * units, units)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.embedding.weight, std=units**-0.5)

    def read(self, vectors: Tensor, mask: Tensor) -> LstmState:
        """Encode sources, given as vectors."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(vectors), mask.sum(1).clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, (hidden, cell) = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=mask.shape[1])
        start = _joined(hidden), _joined(cell)
        context = memory.new_zeros(len(memory), memory.shape[-1])
        return LstmState(memory, mask, start, context, mask.to(memory.dtype))

    def encode(self, ids: Tensor, mask: Tensor, blank: Tensor | None = None) -> LstmState:
        """Encode sources, given as tokens."""
        return self.read(_without(self.embedding(ids), blank), mask)

    def memory(self, state: LstmState) -> Tensor:
        """Return the encoder's states."""
        return state.memory

    def step(self, tokens: Tensor, state: LstmState) -> tuple[Tensor, LstmState]:
        """Make the scores of the next token."""
        given = torch.cat([self.dropout(self.embedding(tokens)), state.context], -1)
        top, hidden = self._decoded(given, state.hidden)
        likeness = torch.einsum("bd,btd->bt", self.query(top), state.memory)
        weights = likeness.masked_fill(state.mask == 0, -torch.inf).softmax(-1)
        read = torch.einsum("bt,btd->bd", weights, state.memory)
        context = torch.tanh(self.combine(torch.cat([top, read], -1)))
        return self.scores(context), state._replace(hidden=hidden, context=context, weights=weights)

    def _decoded(self, given: Tensor, hidden: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Run the decoder's layers for one step."""
        if self.training:
            made, hidden = self.decoder(given[:, None], hidden)
            return made[:, 0], hidden
        # Called for a single step, a whole LSTM on a CPU spends most of its time on laying its weights out anew.
        made, states = given, []
        for weights, before in zip(self.decoder.all_weights, zip(*hidden, strict=True), strict=True):
            states.append(torch.lstm_cell(made, before, *weights))
            made = states[-1][0]
        outputs, cells = (torch.stack(each) for each in zip(*states, strict=True))
        return made, (outputs, cells)

    def scores(self, states: Tensor) -> Tensor:
        """Turn states into the scores of all tokens."""
        return nn.functional.linear(self.dropout(states), self.embedding.weight)

    def forward(self, vectors: Tensor, mask: Tensor, outputs: Tensor) -> Tensor:
        """Return the scores of every token of given outputs, each from those before it."""
        state = self.read(vectors, mask)
        made = []
        for place in range(outputs.shape[1]):
            scores, state = self.step(outputs[:, place], state)
            made.append(scores)
        return torch.stack(made, 1)

    def attended(self, ids: Tensor, mask: Tensor, outputs: Tensor, layer: int) -> Attended:
        """Return the attention with which one source becomes one output; there is but one layer of it."""
        state, seen = self.encode(ids, mask), []
        for place in range(outputs.shape[1]):
            _, state = self.step(outputs[:, place], state)
            seen.append(state.weights)
        return Attended(torch.cat(seen), None)

    def keep(self, state: LstmState, rows: Tensor) -> LstmState:
        """Return the state of some rows."""
        hidden, cell = state.hidden
        return LstmState(
            state.memory[rows],
            state.mask[rows],
            (hidden[:, rows].contiguous(), cell[:, rows].contiguous()),
            state.context[rows],
            state.weights[rows],
        )


class Transformer(nn.Module):
    """Marian's Transformer with sinusoid positions and one table of vectors (Vaswani et al., 2017).

    Args:
        vocabulary: How many tokens there are, shared by both languages.
        units: The width of vectors and states.
        layers: Layers of the encoder and of the decoder.
        dropout: As in the paper.
    """

    at_once = True

    def __init__(self, vocabulary: int, units: int = 512, layers: int = 6, dropout: float = 0.1) -> None:
        super().__init__()
        from transformers import MarianConfig, MarianMTModel

        heads = max(1, units // 64)
        self.marian: Any = MarianMTModel(
            MarianConfig(
                vocab_size=vocabulary,
                d_model=units,
                encoder_layers=layers,
                decoder_layers=layers,
                encoder_attention_heads=heads,
                decoder_attention_heads=heads,
                encoder_ffn_dim=4 * units,
                decoder_ffn_dim=4 * units,
                activation_function="relu",
                dropout=dropout,
                max_position_embeddings=512,
                scale_embedding=True,
                init_std=units**-0.5,
                pad_token_id=PAD,
                bos_token_id=START,
                eos_token_id=END,
                decoder_start_token_id=START,
                forced_eos_token_id=None,
            )
        )
        self.embedding = self.marian.get_input_embeddings()
        # As Marian normalises behind each layer, deep ones learn nothing unless layers begin as small additions.
        with torch.no_grad():
            for name, weight in self.marian.named_parameters():
                if name.endswith(("fc2.weight", "out_proj.weight")):
                    weight.mul_((2 * layers) ** -0.5)

    def read(self, vectors: Tensor, mask: Tensor) -> Any:
        """Encode sources, given as vectors."""
        scale = self.marian.config.d_model**0.5
        states = self.marian.get_encoder()(inputs_embeds=vectors * scale, attention_mask=mask)
        return states.last_hidden_state, mask, None

    def encode(self, ids: Tensor, mask: Tensor, blank: Tensor | None = None) -> Any:
        """Encode sources, given as tokens."""
        return self.read(_without(self.embedding(ids), blank), mask)

    def memory(self, state: Any) -> Tensor:
        """Return the encoder's states."""
        states: Tensor = state[0]
        return states

    def step(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Make the scores of the next token."""
        from transformers.modeling_outputs import BaseModelOutput

        states, mask, past = state
        made = self.marian(
            encoder_outputs=BaseModelOutput(last_hidden_state=states),
            attention_mask=mask,
            decoder_input_ids=tokens[:, None],
            past_key_values=past,
            use_cache=True,
        )
        return made.logits[:, -1], (states, mask, made.past_key_values)

    def forward(self, vectors: Tensor, mask: Tensor, outputs: Tensor) -> Tensor:
        """Return the scores of every token of given outputs, each from those before it."""
        from transformers.modeling_outputs import BaseModelOutput

        states, _, _ = self.read(vectors, mask)
        made = self.marian(
            encoder_outputs=BaseModelOutput(last_hidden_state=states),
            attention_mask=mask,
            decoder_input_ids=outputs,
            use_cache=False,
        )
        scores: Tensor = made.logits
        return scores

    def attended(self, ids: Tensor, mask: Tensor, outputs: Tensor, layer: int) -> Attended:
        """Return the attention of a layer with which one source becomes one output."""
        usual = self.marian.config._attn_implementation
        self.marian.set_attn_implementation("eager")  # the fast ones do not tell it
        try:
            made = self.marian(
                input_ids=ids,
                attention_mask=mask,
                decoder_input_ids=outputs,
                use_cache=False,
                output_attentions=True,
            )
        finally:
            self.marian.set_attn_implementation(usual)
        return Attended(
            made.cross_attentions[layer][0].float().mean(0), made.encoder_attentions[layer][0].float().mean(0)
        )

    def keep(self, state: Any, rows: Tensor) -> Any:
        """Return the state of some rows."""
        states, mask, past = state
        if past is not None:
            past.batch_select_indices(rows)
        return states[rows], mask[rows], past


NETS: dict[str, Any] = {"lstm": AttentiveLstm, "transformer": Transformer}


def make_net(kind: str, vocabulary: int, sizes: Mapping[str, Any]) -> AttentiveLstm | Transformer:
    """Make a net with new weights."""
    net: AttentiveLstm | Transformer = NETS[kind](vocabulary, **sizes)
    return net


def _without(vectors: Tensor, blank: Tensor | None) -> Tensor:
    return vectors if blank is None else vectors.masked_fill(blank[..., None], 0.0)


def _joined(states: Tensor) -> Tensor:
    """Put the states of both directions side by side, layer by layer."""
    return torch.cat([states[0::2], states[1::2]], -1).contiguous()
