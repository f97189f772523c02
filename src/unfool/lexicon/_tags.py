"""Penn Treebank tags, and what they are in coarser tag sets."""

from __future__ import annotations

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
