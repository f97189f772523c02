"""Searches that visitors start: which victims they may attack, how, and how many share one machine."""

from unfool.app.trial._forms import LONGEST_SETTING, attack_forms, read_attack
from unfool.app.trial._queue import Busy, Queue
from unfool.app.trial._search import Event, Search, Wish
from unfool.app.trial._shelf import Shelf

__all__ = ["LONGEST_SETTING", "Busy", "Event", "Queue", "Search", "Shelf", "Wish", "attack_forms", "read_attack"]
