"""Defences: what makes a victim harder to fool, and how to tell whether it does."""

from unfool.defences._votes import Vote
from unfool.defences.five import Five, FiveSettings
from unfool.defences.fuse import Fuse, FuseSettings
from unfool.defences.normalise import Normalise, NormaliseSettings, normalised
from unfool.defences.smooth import Smooth, SmoothSettings
from unfool.defences.switch import Switch, SwitchSettings

__all__ = [
    "Five",
    "FiveSettings",
    "Fuse",
    "FuseSettings",
    "Normalise",
    "NormaliseSettings",
    "Smooth",
    "SmoothSettings",
    "Switch",
    "SwitchSettings",
    "Vote",
    "normalised",
]
