"""A provider for promptfoo: prompts, changed by an attack of unfool, go on to an OpenAI-compatible address.

``python -c "import unfool.integrations.promptfoo_provider as here; print(here.__file__)"`` prints the path that
promptfoo wants, as ``file://PATH``.
"""

from __future__ import annotations

import os
from typing import Any

from unfool.integrations import SETTINGS, changed


def call_api(prompt: str, options: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """Answer as promptfoo wants it.

    Args:
        prompt: The prompt.
        options: Its ``config`` holds ``url``, up to ``/v1``, and ``model``; ``attack``, ``seed`` and ``max_words``
            may be there, and ``token_env``, the environment variable with the key (default: OPENAI_API_KEY).
        context: What promptfoo tells besides.
    """
    import httpx

    config = options.get("config", {})
    sent = changed(prompt, **{name: config[name] for name in SETTINGS if name in config})
    body = {"model": config.get("model"), "messages": [{"role": "user", "content": sent}]}
    token = os.environ.get(config.get("token_env", "OPENAI_API_KEY"), "")
    try:
        answer = httpx.post(
            f"{config['url'].rstrip('/')}/chat/completions",
            json=body,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=config.get("timeout", 60),
        )
        answer.raise_for_status()
        told = answer.json()
        said = told["choices"][0]["message"]["content"]
    except (httpx.HTTPError, LookupError, TypeError, ValueError) as error:
        return {"error": f"{type(error).__name__}: {error}", "metadata": {"sent": sent}}
    used = told.get("usage") or {}
    tokens = {"total": used.get("total_tokens"), "prompt": used.get("prompt_tokens")}
    return {"output": said, "tokenUsage": tokens, "metadata": {"sent": sent}}
