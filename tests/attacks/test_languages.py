"""Texts in other languages: words cut by script, synonyms of their own wordnet, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.attacks.test_constraints import kept
from tests.end_to_end.command import fetch_or_skip
from tests.toys import BagOfWords

import unfool
from unfool import resources
from unfool.attacks import find_attack, find_constraints
from unfool.data import from_texts
from unfool.engine import Status
from unfool.errors import UserError
from unfool.text import Text, cutter, guess_language

TEXTS = {
    "French": [
        "Le film est une belle surprise et les acteurs sont excellents dans ce drame de la vie.",
        "Une histoire triste avec des personnages faibles, et je ne suis pas content du résultat.",
        "Le livre est un grand succès pour la famille, une joie pour les enfants et pour moi.",
    ],
    "Spanish": [
        "La película es una gran sorpresa y los actores son muy buenos en este drama de la vida.",
        "Una historia triste con personajes débiles, y no me gusta el final de la obra.",
        "El libro es un éxito para la familia y una alegría para los niños que lo leen.",
    ],
    "Chinese": ["这部电影很好看,我喜欢它的人物。", "这个故事很坏,我不想再看一次。", "书是一个大家的好朋友。"],
    "Japanese": ["この映画はとても良い話で、人の心に残る。", "話は悪いし、音も大きい。", "本は家の友である。"],
}
FILES = {"French": "fra/wn-data-fra", "Spanish": "mcr/wn-data-spa", "Chinese": "cow/wn-data-cmn"}
FILES["Japanese"] = "jpn/wn-data-jpn"


class ByWord(BagOfWords):
    """Reads words as they are cut here, since not all languages have spaces."""

    def probability_row(self, strings: Any) -> Any:
        return super().probability_row(tuple(" ".join(Text.of(string).words) for string in strings))


def attacked(texts_in: str, attack: str, folder: Path, **options: Any) -> unfool.Run:
    victim = ByWord()
    labels = [f"class {victim.label((text,))}" for text in TEXTS[texts_in]]
    data = from_texts(TEXTS[texts_in], labels, names=victim.labels)
    return unfool.attack(victim, data, attack, out=folder, progress=False, **options)


@pytest.fixture(scope="module")
def wordnets() -> Path:
    """The folder of all wordnets."""
    fetch_or_skip("open-wordnet")
    return resources.get("open-wordnet")


def related(folder: Path, language: str) -> dict[str, set[str]]:
    """By each word those that share a line's meaning with it, read once more and in another way."""
    rows = [line.split("\t") for line in (folder / f"{FILES[language]}.tab").read_text("utf-8").splitlines()]
    lemmas = [(row[0], row[2]) for row in rows if row[1] in ("lemma", f"{FILES[language][-3:]}:lemma")]
    by_meaning: dict[str, set[str]] = {}
    for meaning, word in lemmas:
        by_meaning.setdefault(meaning, set()).add(word.lower())
    found: dict[str, set[str]] = {}
    for meaning, word in lemmas:
        found.setdefault(word.lower(), set()).update(by_meaning[meaning])
    return found


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_is_guessed_and_each_new_word_means_the_same_in_it(
    language: str, tmp_path: Path, wordnets: Path
) -> None:
    assert guess_language(TEXTS[language]) == language
    meanings, changed = related(wordnets, language), 0
    for attack in ("pwws", "greedy-synonym", "beam:width=2,steps=2"):
        run = attacked(language, attack, tmp_path / attack.partition(":")[0])
        assert run.config["language"] == language
        assert not any("proposed no change" in remark for remark in run.remarks())
        for outcome in run.outcomes():
            old, new = Text.of(outcome.original[0]).words, Text.of(outcome.perturbed[0]).words
            if len(old) == len(new):
                pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
                assert all(b.lower() in meanings[a.lower()] for a, b in pairs)
                changed += len(pairs)
            elif outcome.status is not Status.SKIPPED:  # a new word of several characters
                changed += 1
    assert changed > 3


def test_the_language_can_be_told_and_is_part_of_the_run(tmp_path: Path, wordnets: Path) -> None:
    run = attacked("French", "pwws", tmp_path / "run", language="Spanish")
    assert run.config["language"] == "Spanish"
    with pytest.raises(UserError, match="language"):
        attacked("French", "pwws", tmp_path / "run", language="Italian", resume=True)


@pytest.mark.parametrize(
    ("attack", "language", "able", "unable"),
    [
        ("pwws", "German", "charmer", "greedy-synonym"),
        ("textfooler", "French", "pwws", "morpheus"),
        ("beam:space=neighbours", "French", "pwws", "morpheus"),
    ],
)
def test_what_an_attack_cannot_read_is_refused_with_what_can(
    attack: str, language: str, able: str, unable: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as refused:
        attacked("French", attack, tmp_path / "run", language=language)
    said = str(refused.value)
    assert f"reads English, not {language}; there is " in said
    assert "\n" not in said
    names = said.partition("there is ")[2].split(", ")
    assert able in names
    assert unable not in names


SCRIPTS = {
    "German": "Der Film ist eine wunderbare Überraschung und die Schauspieler sind großartig.",
    "Greek": "Η ταινία είναι μια υπέροχη έκπληξη και οι ηθοποιοί είναι εξαιρετικοί.",
    "Russian": "Это худший фильм, который я видел в своей жизни, и актёры плохие.",
    "Arabic": "هذا أسوأ فيلم رأيته في حياتي والممثلون سيئون جدا.",
    "Korean": "이것은 내가 본 최악의 영화이고 배우들은 형편없다.",
    "Chinese": "这部电影很好看,我喜欢它的人物。",
    "Japanese": "この映画はとても良い話で、人の心に残る。",
}
BY_LETTERS = [
    *("deepwordbug", "pruthi", "key", "key-star", "charmer", "typos:kind=keyboard", "noise", "noise:kind=key"),
    *("best-of-n", "viper", "viper:space=confusables", "bad-characters", "bad-characters:kind=invisible"),
    *("bad-characters:kind=reordering", "bad-characters:kind=deletion", "beam:space=slips,width=1,steps=1"),
    *(
        "beam:space=look-alikes,width=1,steps=1",
        "textbugger:encoder=universal,similarity=-1,nearest=0",
        "encodings",
    ),
    *("encodings:kind=leet", "encodings:kind=zero-width", "encodings:kind=bidi", "encodings:kind=accents"),
]


@pytest.mark.parametrize("attack", BY_LETTERS)
def test_what_an_attack_on_characters_says_it_reads_it_changes_and_nothing_else(attack: str) -> None:
    for needed in ("stopwords", "confusables", "universal-sentence-encoder"):
        fetch_or_skip(needed)
    for language, text in SCRIPTS.items():
        found = any(True for _ in unfool.perturb(text, attack, n=1, max_words=1.0))
        assert find_attack(attack).reads(language) == found, language


def test_attacks_that_change_nothing_in_chinese_are_neither_taken_nor_recommended(tmp_path: Path) -> None:
    for attack in ("deepwordbug", "pruthi", "key", "typos", "best-of-n", "viper", "bad-characters"):
        with pytest.raises(UserError) as refused:
            attacked("Chinese", attack, tmp_path / "run", language="Chinese")
        said, _, able = str(refused.value).partition("; there is ")
        assert said.startswith(f"the attack '{attack}' changes l") or "changes Latin letters" in said
        assert said.endswith(", and Chinese has hardly any")
        assert {"charmer", "key-star", "encodings", "pwws"} <= set(able.split(", "))
        assert not {attack, "deepwordbug", "key", "viper"} & set(able.split(", "))


@pytest.mark.parametrize("attack", ["deepwordbug", "pruthi", "textbugger:encoder=universal,similarity=-1"])
def test_stop_words_of_the_language_stay(attack: str) -> None:
    for needed in ("stopwords", "confusables", "universal-sentence-encoder"):
        fetch_or_skip(needed)
    for language, text, stay in (
        ("German", "Diese zweite Szene ist nicht sehr übel, und eine war dumm.", {"ist", "nicht", "und", "eine"}),
        ("French", "Quelle aventure dans ce quartier, pour une nuit avec Alain.", {"dans", "pour", "une", "avec"}),
    ):
        found = list(unfool.perturb(text, attack, n=30, max_words=1.0, language=language))
        assert len(found) > 10
        assert all(stay <= {*Text.of(variant).words} for variant in found)


def test_stop_words_of_the_language_are_what_the_constraint_keeps() -> None:
    fetch_or_skip("stopwords")
    german = "Eine sehr dumme Szene, nicht wahr?"
    free, held = (
        [
            Text.of(variant).words
            for variant in unfool.perturb(
                german, "noise", n=20, max_words=1.0, language="German", constrain=constrain
            )
        ]
        for constrain in ("", "stop-words")
    )
    assert any("nicht" not in words for words in free)
    assert held
    assert all({"Eine", "sehr", "nicht"} <= {*words} for words in held)


@pytest.mark.parametrize(
    ("language", "letter", "beside"), [("German", "z", "tu67gh"), ("French", "a", "z&éq"), ("Dutch", "z", "xas")]
)
def test_slips_of_the_finger_are_those_of_the_languages_keyboard(language: str, letter: str, beside: str) -> None:
    for attack in ("key", "typos:kind=keyboard,tries=5", "pruthi:kind=key"):
        found = unfool.perturb(f"bb{letter}bb", attack, n=60, max_words=1.0, language=language)
        assert {slip[2] for slip in found} - {letter} == {*beside}


@pytest.mark.parametrize("language", ["German", "Chinese"])
def test_the_universal_encoder_reads_other_languages(language: str, tmp_path: Path) -> None:
    fetch_or_skip("universal-sentence-encoder")
    near, far = {
        "German": ("Der Film ist wundervoll.", "Die Katze schläft auf dem Sofa."),
        "Chinese": ("这部影片很好看。", "我的猫在沙发上睡觉。"),
    }[language]
    original = {"German": "Der Film ist wunderbar.", "Chinese": "这部电影很好看。"}[language]
    rule = "universal-similarity>=0.6"
    assert find_constraints(rule)[0].reads(language)
    assert kept(rule, Text.of(original), [Text.of(near), Text.of(far)]) == [True, False]


@pytest.mark.parametrize(
    ("string", "words"),
    [
        ("这部电影。", ("这", "部", "电", "影")),
        ("スーパーだ", ("ス", "ー", "パ", "ー", "だ")),
        ("ดีมาก", ("ดี", "ม", "า", "ก")),
        ("GPT4很好 so-so", ("GPT4", "很", "好", "so-so")),
        ("한국어 텍스트", ("한국어", "텍스트")),
    ],
)
def test_characters_are_words_where_no_spaces_part_them(string: str, words: tuple[str, ...]) -> None:
    text = Text.of(string)
    assert text.words == words
    assert text.strings == (string,)
    for at in range(len(words)):
        assert Text.of(text.delete(at).strings[0]).words == (*words[:at], *words[at + 1 :])


@pytest.mark.parametrize(
    ("name", "string", "words"),
    [
        ("jieba", "这部电影非常精彩,GPT4 很好", ("这部", "电影", "非常", "精彩", "GPT4", "很", "好")),
        ("janome", "この映画は素晴らしい。NHKだ", ("この", "映画", "は", "素晴らしい", "NHK", "だ")),
    ],
)
def test_words_by_a_cutter(name: str, string: str, words: tuple[str, ...]) -> None:
    pytest.importorskip(name)
    text = Text.of(string, cut=cutter(name))
    assert text.words == words
    assert text.strings == (string,)
    assert Text.of("a so-so film, isn't it", cut=cutter(name)) == Text.of("a so-so film, isn't it")


def test_an_attack_on_words_that_were_cut_takes_synonyms_of_whole_words(tmp_path: Path, wordnets: Path) -> None:
    pytest.importorskip("jieba")
    victim, meanings = ByWord(), related(wordnets, "Chinese")
    labels = [f"class {victim.label((text,))}" for text in TEXTS["Chinese"]]
    data = from_texts(TEXTS["Chinese"], labels, names=victim.labels, cutter="jieba")
    run = unfool.attack(victim, data, "greedy-synonym", out=tmp_path / "run", progress=False)
    assert run.config["cutter"] == "jieba"
    swaps = [swap for outcome in run.outcomes() for step in outcome.steps for swap in step]
    assert all(swap.new in meanings[swap.old] for swap in swaps)
    assert {"电影", "喜欢", "人物", "朋友"} & {swap.old for swap in swaps}


def test_a_cutter_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(UserError, match="no cutter 'jeiba'; did you mean 'jieba'"):
        from_texts(["书"], ["a"], cutter="jeiba")
