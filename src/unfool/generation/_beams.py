"""Decoding by beams, which transformers searches; what it found is scored in one pass as greedy outputs are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unfool.generation._decoding import Decoded, allowed_everywhere

if TYPE_CHECKING:
    from unfool.generation._steps import Steps


def by_beams(
    steps: Steps,
    source: Sequence[int],
    *,
    beams: int,
    new: int,
    most: int,
    asked: Sequence[int] = (),
    blank: Sequence[int] = (),
) -> Decoded:
    """Decode one source.

    Sources are decoded one by one: which beams are kept hangs on the last bit of scores, and that on neighbours.

    Args:
        steps: The model.
        source: The source's tokens.
        beams: How many beams.
        new: How many tokens may be made, forced ones included.
        most: How many of them count for the log-probability at the most: behind them a model may be made to end.
        asked: Tokens whose best log-probability is wanted.
        blank: The places of tokens that the source is read without: their vectors are set to zero.
    """
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    with torch.inference_mode():
        ids = torch.tensor([list(source)], device=steps.device)
        mask, hidden = torch.ones_like(ids), torch.zeros_like(ids, dtype=torch.bool)
        hidden[0, list(blank)] = True
        states, _, _ = steps.encode(ids, mask, hidden if blank else None)
        made = steps.module.generate(
            encoder_outputs=BaseModelOutput(last_hidden_state=states),
            attention_mask=mask,
            num_beams=beams,
            do_sample=False,
            max_new_tokens=new,
            **({"forced_bos_token_id": steps.forced[0]} if steps.forced else {}),
        )
        said = made[0, 1 + len(steps.forced) :].tolist()
        end = next((place for place, token in enumerate(said) if token in steps.end), len(said))
        counted = said[: min(end + 1, most)]
        given = torch.tensor([[steps.start, *steps.forced, *counted[:-1]]], device=steps.device)
        vectors = steps.table[ids].masked_fill(hidden[..., None], 0.0)
        scores = allowed_everywhere(steps, steps.scores(vectors, mask, given), given)
        likely = scores[len(steps.forced) :].log_softmax(-1)
        chances = likely.gather(1, torch.tensor(counted, device=steps.device)[:, None])
        weights = likely[:, list(asked)].max(0).values.tolist() if asked else []
    return Decoded(said[:end], float(chances.double().sum()), weights)
