"""Language models as classifiers: a prompt, and how much belief each label gets."""

from unfool.victims.prompted._mass import Mass, Position, label_mass
from unfool.victims.prompted._prompt import DEFAULT_PROMPT, Prompt
from unfool.victims.prompted.causal import Causal, CausalSettings
from unfool.victims.prompted.chat import Answered, Chat, ChatSettings, SampledChat, open_chat

__all__ = [
    "DEFAULT_PROMPT",
    "Answered",
    "Causal",
    "CausalSettings",
    "Chat",
    "ChatSettings",
    "Mass",
    "Position",
    "Prompt",
    "SampledChat",
    "label_mass",
    "open_chat",
]
