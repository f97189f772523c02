"""SWITCH: other wordings of a text that keep its class (FireBERT, Mein et al., 2020)."""

from unfool.defences.switch._importance import Importance, token_importance
from unfool.defences.switch._settings import SwitchSettings
from unfool.defences.switch._switch import Switch

__all__ = ["Importance", "Switch", "SwitchSettings", "token_importance"]
