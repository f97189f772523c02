from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from unfool.errors import UserError
from unfool_papers.analysis import TheoremCheck, check_theorem_1, theorem_figure, word_change_figure, write_svg
from unfool_papers.analysis.layers import Recurrent, SelfAttention, on_sphere, spectral_norm
from unfool_papers.analysis.theorem import CHOSEN, RANDOM, TIGHT


@pytest.fixture(scope="module")
def check() -> TheoremCheck:
    return check_theorem_1((16, 64, 256), words=20, draws=200)


def test_the_attentive_layer_is_pytorchs_without_its_scale() -> None:
    draw = np.random.default_rng(1)
    words, query, key, value = (draw.standard_normal(shape) for shape in ((5, 7), (7, 3), (7, 3), (7, 3)))
    layer = SelfAttention(query, key, value)
    asking, asked, said = (torch.from_numpy(words @ weights)[None] for weights in (query, key, value))
    expected = torch.nn.functional.scaled_dot_product_attention(asking, asked, said, scale=1.0)[0]
    np.testing.assert_allclose(layer.outputs(words), expected.numpy())
    np.testing.assert_allclose(layer.scores_of(words, 2), layer.scores(words)[:, 2])


def test_the_recurrent_layer_is_pytorchs() -> None:
    draw = np.random.default_rng(2)
    words, inward, onward = (draw.standard_normal(shape) for shape in ((5, 4), (4, 4), (4, 4)))
    plain = torch.nn.RNN(4, 4, bias=False).double()
    with torch.no_grad():
        state = {"weight_ih_l0": torch.from_numpy(inward), "weight_hh_l0": torch.from_numpy(onward)}
        plain.load_state_dict(state)
        expected, _ = plain(torch.from_numpy(words))
    np.testing.assert_allclose(Recurrent(inward, onward).outputs(words), expected.numpy())


@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
def test_the_norm_is_the_largest_singular_value(shape: tuple[int, int]) -> None:
    matrix = np.random.default_rng(3).standard_normal(shape)
    assert spectral_norm(matrix) == pytest.approx(np.linalg.svd(matrix, compute_uv=False)[0])


def test_words_are_uniform_on_the_sphere() -> None:
    drawn = on_sphere(np.random.default_rng(4), 20_000, 3)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1)
    # On the sphere in three dimensions every coordinate is uniform between -1 and 1 (Archimedes).
    np.testing.assert_allclose(
        np.quantile(drawn, [0.25, 0.5, 0.75], axis=0), np.array([[-0.5] * 3, [0.0] * 3, [0.5] * 3]), atol=0.03
    )


def test_the_mean_is_what_can_be_computed_and_below_the_bound(check: TheoremCheck) -> None:
    for each in check.scores:
        if each.setting == TIGHT:
            d = each.dimensions
            exact = math.gamma(d / 2) / (math.sqrt(math.pi) * math.gamma((d + 1) / 2)) if d < 300 else None
            assert each.mean.value == pytest.approx(exact, rel=0.05)
        if each.setting != CHOSEN:
            assert each.holds
            assert each.looseness > 1.2
        assert each.bound == pytest.approx(1 / math.sqrt(each.dimensions))


def test_the_mean_falls_with_the_root_of_the_dimensions(check: TheoremCheck) -> None:
    assert check.slopes[TIGHT] == pytest.approx(-0.5, abs=0.03)
    assert check.slopes[RANDOM] < -0.45
    assert check.slopes[CHOSEN] > -0.2


def test_a_change_chosen_for_the_text_breaks_the_bound() -> None:
    found = check_theorem_1((16, 1024), words=10, draws=20)
    (chosen,) = [each for each in found.scores if each.setting == CHOSEN and each.dimensions == 1024]
    # Nine nearly orthogonal words share their sum's direction alike.
    assert chosen.mean.value == pytest.approx(1 / 3, rel=0.05)
    assert not chosen.holds
    assert "broken from d = " in theorem_figure(found).caption


def test_the_tail_is_nearly_gaussian_and_below_both_bounds(check: TheoremCheck) -> None:
    for tail in check.tails:
        if tail.setting == CHOSEN:
            continue
        assert tail.measured <= tail.markov
        assert tail.measured <= tail.gaussian
        if tail.setting == TIGHT and tail.dimensions == 256:
            assert tail.measured == pytest.approx(math.erfc(tail.times / math.sqrt(2)), abs=0.03)


def test_a_change_runs_on_in_a_recurrent_layer_and_stays_at_its_word_in_a_residual_one(check: TheoremCheck) -> None:
    change = {(each.layer, each.offset): each.change for each in check.words}
    for gain in ("0.5", "1", "1.5"):
        layer = f"recurrent, gain {gain}"
        assert all(change[layer, offset] == 0 for offset in range(-10, 0))
        assert all(change[layer, offset] > 0 for offset in range(10))
    # Words are short, so the layer is nearly linear, and forgets half of what it hears with each word.
    forgets = [
        change["recurrent, gain 0.5", offset + 1] / change["recurrent, gain 0.5", offset] for offset in range(4)
    ]
    assert forgets == pytest.approx([0.5] * 4, abs=0.05)
    # Attention is nearly even over 20 words: each takes in a twentieth of the change, and is about 1/√20 long.
    assert change["self-attention", -5] == pytest.approx(1 / math.sqrt(20), rel=0.15)
    assert check.moved["self-attention"].value > 0.9
    assert check.moved["self-attention, input added"].value < 0.3


def test_the_same_seed_gives_the_same_numbers() -> None:
    def measured(seed: int) -> list[dict[str, object]]:
        return check_theorem_1((4, 8), words=3, draws=3, seed=seed).to_rows()

    assert measured(1) == measured(1) != measured(2)


def test_the_length_of_the_change_is_divided_out() -> None:
    short, long = (check_theorem_1((4, 8), words=3, draws=3, delta=delta).to_rows() for delta in (0.1, 7.0))
    for one, other in zip(short, long, strict=True):
        assert one["mean / Cδ"] == pytest.approx(other["mean / Cδ"])


@pytest.mark.parametrize(
    "asked", [{"dimensions": (8,)}, {"dimensions": (1, 8)}, {"words": 2}, {"draws": 1}, {"delta": 0}]
)
def test_too_little_to_measure_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises(UserError, match="cannot check the theorem"):
        check_theorem_1(**asked)  # type: ignore[arg-type]


def test_the_figures_are_drawn(check: TheoremCheck, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="draws, which needs unfool[report]")
    theorem = theorem_figure(check)
    assert "on the mean holds" in theorem.caption
    drawn = write_svg(theorem, tmp_path).read_text(encoding="utf-8")
    assert f">{CHOSEN}<" in drawn
    assert ">Tail, d = 256<" in drawn
    assert ">recurrent, gain 0.5<" in write_svg(word_change_figure(check), tmp_path).read_text(encoding="utf-8")
