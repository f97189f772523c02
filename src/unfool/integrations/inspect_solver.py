"""A solver for Inspect: the prompt, changed by an attack of unfool before the model reads it."""

from __future__ import annotations

from typing import Any

from inspect_ai.solver import solver

from unfool.integrations import SETTINGS, changed


@solver(name="perturbed")  # type: ignore[untyped-decorator]
def perturbed(
    attack: str = SETTINGS["attack"], seed: int = SETTINGS["seed"], max_words: float = SETTINGS["max_words"]
) -> Any:
    """Change the user's prompt by misspellings, look-alikes and the like.

    Args:
        attack: The attack with its settings.
        seed: Decides what is changed.
        max_words: The largest share of words that changes.
    """

    async def solve(state: Any, generate: Any) -> Any:
        prompt = state.user_prompt
        prompt.text = changed(prompt.text, attack=attack, seed=seed, max_words=max_words)
        return state

    return solve
