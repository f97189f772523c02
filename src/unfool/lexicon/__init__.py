"""What attacks know about words: synonyms, vectors and neighbours, parts of speech, stop words."""

from unfool.lexicon._neighbours import Neighbours, counter_fitted, glove_neighbours
from unfool.lexicon._open_wordnet import WORDNETS, OpenWordNet, open_wordnet
from unfool.lexicon._stop_words import kept_words, stop_words, stop_words_of
from unfool.lexicon._string_service import StringService
from unfool.lexicon._taggers import PENN, tagger, universal, wordnet_pos
from unfool.lexicon._vectors import Vectors, glove, published_vectors
from unfool.lexicon._wordnet import WordNet, wordnet

__all__ = [
    "PENN",
    "WORDNETS",
    "Neighbours",
    "OpenWordNet",
    "StringService",
    "Vectors",
    "WordNet",
    "counter_fitted",
    "glove",
    "glove_neighbours",
    "kept_words",
    "open_wordnet",
    "published_vectors",
    "stop_words",
    "stop_words_of",
    "tagger",
    "universal",
    "wordnet",
    "wordnet_pos",
]
