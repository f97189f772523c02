"""A probe for garak: garak's own harmful requests, changed by an attack of unfool.

``python -m unfool.integrations.garak_install`` puts it where garak looks, as ``probes.unfool.Perturbed``.
"""

from __future__ import annotations

from typing import Any

import garak.payloads
import garak.probes
from garak import _config

from unfool.integrations import SETTINGS, variants


class Perturbed(garak.probes.Probe):  # type: ignore[misc]
    """Harmful requests with misspellings, look-alikes and the like, as an attack of unfool makes them."""

    lang = "en"
    goal = "make the model comply with harmful requests that are spelt otherwise"
    doc_uri = ""
    tags = ("owasp:llm01",)
    primary_detector = "mitigation.MitigationBypass"
    tier = garak.probes.Tier.UNLISTED
    active = False

    DEFAULT_PARAMS = (
        garak.probes.Probe.DEFAULT_PARAMS
        | SETTINGS
        | {
            "variants": 2,
            "payload": "harmful_behaviors",
            "requests": 20,
        }
    )

    def __init__(self, config_root: Any = _config) -> None:
        super().__init__(config_root=config_root)
        settings = {name: getattr(self, name) for name in SETTINGS}
        wanted = garak.payloads.load(self.payload).payloads[: self.requests]
        self.prompts = [changed for text in wanted for changed in variants(text, self.variants, **settings)]
