"""The zoo: small nets to attack, trained on first use, and fine-tuned encoders."""

from unfool.zoo._embeddings import first_vectors
from unfool.zoo._finetune import finetune
from unfool.zoo._fit import Accuracy, Fitted
from unfool.zoo._names import names, victim
from unfool.zoo._nets import make_net
from unfool.zoo._store import load, save
from unfool.zoo._training import train
from unfool.zoo._victim import NetVictim
from unfool.zoo._vocabulary import WordVocabulary

__all__ = [
    "Accuracy",
    "Fitted",
    "NetVictim",
    "WordVocabulary",
    "finetune",
    "first_vectors",
    "load",
    "make_net",
    "names",
    "save",
    "train",
    "victim",
]
