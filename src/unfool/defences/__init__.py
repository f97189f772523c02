"""Defences: what makes a victim harder to fool, and how to tell whether it does."""

from unfool.defences.switch import Switch, SwitchSettings

__all__ = ["Switch", "SwitchSettings"]
