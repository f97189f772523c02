"""The zoo: models to attack, trained by name on first use, and fine-tuned encoders."""

from unfool.zoo._catalogue import (
    CATALOGUE,
    ClassicalRecipe,
    EncoderRecipe,
    Entry,
    NetRecipe,
    entry,
    stand_in,
)
from unfool.zoo._open import Trained, ensure, train_many, victim
from unfool.zoo._train import train, train_net
from unfool.zoo._victim import CharacterVictim, NetVictim, victim_kind
from unfool.zoo.data_cache import DatasetCache, EncodedSplits, encode_splits
from unfool.zoo.encoders import Characters, CharWords, WordVocabulary
from unfool.zoo.nets import make_net
from unfool.zoo.packing import pack, unpack
from unfool.zoo.store import load, save, write
from unfool.zoo.victim_names import PREFIX, Named, expand, expand_all, parse, trained
from unfool.zoo.word_vectors import first_front, first_vectors

__all__ = [
    "CATALOGUE",
    "PREFIX",
    "CharWords",
    "CharacterVictim",
    "Characters",
    "ClassicalRecipe",
    "DatasetCache",
    "EncodedSplits",
    "EncoderRecipe",
    "Entry",
    "Named",
    "NetRecipe",
    "NetVictim",
    "Trained",
    "WordVocabulary",
    "encode_splits",
    "ensure",
    "entry",
    "expand",
    "expand_all",
    "first_front",
    "first_vectors",
    "load",
    "make_net",
    "pack",
    "parse",
    "save",
    "stand_in",
    "train",
    "train_many",
    "train_net",
    "trained",
    "unpack",
    "victim",
    "victim_kind",
    "write",
]
