"""A guess at the language of texts, good enough to say that an attack does not read it."""

from __future__ import annotations

import csv

import pytest
from tests.end_to_end.command import REVIEWS

from unfool.text import guess_language


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("Chinese", ["这部电影非常好看，我很喜欢。", "服务态度很差，不推荐。"]),
        ("Japanese", ["この映画はとても面白かったです。", "最悪の商品でした。"]),
        ("Korean", ["이 영화는 정말 재미있었어요."]),
        ("Cyrillic", ["Этот фильм был очень хорошим."]),
        ("Arabic", ["كان هذا الفيلم رائعا جدا"]),
        ("German", ["Das war die schlechteste Serie, die ich je gesehen habe.", "Ein wunderbarer Film!"]),
        ("French", ["Ce film est une merveille, je l'ai adoré et je le recommande à tous."]),
        ("Spanish", ["La película es muy buena y los actores lo hacen muy bien."]),
        ("Portuguese", ["O filme é muito bom e os atores são ótimos.", "Não recomendo para ninguém."]),
        ("Italian", ["Il film è molto bello e gli attori non sono male.", "Non lo consiglio per niente."]),
        ("Dutch", ["De film was heel goed en de acteurs zijn ook erg leuk om naar te kijken."]),
        ("Swedish", ["Filmen var mycket bra och jag tycker att skådespelarna är roliga.", "Den är inte för barn."]),
        ("Danish", ["Filmen var meget god, og jeg synes, at skuespillerne er sjove.", "Jeg blev glad af den."]),
        ("Norwegian", ["Filmen var veldig god, og jeg ble glad av den.", "Jeg likte den mye, men hva er dette?"]),
        ("Polish", ["Film jest bardzo dobry i nie ma w nim nic, co by mi się nie podobało.", "To już było."]),
        ("Finnish", ["Elokuva oli hyvä ja näyttelijät ovat taitavia, mutta se ei ole niin hauska kuin ennen."]),
        ("Romanian", ["Filmul este foarte bun și actorii sunt minunați, dar nu pentru copii."]),
        ("Catalan", ["La pel·lícula és molt bona i els actors ho fan amb ganes, però no per als nens."]),
        ("Turkish", ["Film çok güzel ve oyuncular da iyi ama bu kadar uzun olan bir film değil.", "Ne için?"]),
        ("Hungarian", ["A film nagyon jó volt, és a színészek is nagyszerűek, de ez nem az, hogy még egy kell."]),
        ("Indonesian", ["Film ini sangat bagus dan saya tidak akan lupa itu.", "Cerita yang ada di dalam."]),
        ("Czech", ["Film je velmi dobrý a herci jsou skvělí, ale to se mi nelíbí, že je tak dlouhý."]),
        ("English", ["A film of the year.", "The plot makes no sense and it is painfully dull."]),
    ],
)
def test_languages(language: str, texts: list[str]) -> None:
    assert guess_language(texts) == language


def test_english_reviews_are_english() -> None:
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    assert guess_language(texts) == "English"
    assert {guess_language([text]) for text in texts} <= {"English", None}


@pytest.mark.parametrize(
    "texts",
    [[], [""], ["123 456 !?"], ["lol omg so cool!!!", "ugh hate mondays"], ["no, no, no, as as no as no"]],
    ids=["none", "empty", "numbers", "too little to tell", "one word again and again"],
)
def test_where_it_cannot_be_told_nothing_is_said(texts: list[str]) -> None:
    assert guess_language(texts) is None


def test_one_foreign_quotation_does_not_count() -> None:
    english = "The man in the film says that it was not for him, and I can only agree with what he says."
    assert guess_language([english, f"{english} 非常好看"]) == "English"
