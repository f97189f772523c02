"""Words that carry grammar rather than meaning, which attacks leave alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Self

from unfool import resources
from unfool.errors import UserError, did_you_mean

_FUNCTION_WORDS = """
    a an the this that these those each every either neither another any some no none all both half
    such which whichever what whatever whose other others own same several few many much more most
    less least enough

    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
    she her hers herself it its itself they them their theirs themselves who whoever whom
    one oneself anyone anybody anything someone somebody something everyone everybody everything
    nobody noone nothing

    about above across after against along alongside amid among amongst around as at atop before behind
    below beneath beside besides between beyond by concerning despite down due during except for from
    in inside into like near of off on onto out outside over past per regarding since than
    through throughout till to toward towards under underneath until up upon versus via with within
    without

    and but or nor if unless although though because while whilst whereas whether lest once yet

    am is are was were been being can could may might must shall should would ought cannot

    not never nowhere too also only even else again already always ever just now then there here
    thus hence therefore thereby therein thereafter thereupon hereby herein hereafter hereupon
    however moreover furthermore nevertheless nonetheless otherwise instead meanwhile
    indeed rather quite almost nearly perhaps maybe often sometimes somewhere anywhere
    everywhere elsewhere sometime somehow anyhow anyway somewhat still
    when whenever where wherever whereby wherein whereupon why how

    don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't can't couldn't
    shouldn't mustn't mightn't needn't ain't
"""


class StopWords(frozenset[str]):
    """A set of lower-case words that knows its name."""

    name: str

    def __new__(cls, words: Iterable[str], name: str) -> Self:
        """Make the set.

        Args:
            words: The words.
            name: What `stop_words` calls this set.
        """
        self = super().__new__(cls, words)
        self.name = name
        return self

    def __repr__(self) -> str:
        return f"stop_words({self.name!r})"


@cache
def stop_words(name: str = "textfooler") -> StopWords:
    """Return a list of English stop words.

    Args:
        name: ``textfooler`` or ``nltk``.

            ``textfooler`` stands in for the list of 266 words TextFooler (Jin et al., 2020) leaves alone.
            This one is ours, of the same size, and keeps what is known of theirs: *not, no, never, but* are
            in it; *do, does, did, has, have, had, be, will, so, very* are not. ``nltk`` is NLTK's English
            list, obtained on first use.
    """
    if name == "textfooler":
        return StopWords(_FUNCTION_WORDS.split(), name)
    if name == "nltk":
        listed = resources.get("stopwords") / "english"
        return StopWords(listed.read_text(encoding="utf-8").split(), name)
    raise UserError(f"there is no stop word list {name!r}{did_you_mean(name, ('textfooler', 'nltk'))}")
