"""Runs one of TextAttack's attacks on a translator and writes what came out and where the time went.

Run by the environment of ``textattack_env.py``: ``python bench/textattack_translation.py JOB OUT``. JOB is JSON:

    {"victim": "zoo:NMT-LSTM-small@multi30k", "attack": "morpheus" | "seq2sick",
     "own": null, "pairs": "pairs.jsonl", "seconds": 60, "threads": 1, "device": "cpu"}

``pairs`` holds one {"source": ..., "reference": ...} a line. The victim is opened by unfool and decodes each batch
that TextAttack asks as it decodes unfool's, so that only the search around it differs. Where ``own`` names a folder
with the same translator as transformers keeps one, TextAttack's own wrapper reads it instead, as its pages show.
"""

import importlib
import json
import sys
import time
from collections import Counter
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from textattack_peer import MeteredVictim, load_vectors

import nltk  # isort: skip
import torch  # isort: skip
from textattack import Attack  # isort: skip
from textattack.attack_recipes import MorpheusTan2020, Seq2SickCheng2018BlackBox  # isort: skip
from textattack.attack_results import SkippedAttackResult, SuccessfulAttackResult  # isort: skip
from textattack.models.wrappers import HuggingFaceModelWrapper, ModelWrapper  # isort: skip
from textattack.shared import AttackedText, utils  # isort: skip
from transformers import AutoModelForSeq2SeqLM, PreTrainedTokenizerFast  # isort: skip

DIFFERENCES = {
    "morpheus": ["parts of speech by NLTK's perceptron tagger, once a text: flair's weights cannot be downloaded"],
    "seq2sick": [
        "neighbours by cosine on the authors' counter-fitted vectors, computed here (TextAttack's own table cannot "
        "be downloaded); the 50 nearest as in the recipe",
    ],
}


class Translator(ModelWrapper):  # type: ignore[misc]
    """A translator that unfool opens."""

    def __init__(self, name: str, device: str) -> None:
        generation, options = (importlib.import_module(f"unfool.{room}") for room in ("generation", "options"))
        self.model = generation.open_generator(name, options.Options(device=device))

    def __call__(self, text_input_list: list[str], **_: Any) -> list[str]:
        """The translations of a list of texts."""
        return [output.text for output in self.model.generate(text_input_list)]


class OwnTranslator(HuggingFaceModelWrapper):  # type: ignore[misc]
    """A translator in a folder, as TextAttack's wrapper reads it; its outputs have no space at their ends."""

    def __init__(self, folder: str) -> None:
        module = AutoModelForSeq2SeqLM.from_pretrained(folder, trust_remote_code=False).eval()
        super().__init__(module, PreTrainedTokenizerFast.from_pretrained(folder))

    def __call__(self, text_input_list: list[str], **_: Any) -> list[str]:
        """The translations of a list of texts."""
        return [text.strip() for text in super().__call__(text_input_list)]


@lru_cache(maxsize=4096)
def tagged(words: tuple[str, ...]) -> list[tuple[str, str]]:
    return list(nltk.pos_tag(words, tagset="universal"))


def load_attack(name: str, victim: MeteredVictim) -> Attack:
    """The recipe as TextAttack ships it; what it would download is answered from disk."""
    nltk.download = lambda *_, **__: True
    if name == "morpheus":
        AttackedText.pos_of_word_index = lambda text, place: tagged(tuple(text.words))[place][1]
        return MorpheusTan2020.build(victim)
    utils.GLOBAL_OBJECTS["textattack_counterfitted_GLOVE_embedding"] = load_vectors()
    return Seq2SickCheng2018BlackBox.build(victim)


def main(job_path: str, out_path: str) -> None:
    job = json.loads(Path(job_path).read_text())
    pairs = [json.loads(line) for line in Path(job["pairs"]).read_text().splitlines()]
    torch.set_num_threads(job["threads"])
    own = job["own"]
    victim = MeteredVictim(OwnTranslator(own) if own else Translator(job["victim"], job["device"]))
    attack = load_attack(job["attack"], victim)
    # The first text loads what is loaded late, on either side.
    attack.attack(pairs[0]["source"], pairs[0]["reference"])
    victim.meter.calls = victim.meter.texts = 0
    victim.meter.seconds = 0.0
    statuses, ends = Counter[str](), list[dict[str, str]]()
    started, began = time.perf_counter(), time.process_time()
    for pair in pairs[1:]:
        if time.perf_counter() - started >= job["seconds"]:
            break
        result = attack.attack(pair["source"], pair["reference"])
        succeeded, skipped = (isinstance(result, kind) for kind in (SuccessfulAttackResult, SkippedAttackResult))
        statuses["success" if succeeded else "skipped" if skipped else "failed"] += 1
        end = result.perturbed_result
        ends.append({"source": pair["source"], "changed": end.attacked_text.text, "output": str(end.output)})
    told = {
        "differences": DIFFERENCES[job["attack"]],
        "samples": statuses.total(),
        "statuses": dict(statuses),
        "seconds": time.perf_counter() - started,
        "cpu": time.process_time() - began,
        "ends": ends,
        "victim": asdict(victim.meter),
    }
    Path(out_path).write_text(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
