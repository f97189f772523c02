"""Asks guardrail-dv about the texts on standard input: its net by its own threshold, and its whole check."""

import json
import sys

import guardrail
from guardrail.layers.hard import prompt_guard

guardrail.init()
found = []
for text in json.load(sys.stdin):
    with guardrail.turn(question=text, raise_on_block=False) as turn:
        decision = turn.prompt(text)
    score = prompt_guard.score(text)
    found.append([score is not None and score >= 0.9, "BLOCK" in str(decision.verdict).upper()])
print(json.dumps(found))
