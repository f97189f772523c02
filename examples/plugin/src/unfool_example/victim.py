"""A kind of victim: another victim that reads everything in small letters."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.options import Options
from unfool.victims import FunctionVictim, open_victim, victim_kind


@victim_kind("quiet:VICTIM")
def quiet(name: str, options: Options) -> FunctionVictim:
    """Another victim that reads everything in small letters."""
    inner = open_victim(name.partition(":")[2], options)

    def probabilities(texts: Sequence[str]) -> object:
        return inner.check([(text.lower(),) for text in texts]).result().values

    return FunctionVictim(probabilities, inner.labels, name)
