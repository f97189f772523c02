"""Where an encoder–decoder looks while it makes an output, against the net's own attention."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")
pytest.importorskip("sacrebleu")

from tests.toy_translators import SAVE, name_of  # noqa: E402

from unfool import attack  # noqa: E402
from unfool.generation import Output, open_generator  # noqa: E402
from unfool.options import Options  # noqa: E402
from unfool.report import overlay  # noqa: E402
from unfool.runs import read_overlays  # noqa: E402

SOURCE = "the plot is not dull"


@pytest.mark.parametrize("shape", list(SAVE))
def test_attention_is_that_of_the_net_by_words(shape: str, tmp_path: Path) -> None:
    folder = SAVE[shape](tmp_path / shape)
    model: Any = open_generator(name_of(shape, folder, "most=8"), Options(device="cpu", dtype="fp32"))
    before, (output,) = model.module.config._attn_implementation, model.generate_exactly([SOURCE])
    seen = model.attention(SOURCE)
    assert model.module.config._attn_implementation == before
    assert model.generate_exactly([SOURCE]) == [output]
    assert isinstance(output, Output)
    assert seen.cross.shape == (len(seen.output), len(seen.source))
    assert "".join(seen.output).replace(" ", "") == output.text.replace(" ", "")
    assert seen.source == SOURCE.split()

    plain: Any = type(model.module).from_pretrained(folder, attn_implementation="eager").eval()
    # Unless its source language is set, NLLB's tokenizer reads English, as here.
    ids = model.tokenizer(SOURCE)["input_ids"]
    (tokens,) = model.tokens([SOURCE])
    begun = [plain.generation_config.decoder_start_token_id]
    forced = model.tokenizer.convert_tokens_to_ids("fra_Latn") if shape == "nllb" else None
    forced = plain.generation_config.forced_bos_token_id if forced is None else forced
    begun += [] if forced is None else [forced]
    with torch.inference_mode():
        told = plain(
            input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([begun + tokens]), output_attentions=True
        )
    whole = told.cross_attentions[-1][0].mean(0)[len(begun) - 1 :][: len(tokens)].numpy()
    special = {number for number in ids if number in set(model.tokenizer.all_special_ids)}
    kept = [
        place for place, number in enumerate(ids) if number not in special or number == model.tokenizer.unk_token_id
    ]
    # Added up over all words, whatever the words are, it is what the tokens of the source get together.
    pieces = model.tokenizer.convert_ids_to_tokens(tokens)
    starts = [n for n, piece in enumerate(pieces) if n == 0 or piece[0] in "▁Ġ"]
    rows = [whole[a:b, kept].sum(1).mean() for a, b in zip(starts, [*starts[1:], len(pieces)], strict=True)]
    assert seen.cross.sum(1) == pytest.approx(np.array(rows), abs=1e-5)


def test_the_report_asks_a_translator_where_it_looked(tmp_path: Path) -> None:
    folder = SAVE["marian"](tmp_path / "marian")
    name = name_of("marian", folder, "most=8")
    run = attack(name, [SOURCE], "key", goal="differ", out=tmp_path / "run", progress=False)
    assert overlay(run) == 0
    (outcome,), (told,) = run.outcomes(), read_overlays(run.folder).values()
    assert told.cross is not None
    assert told.cross[0].source == outcome.original[0].split()
    assert len(told.cross) == 1 + (outcome.perturbed != outcome.original)
