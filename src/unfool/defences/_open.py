"""The defences as victims by name, such as ``five:VICTIM`` and ``normalise:VICTIM``."""

from __future__ import annotations

from typing import Any

from unfool.defences.five import Five, FiveSettings
from unfool.defences.fuse import Fuse, FuseSettings
from unfool.defences.normalise import Normalise, NormaliseSettings
from unfool.defences.smooth import Smooth, SmoothSettings
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.victims import Options, open_victim, victim_kind


@victim_kind("fuse:VICTIM or fuse[words=2,…]:VICTIM", settings=FuseSettings)
def fuse(name: str, options: Options, **settings: Any) -> Predictor:
    """A defence: the text and rewordings of it vote."""
    chosen = FuseSettings(**settings)  # refused before the victim is opened, which may take long
    return Fuse(_defended(name, options), chosen)


@victim_kind("five:VICTIM or five[std=0.5,…]:VICTIM", settings=FiveSettings)
def five(name: str, options: Options, **settings: Any) -> Predictor:
    """A defence: copies with noise on important tokens vote."""
    chosen = FiveSettings(**settings)
    return Five(_defended(name, options), chosen)


@victim_kind("normalise:VICTIM or normalise[repeats=0,…]:VICTIM", settings=NormaliseSettings)
def normalise(name: str, options: Options, **settings: Any) -> Predictor:
    """A defence: odd characters are made plain first."""
    chosen = NormaliseSettings(**settings)
    return Normalise(_defended(name, options), chosen)


@victim_kind("smooth:VICTIM or smooth[share=0.3,…]:VICTIM", settings=SmoothSettings)
def smooth(name: str, options: Options, **settings: Any) -> Predictor:
    """A defence: copies changed at random vote."""
    chosen = SmoothSettings(**settings)
    return Smooth(_defended(name, options), chosen)


def _defended(name: str, options: Options) -> Any:
    head, _, inner = name.partition(":")
    if not inner:
        raise UserError(f"{name!r} names no victim to defend; write {head.partition('[')[0]}:VICTIM")
    # Copies and rewordings differ by little: what a search takes for noise would be their vote.
    return open_victim(inner, options.unless_named("fp32"))
