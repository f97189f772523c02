"""What attacks know about words: synonyms, vectors and neighbours, parts of speech, stop words."""

from unfool.lexicon._keyboard import key_neighbours
from unfool.lexicon._neighbours import Neighbours, counter_fitted, glove_neighbours
from unfool.lexicon._stop_words import StopWords, stop_words
from unfool.lexicon._taggers import Tagger, tagger
from unfool.lexicon._tags import universal, wordnet_pos
from unfool.lexicon._vector_files import published_vectors
from unfool.lexicon._vectors import Vectors, glove
from unfool.lexicon._wordnet import WordNet, wordnet

__all__ = [
    "Neighbours",
    "StopWords",
    "Tagger",
    "Vectors",
    "WordNet",
    "counter_fitted",
    "glove",
    "glove_neighbours",
    "key_neighbours",
    "published_vectors",
    "stop_words",
    "tagger",
    "universal",
    "wordnet",
    "wordnet_pos",
]
