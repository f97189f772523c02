"""Goals of models that generate: by hand, at their edges, and for any texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.errors import UserError
from unfool.generation import GOALS, Translation, bleu, chrf, find_goal, has_word, told_goals

pytest.importorskip("sacrebleu")

SOURCE, CHANGED = "the cat sat on the mat", "the cat sat on the hat"
CLEAN, REFERENCE = "die Katze saß auf der Matte", "die Katze saß auf einer Matte"


def seen(output: str, reference: str | None = REFERENCE, changed: str = CHANGED) -> Translation:
    return Translation(SOURCE, changed, CLEAN, output, reference)


def by_hand(text: str, other: str) -> float:
    """chrF2 as Popović defines it: character n-grams up to six, spaces out, recall weighing twice."""
    one, two = text.replace(" ", ""), other.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 7):
        first = [one[i : i + n] for i in range(len(one) - n + 1)]
        second = [two[i : i + n] for i in range(len(two) - n + 1)]
        if not (first and second):
            continue
        common = sum(min(first.count(gram), second.count(gram)) for gram in set(first))
        precisions.append(common / len(first))
        recalls.append(common / len(second))
    p, r = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 5 * p * r / (4 * p + r) if p + r else 0.0


@pytest.mark.parametrize("output", ["die Katze sitzt auf dem Hut", "ein Hund", "der Hut"])
def test_teapot_is_as_computed_by_hand(output: str) -> None:
    kept = by_hand(CHANGED, SOURCE)
    lost = max(0.0, (by_hand(CLEAN, REFERENCE) - by_hand(output, REFERENCE)) / by_hand(CLEAN, REFERENCE))
    found = find_goal("degrade").score(seen(output))
    assert found.nearness == pytest.approx((kept + lost) / 2, abs=1e-6)
    assert found.reached == (kept + lost > 1)


def test_teapot_at_its_edges() -> None:
    goal = find_goal("degrade")
    assert not goal.score(seen(CLEAN)).reached  # nothing lost
    assert goal.score(seen("")).reached  # all lost, and the source is nearly the same
    assert goal.score(seen("")).nearness == pytest.approx((chrf(CHANGED, SOURCE) + 1) / 2)
    better = goal.score(seen(REFERENCE))
    assert better.nearness == pytest.approx(chrf(CHANGED, SOURCE) / 2)  # a gain is no loss
    hopeless = Translation(SOURCE, CHANGED, "xyz", "", "qqq")
    assert not goal.score(hopeless).reached  # of nothing, nothing is lost
    unrelated = seen("", changed="0")
    assert not goal.score(unrelated).reached  # another source may have another translation


def test_without_a_reference_outputs_are_compared_with_each_other() -> None:
    goal = find_goal("degrade")
    assert not goal.score(seen(CLEAN, None)).reached
    assert goal.score(seen("ein Hund", None)).reached
    half = goal.score(seen("die Katze saß auf dem Hut", None))
    assert half.nearness == pytest.approx(
        chrf(CHANGED, SOURCE) / (chrf(CHANGED, SOURCE) + chrf("die Katze saß auf dem Hut", CLEAN))
    )


def test_a_drop_is_enough_if_it_is_asked_for() -> None:
    output = "die Katze saß"
    lost = (chrf(CLEAN, REFERENCE) - chrf(output, REFERENCE)) / chrf(CLEAN, REFERENCE)
    assert find_goal(f"degrade:drop={lost - 0.01}").score(seen(output)).reached
    assert not find_goal(f"degrade:drop={lost + 0.01}").score(seen(output)).reached
    assert find_goal("degrade:by=bleu,drop=0.5").score(seen("ein Hund")).reached


def test_to_say_less_is_no_way_to_differ() -> None:
    goal = find_goal("differ")
    assert not goal.score(seen("")).reached
    assert not goal.score(seen("ein Hund")).reached
    assert goal.score(seen("ein Hund lief unter einem Baum")).reached
    assert goal.score(seen("ein Katze lief unter einem Baum")).nearness == pytest.approx(5 / 6)
    assert goal.out_of_reach(" ") == "no word in the clean output"
    assert goal.out_of_reach(CLEAN) is None


def test_keywords_are_whole_words_all_of_them() -> None:
    goal = find_goal("keyword=Art+Haus")
    assert not goal.score(seen("eine Artikel im Haus")).reached
    assert not goal.score(seen("art und Haus")).reached
    assert goal.score(seen("die Art, das Haus.")).reached
    one = goal.score(seen("die Art"))
    nearer = goal.score(seen("die Art")._replace(weights=(0.0, -2.0)))
    assert 0.5 <= one.nearness < nearer.nearness < 1


def test_what_vanishes_was_there() -> None:
    numbers = find_goal("vanish=numbers")
    had = Translation("a", "b", "um 10 Uhr 30", "um zehn Uhr 30", None)
    assert numbers.score(had) == (0.5, False)
    assert numbers.score(had._replace(output="um zehn")).reached
    assert not numbers.score(seen("")).reached  # there was no number
    assert find_goal("vanish=names").score(had._replace(clean="das ist Berlin", output="das ist es")).reached
    assert find_goal("vanish=Matte").score(seen("die Katze")).reached


@pytest.mark.parametrize(
    ("language", "clean", "kept", "lost"),
    [
        ("de", "er hat kein Auto", "er hat nichts", "er hat ein Auto"),
        ("en", "he isn't here", "he is never here", "he is here"),
        ("es", "no está aquí", "nunca está", "está aquí"),
        ("fr", "il n'est pas là", "il n'a rien", "il est là"),
        ("it", "non lo so", "non lo vedo mai", "lo so"),
        ("nl", "ik weet het niet", "ik weet niets", "ik weet het"),
        ("pt", "ele não está no parque", "nunca está no parque", "ele está no parque"),
    ],
)
def test_negation_vanishes_where_no_word_says_no_any_more(language: str, clean: str, kept: str, lost: str) -> None:
    goal = find_goal(f"vanish=negation-{language}")
    had = Translation("a", "b", clean, kept)
    assert not goal.score(had).reached
    assert goal.score(had._replace(output=lost)).reached
    assert goal.out_of_reach(clean) is None
    assert goal.out_of_reach(lost) == f"nothing to vanish (negation-{language}) in the clean output"


def test_names_have_a_capital_of_any_alphabet() -> None:
    had = Translation("a", "b", "wir sahen Émile in Århus", "wir sahen jemand in Århus")
    assert find_goal("vanish=names").score(had) == (0.5, False)


def test_where_no_spaces_stand_between_words_characters_count() -> None:
    had = Translation("我喜欢", "我爱", "我喜欢这部电影", "我喜欢这部影片")
    assert find_goal("differ").score(had).nearness == pytest.approx(2 / 7)
    assert find_goal("differ").score(had._replace(output="他不看那本小说")).reached
    assert find_goal("keyword=电影").score(had._replace(output="我喜欢这部电影")).reached
    assert not find_goal("keyword=电影").score(had).reached
    assert find_goal("keyword=Art").score(had._replace(output="我喜欢Art的")).reached
    assert not find_goal("keyword=Art").score(had._replace(output="我喜欢Artikel的")).reached
    assert find_goal("grow").score(had._replace(output="我喜欢" * 20)).reached
    assert not find_goal("grow").score(had).reached
    assert find_goal("vanish").score(had._replace(clean="我有3本书", output="我有书")).reached
    thai = Translation("a", "b", "สวัสดีครับ", "สวัสดีค่ะ")
    assert not find_goal("differ").score(thai).reached
    assert find_goal("keyword=ครับ").score(thai._replace(output="สวัสดีครับ")).reached


def test_a_word_as_alike_as_can_be_brings_a_keyword_nearer_where_no_weight_is_told() -> None:
    goal = find_goal("keyword=Kater")
    far, near, there = (goal.score(seen(output)) for output in ("der Hund", "die Katze", "der Kater"))
    assert far.nearness < near.nearness < there.nearness
    assert [each.reached for each in (far, near, there)] == [False, False, True]


def test_an_output_may_stay_though_the_source_does_not() -> None:
    goal = find_goal("unchanged")
    assert goal.score(seen(CLEAN)).reached
    assert not goal.score(seen(CLEAN, changed=SOURCE)).reached
    assert not goal.score(seen("etwas anderes")).reached


def test_an_output_may_grow() -> None:
    goal = find_goal("grow:times=2")
    assert goal.score(seen("die " * 12)).reached
    assert goal.score(seen("ein Hund lief unter einem Baum")) == (0.5, False)
    assert goal.score(seen("der Hund der Hund")).reached  # shorter, but each word is said twice
    assert not goal.score(seen("der Hund der")).reached


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("degrad", "did you mean 'degrade'"),
        ("degrade:bye=chrf", "no setting 'bye'"),
        ("degrade:by=rouge", "give chrf or bleu"),
        ("degrade:drop=2", "above 0 and up to 1"),
        ("keyword", "names no word"),
        ("grow:times=1", "above 1"),
        ("vanish=negation-pl", "there are de, en, es, fr, it, nl, pt"),
        ("vanish=negation", "name the outputs' language, as in vanish=negation-en"),
    ],
)
def test_what_is_no_goal_is_told(spec: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        find_goal(spec)


@pytest.mark.parametrize(
    "spec", ["degrade", "degrade:by=bleu,drop=0.5", "keyword=Art", "vanish=names", "grow:times=3"]
)
def test_a_goal_is_rebuilt_from_its_repr(spec: str) -> None:
    assert repr(find_goal(repr(find_goal(spec)))) == repr(find_goal(spec))


def test_every_goal_says_what_it_is() -> None:
    assert set(told_goals()) == set(GOALS)
    assert all(told.endswith(".") for told in told_goals().values())


TEXTS = st.text("ab 1.N", max_size=12)


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.one_of(st.none(), TEXTS))
def test_every_goal_stays_between_nothing_and_one(
    source: str, changed: str, clean: str, output: str, reference: str | None
) -> None:
    given = Translation(source, changed, clean, output, reference)
    for spec in ("degrade", "degrade:drop=0.3", "differ", "keyword=a", "vanish=numbers", "unchanged", "grow"):
        found = find_goal(spec).score(given)
        assert 0 <= found.nearness <= 1
        unchanged = find_goal(spec).score(Translation(source, source, clean, clean, reference))
        assert not unchanged.reached or (spec == "keyword=a" and has_word(clean, "a"))


@given(TEXTS, TEXTS)
def test_likeness_is_one_only_of_equals_up_to_spaces(text: str, other: str) -> None:
    for alike in (chrf, bleu):
        assert 0 <= alike(text, other) <= 1.0000001
        assert alike(text, text) == 1
