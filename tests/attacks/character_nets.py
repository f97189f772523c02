"""Nets that read characters, and what one change makes of a word."""

from __future__ import annotations

from tests.toy_nets import toy_net

from unfool import zoo
from unfool.zoo.encoders import CharWords, NetEncoder


def character_victim(encoder: NetEncoder) -> zoo.CharacterVictim:
    front = "CharCNN" if isinstance(encoder, CharWords) else "Vectors"
    victim = toy_net("LSTM", encoder, front, units=6, pool="last")
    assert isinstance(victim, zoo.CharacterVictim)
    return victim


def single_changes(word: str, letters: str) -> set[str]:
    flips = {word[:at] + letter + word[at + 1 :] for at in range(len(word)) for letter in letters}
    inserts = {word[:at] + letter + word[at:] for at in range(len(word) + 1) for letter in letters}
    return flips | inserts | {word[:at] + word[at + 1 :] for at in range(len(word))}
