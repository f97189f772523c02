"""What a model that generates tells of its inside: by hand, by brute force, and by finite differences."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sacrebleu")
pytest.importorskip("sentencepiece")

from tests.toy_translators import SAVE, name_of  # noqa: E402

from unfool.attacks import find_attack  # noqa: E402
from unfool.data import ANSWERS, Dataset, load  # noqa: E402
from unfool.engine import Budget, Outcome, Status, attack_samples  # noqa: E402
from unfool.generation import (  # noqa: E402
    JudgedGenerator,
    Output,
    find_goal,
    greedy,
    has_word,
    open_generator,
    slopes,
    with_outputs,
)
from unfool.generation._steps import Steps  # noqa: E402
from unfool.options import Options  # noqa: E402
from unfool.text import Sample  # noqa: E402
from unfool.victims import GradientRequest, Zeroed, require  # noqa: E402
from unfool.zoo.translators.nets import make_net  # noqa: E402
from unfool.zoo.translators.opened import Translator  # noqa: E402
from unfool.zoo.translators.train import Steps as NetSteps  # noqa: E402
from unfool.zoo.translators.train import learn_pieces  # noqa: E402

PAIRS = [
    ("a fine film", "ein guter Film"),
    ("the plot is not dull", "die Handlung ist nicht fad"),
    ("good film", "guter Film"),
]
MOST = 12
NETS = {"lstm": {"units": 32, "layers": 2}, "transformer": {"units": 64, "layers": 2}}


def toy(kind: str) -> Translator:
    """A translator of the zoo that has learnt nothing."""
    pieces = learn_pieces([text for pair in PAIRS for text in pair] * 9, 300)
    torch.manual_seed(1)
    net: Any = make_net(kind, pieces.get_vocab_size(), {**NETS[kind], "dropout": 0.0}).eval()
    for weight in net.parameters():
        if weight.dim() > 1:
            weight.data.mul_(3)
    return Translator(f"zoo:NMT-{kind}@toy", net, pieces, torch.device("cpu"), "fp32", "toy")


@pytest.fixture(scope="module", params=[*SAVE, *NETS])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param in NETS:
        return toy(request.param)
    folder = SAVE[request.param](tmp_path_factory.mktemp("toys") / request.param)
    return open_generator(name_of(request.param, folder, f"most={MOST}"), Options(device="cpu", dtype="fp32"))


@pytest.fixture(scope="module", params=["marian", "transformer", "marian by beams"])
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "transformer":
        return toy("transformer")
    folder = SAVE["marian"](tmp_path_factory.mktemp("toys") / "marian")
    beams = 3 if "beams" in request.param else 1
    return open_generator(
        name_of("marian", folder, f"most={MOST},beams={beams}"), Options(device="cpu", dtype="fp32")
    )


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    file = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    file.write_text("en\tde\n" + "".join(f"{en}\t{de}\n" for en, de in PAIRS), encoding="utf-8")
    return load(str(file), text="en", pair="de", label=ANSWERS)


def judged(model: Any, goal: str, pairs: Dataset) -> tuple[JudgedGenerator, list[Sample]]:
    return JudgedGenerator(model, find_goal(goal)), list(with_outputs(pairs, model).data)


def by_hand(model: Any, source: str, blank: list[int]) -> str:
    """What the model says of a source with the vectors of some tokens zero, decoded without a cache."""
    if isinstance(model, Translator):
        (ids,) = model.read([source])
        vectors = model.net.embedding(torch.tensor([ids]))
        vectors[:, blank] = 0
        given = [1]
        while len(given) <= 128:
            scores = model.net(vectors, torch.ones(1, len(ids), dtype=torch.long), torch.tensor([given]))[0, -1]
            scores[[0, 1, 3]] = -torch.inf
            given.append(int(scores.argmax()))
            if given[-1] == 2:
                break
        return str(model.pieces.decode([token for token in given[1:] if token != 2])).strip()
    ids = model.tokenizer([source])["input_ids"][0]
    # Marian's encoder scales its vectors behind the table, BART's table does it, T5 does not.
    after = model.module.config.d_model**0.5 if model.module.config.model_type == "marian" else 1.0
    vectors = model.module.get_encoder().get_input_embeddings()(torch.tensor([ids])) * after
    vectors[:, blank] = 0
    told = {}
    if "fra_Latn" in model.tokenizer.get_vocab():
        told = {"forced_bos_token_id": model.tokenizer.convert_tokens_to_ids("fra_Latn")}
    mask = torch.ones(1, len(ids), dtype=torch.long)
    (made,) = model.module.generate(
        inputs_embeds=vectors, attention_mask=mask, max_new_tokens=MOST, num_beams=1, do_sample=False, **told
    )
    return str(model.tokenizer.decode(made.tolist(), skip_special_tokens=True)).strip()


def test_a_blanked_word_is_one_whose_vectors_are_zero(model: Any) -> None:
    source = "the plot is not dull"
    spans = [(0, 3), (4, 8), (9, 11), (12, 15), (16, 20)]
    places = model.places(source)
    outputs, _ = model.generate_blanked(source, spans)
    with torch.no_grad():
        for span, output in list(zip(spans, outputs, strict=True))[: 1 if isinstance(model, Translator) else None]:
            blank = [number for number, (a, b) in enumerate(places) if a < span[1] and b > span[0] and b > a]
            assert blank
            assert output.text == by_hand(model, source, blank)
    (plain,), _ = model.generate_blanked(source, [(0, 0)])
    assert plain == model.generate([source])[0]


def test_answers_without_a_word_are_judged(model: Any, pairs: Dataset) -> None:
    victim, samples = judged(model, "differ", pairs)
    text = samples[1].text
    (answers,) = victim.zeroed.launch([Zeroed(text, text.editable)]).result()
    outputs, _ = model.generate_blanked(text.strings[0], text.spans[0])
    goal = find_goal("differ")
    for row, output in zip(answers, outputs, strict=True):
        before, after = text.strings[2].split(), output.text.split()
        share = sum(a != b for a, b in zip(before, after, strict=False)) / max(1, len(before))
        assert (row[1] > 0.5) == (share >= 1)
        assert goal.name == "differ"


def test_summaries_are_the_mean_of_the_encoders_states(model: Any, pairs: Dataset) -> None:
    victim, samples = judged(model, "degrade", pairs)
    (found,) = victim.summaries.launch([samples[0].text]).result()
    assert found.answers == pytest.approx(victim.confirm([samples[0].text.strings]).values, abs=1e-5)
    source = samples[0].text.strings[0]
    with torch.no_grad():
        if isinstance(model, Translator):
            ids = torch.tensor(model.read([source]))
            state = model.net.encode(ids, torch.ones_like(ids))
            states = model.net.memory(state)[0]
        else:
            ids = torch.tensor([model.tokenizer([source])["input_ids"][0]])
            states = model.module.get_encoder()(input_ids=ids).last_hidden_state[0]
    assert found.vectors[0] == pytest.approx(states.mean(0).numpy(), abs=1e-4)


def one_token_of(model: Any, source: str) -> str:
    """A word that the model knows as one token and does not say."""
    said = model.generate([source])[0].text
    known: dict[int, str] = model.spell_words()
    return next(word for word in known.values() if not has_word(said, word))


@pytest.mark.parametrize("goal", ["keyword", "degrade", "unchanged"])
def test_gradients_are_finite_differences(model: Any, pairs: Dataset, goal: str) -> None:
    if goal == "keyword":
        goal = f"keyword={one_token_of(model, PAIRS[1][0])}"
    victim, samples = judged(model, goal, pairs)
    text = samples[1].text
    (found,) = victim.gradients.launch([GradientRequest(text, 0)]).result()
    assert {position for position in found.words.tolist() if position >= 0} == set(text.editable)
    (toward,) = victim.gradients.launch([GradientRequest(text, 1)]).result()
    assert toward.loss == -found.loss
    wanted = find_goal(goal).wanted
    (told,) = model.slopes([text.strings[0]], [text.strings[2]], wanted)
    assert abs(told.loss) == pytest.approx(abs(found.loss))
    moved, given, asked = parts_of(model, text.strings, wanted)
    (plain,) = slopes(moved, [told.ids], [given], asked)
    size = float(np.abs(told.gradient).max())
    assert plain.gradient == pytest.approx(told.gradient, abs=1e-2 * size)
    place = int(np.linalg.norm(plain.gradient, axis=1).argmax())
    there = plain.gradient[[number for number, each in enumerate(told.ids) if each == told.ids[place]]].sum(axis=0)
    scale = float(np.linalg.norm(there))
    for move in [torch.from_numpy(there) / scale, *torch.randn(3, len(there), generator=torch.manual_seed(0))]:
        step, losses = 1e-5 * float(moved.table[told.ids[place]].norm() / move.norm()), []
        for sign in (1, -1):
            moved.table[told.ids[place]] += sign * step * move
            losses.append(slopes(moved, [told.ids], [given], asked)[0].loss)
            moved.table[told.ids[place]] -= sign * step * move
        slope = (losses[0] - losses[1]) / (2 * step)
        assert slope == pytest.approx(float(there @ move.numpy()), abs=5e-3 * scale * float(move.norm()))


def parts_of(model: Any, strings: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[Any, list[int], list[int]]:
    """The net in double precision with a table of its own for sources, the output's tokens, those wanted."""
    if isinstance(model, Translator):
        steps: Any = NetSteps(copy.deepcopy(model.net).double(), torch.device("cpu"))
        first = [model.pieces.encode(word).ids[0] for word in wanted]
        given = greedy(NetSteps(model.net, torch.device("cpu")), model.read([strings[0]]), 128)[0].tokens
        given = given if wanted else model.read([strings[2]])[0][:-1]
    else:
        forced = model.module.generation_config.forced_bos_token_id
        if "fra_Latn" in model.tokenizer.get_vocab():
            forced = model.tokenizer.convert_tokens_to_ids("fra_Latn")
        steps = Steps(copy.deepcopy(model.module).double(), () if forced is None else (forced,))
        first = (
            [ids[0] for ids in model.tokenizer(text_target=list(wanted), add_special_tokens=False)["input_ids"]]
            if wanted
            else []
        )
        clean = model.tokenizer(text_target=[strings[2]], add_special_tokens=False)["input_ids"][0]
        given = model.tokens([strings[0]])[0] if wanted else clean
    table = model.table.detach().clone().double()
    parts = SimpleNamespace(
        device=steps.device, start=steps.start, end=steps.end, pad=steps.pad, forced=steps.forced,
        table=table, scores=steps.scores,
    )  # fmt: skip
    return parts, given, first


def test_one_hot_gradients_are_those_of_all_tokens(model: Any, pairs: Dataset) -> None:
    victim, samples = judged(model, "degrade", pairs)
    plain, one_hot = victim.gradients.launch(
        [GradientRequest(samples[0].text, 0), GradientRequest(samples[0].text, 0, one_hot=True)]
    ).result()
    wanted = plain.gradient @ model.table.detach().numpy().T
    assert one_hot.gradient == pytest.approx(wanted, abs=1e-3 * float(np.abs(wanted).max()))


def run(victim: JudgedGenerator, samples: list[Sample], attack: str, **more: Any) -> list[Outcome]:
    found = [each for step in attack_samples(victim, samples, find_attack(attack), **more) for each in step]
    assert all(isinstance(each, Outcome) for each in found)
    return sorted((each for each in found if isinstance(each, Outcome)), key=lambda each: each.id)


@pytest.mark.parametrize("attack", ["seq2sick", "jsma", "hotflip-word:cosine=0.1", "gs-ec", "gs-gr:words=2"])
@pytest.mark.parametrize("goal", ["differ", "keyword"])
def test_attacks_that_look_inside_keep_their_promises(
    attacked: Any, pairs: Dataset, attack: str, goal: str
) -> None:
    if goal == "keyword":
        goal = f"keyword={one_token_of(attacked, PAIRS[0][0])}"
    victim, samples = judged(attacked, goal, pairs)
    require(victim, find_attack(attack).needs, attack)
    for outcome in run(victim, samples, attack, budget=Budget(queries=25)):
        assert outcome.queries <= 25
        (output,) = attacked.generate_exactly([outcome.perturbed[0]])
        assert outcome.perturbed[1:] == outcome.original[1:]
        fooled = victim.check([outcome.perturbed]).result().values[0].argmax() == 1
        if outcome.status is not Status.SKIPPED:
            assert (outcome.status is Status.SUCCESS) == fooled
        if outcome.status is Status.SUCCESS and goal != "differ":
            assert has_word(output.text, goal.removeprefix("keyword="))


def words_that_bring(model: Any, source: str, wanted: str) -> set[str]:
    """By brute force: the sources with one word replaced by any that the model knows, of which it says a word."""
    words, known = source.split(), list(model.spell_words().values())
    changed = [
        " ".join([*words[:place], word, *words[place + 1 :]])
        for place, word in itertools.product(range(len(words)), known)
    ]
    said = model.generate(changed)
    return {
        text for text, output in zip(changed, said, strict=True)
        if isinstance(output, Output) and has_word(output.text, wanted)
    }  # fmt: skip


def test_a_keyword_is_brought_by_a_word_that_brute_force_finds(tmp_path: Path) -> None:
    folder = SAVE["marian"](tmp_path / "marian")
    model: Any = open_generator(name_of("marian", folder, f"most={MOST}"), Options(device="cpu", dtype="fp32"))
    file = tmp_path / "pairs.tsv"
    file.write_text("en\tde\na fine film\tein Film\ngood film\tguter Film\n", encoding="utf-8")
    data = load(str(file), text="en", pair="de", label=ANSWERS)
    known, hits = list(model.spell_words().values()), 0
    (clean, *said) = model.generate(["a fine film", *(f"{word} fine film" for word in known)])
    new = [word for output in said for word in output.text.split() if word.isalpha() and word not in clean.text]
    for wanted in list(dict.fromkeys(new))[:3]:
        victim, samples = judged(model, f"keyword={wanted}", data)
        one = run(victim, samples, "gs-ec")
        three = run(victim, samples, "gs-ec:words=3")
        for sample, outcome, longer in zip(samples, one, three, strict=True):
            if outcome.status is Status.SKIPPED:
                continue
            ways = words_that_bring(model, sample.text.strings[0], wanted)
            places = {text for text in ways if same_place(text, outcome.perturbed[0], sample.text.strings[0])}
            assert (outcome.status is Status.SUCCESS) == (outcome.perturbed[0] in ways)
            if outcome.status is Status.SUCCESS:
                hits += 1
                assert outcome.perturbed[0] in places
                assert longer.perturbed == outcome.perturbed  # the second word is left alone where one is enough
            else:
                assert not places
                assert longer.words_changed <= 3
    assert hits


def same_place(text: str, other: str, source: str) -> bool:
    """Whether two changes of a source are of the same word."""

    def place(changed: str) -> list[int]:
        return [n for n, (a, b) in enumerate(zip(changed.split(), source.split(), strict=True)) if a != b]

    return place(text) == place(other)


def test_more_words_reach_more(tmp_path: Path) -> None:
    folder = SAVE["marian"](tmp_path / "marian")
    model: Any = open_generator(name_of("marian", folder, f"most={MOST}"), Options(device="cpu", dtype="fp32"))
    file = tmp_path / "pairs.tsv"
    file.write_text("en\tde\na fine film\tein Film\nthe plot is not dull\tguter Film\n", encoding="utf-8")
    data = load(str(file), text="en", pair="de", label=ANSWERS)
    changed = set()
    for words in (1, 2, 3):
        victim, samples = judged(model, "keyword=nowhere", data)
        found = run(victim, samples, f"gs-ec:words={words},candidates=20")
        assert all(outcome.status is Status.FAILED for outcome in found)
        changed.add(tuple(outcome.words_changed for outcome in found))
    assert changed == {(1, 1), (2, 2), (3, 3)}
