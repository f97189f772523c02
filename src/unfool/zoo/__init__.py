"""The zoo: models to attack, trained by name on first use, and fine-tuned encoders."""

from unfool.training import Accuracy, Fitted, finetune
from unfool.zoo._catalogue import CATALOGUE, Entry, stand_in
from unfool.zoo._embeddings import first_vectors
from unfool.zoo._names import Named, ensure, expand, expand_all, names, parse, trained, victim
from unfool.zoo._pack import pack, unpack
from unfool.zoo._store import load, save
from unfool.zoo._train_many import Trained, train_many
from unfool.zoo._training import train
from unfool.zoo._victim import AttentiveVictim, CharacterVictim, NetVictim
from unfool.zoo.encoders import Characters, CharWords, WordVocabulary
from unfool.zoo.nets import make_net

__all__ = [
    "CATALOGUE",
    "Accuracy",
    "AttentiveVictim",
    "CharWords",
    "CharacterVictim",
    "Characters",
    "Entry",
    "Fitted",
    "Named",
    "NetVictim",
    "Trained",
    "WordVocabulary",
    "ensure",
    "expand",
    "expand_all",
    "finetune",
    "first_vectors",
    "load",
    "make_net",
    "names",
    "pack",
    "parse",
    "save",
    "stand_in",
    "train",
    "train_many",
    "trained",
    "unpack",
    "victim",
]
