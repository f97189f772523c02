"""The runs of the golden set: every family of attack, on texts and on pairs, with budgets, rules and targets."""

from __future__ import annotations

from typing import NamedTuple

from tests.golden.calls import Limits

ONE, TWO, THREE, TURNED, MOODS = (
    f"py:tests.golden.victims:{name}" for name in ("one", "two", "three", "turned", "moods")
)
SMALL_GA = "population=8,generations=4"


class Attacked(NamedTuple):
    """A run of the golden set."""

    name: str
    victim: str
    """A function, or in braces a net of the workshop."""
    attack: str
    limits: Limits = Limits()
    edit: str | None = None
    """Of pairs, the text that may change; both where ``both``; None for reviews."""


RUNS = (
    Attacked("greedy-synonym", ONE, "greedy-synonym", Limits(queries=21)),
    Attacked("pwws", ONE, "pwws"),
    Attacked("pwws-pairs", ONE, "pwws:variant=released", edit="pair"),
    Attacked("pwws-queries", TWO, "pwws:variant=adjusted,same_pos=false", Limits(queries=86)),
    Attacked("pwws-constrained", ONE, "pwws", Limits(constrain="words<=0.25,pos,stop-words,similarity>=0.7")),
    Attacked("pwws-labels-crossed", TURNED, "pwws"),
    Attacked("pwws-ensemble", f"ensemble:{ONE}+{TWO}+{THREE}", "pwws"),
    Attacked("textfooler", TWO, "textfooler"),
    Attacked("textfooler-released", ONE, "textfooler:variant=released"),
    Attacked("textfooler-pairs", THREE, "textfooler:variant=adjusted,similarity=0.5,short=skip", edit="both"),
    Attacked(
        "textfooler-target", MOODS, "textfooler:compare=original,tags=penn,random_share=0.9", Limits(target="calm")
    ),
    Attacked("ga", THREE, f"ga:{SMALL_GA}", Limits(seed=3)),
    Attacked("ga-target-words", MOODS, f"ga:{SMALL_GA}", Limits(target="sad", words=0.3)),
    Attacked("ga-pairs", ONE, f"ga:substitutes=counter-fitted,nearest=5,{SMALL_GA}", Limits(queries=38), "pair"),
    Attacked("list", TWO, "list", Limits(constrain="word-similarity>=0.6,grammar")),
    Attacked("random", THREE, "random:trials=20", Limits(seed=5)),
    Attacked("random-pairs", TWO, "random:trials=20", edit="both"),
    Attacked("key", ONE, "key:budget=0.2", Limits(characters=0.1)),
    Attacked("key-star-sure", TWO, "key-star:draws=3,budget=0.2", Limits(confidence=0.8, seed=1)),
    Attacked("key-star-constrained", "{cnn}", "key-star", Limits(constrain="characters<=0.08,not-in-vocabulary")),
    Attacked("hotflip", "{letters}", "hotflip"),
    Attacked(
        "hotflip-greedy", "{letters}", "hotflip:width=1,operations=flips,score=loss,budget=0.3", Limits(words=0.3)
    ),
    Attacked("hotflip-pairs", "{letters of pairs}", "hotflip:per_word=2", Limits(queries=12), "pair"),
    Attacked("hotflip-exact", "{letters}", "hotflip-exact:width=1,operations=flips,budget=0.03"),
    Attacked("hotflip-word", "{cnn}", "hotflip-word:cosine=0.4"),
    Attacked("hotflip-word-best", "{attentive}", "hotflip-word:cosine=0.3,positions=best,width=1,flips=3"),
    Attacked("jsma", "{cnn}", "jsma"),
    Attacked("jsma-lstm", "{lstm}", "jsma:most=8"),
    Attacked("jsma-cosine", "{bert}", "jsma:projection=cosine,most=3"),
    Attacked("jsma-pairs", "{attentive to pairs}", "jsma:most=5", edit="pair"),
    Attacked("asmin-gr", "{bert}", "asmin-gr:layer=-1,head=0"),
    Attacked("asmax-gr-pairs", "{attentive to pairs}", "asmax-gr", edit="pair"),
    Attacked("asmin-ec", "{attentive}", "asmin-ec:candidates=30,marks=false"),
    Attacked("asmax-ec-pairs", "{bert}", "asmax-ec:candidates=30,row=column_mean", edit="both"),
    Attacked("gs-gr", "{bert}", "gs-gr:order=best,candidates=60", Limits(queries=58)),
    Attacked("gs-ec", "{cnn}", "gs-ec:candidates=30"),
    Attacked("gs-gr-pairs", "{attentive to pairs}", "gs-gr", edit="pair"),
    Attacked("pwws-fuse", "fuse[words=2]:{cnn}", "pwws", Limits(eot=2)),
    Attacked("list-five", "five:{bert}", "list", Limits(eot=2)),
)
