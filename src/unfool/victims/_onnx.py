"""A classifier exported to ONNX, with its tokenizer beside it, as a victim."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from unfool import resources
from unfool.engine import Predictor
from unfool.errors import UserError, first_line, not_installed
from unfool.options import Options
from unfool.settings import read_values, split_settings, written_settings
from unfool.stats import softmax
from unfool.victims._answer_forms import label_names, names_of_classes, numbered_labels, read_labels
from unfool.victims._fingerprints import fingerprint
from unfool.victims._foreign_code import Batches
from unfool.victims._kinds import victim_kind
from unfool.victims._own_probability import AskedLabel, asked_label, has_own_probabilities
from unfool.victims._victim import PLAIN_TEXTS, Input, TextVictim
from unfool.victims._wrapped import thresholded

_READ = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""The inputs a graph may have, and what the tokenizer calls them."""
_LONGEST, _NO_LIMIT = 512, 1_000_000
_OFF_ONE = 1e-4
_ERRORS_ONLY = 3


class OnnxSettings(NamedTuple):
    """What the files beside the graph do not say, or say otherwise."""

    labels: tuple[str, ...] | None = None
    """The labels in order; of a graph with one output the second is the one whose probability it gives."""
    scores: Literal["softmax", "sigmoid"] | None = None
    """How raw outputs become probabilities; as ``config.json`` tells if None."""
    longest: int | None = None
    """How many tokens are read; as the tokenizer's files tell if None."""
    positive: str | None = None
    """Of labels that each have a probability of their own, the one asked about."""


class OnnxVictim(TextVictim):
    """A graph in onnxruntime. It answers about each text alone, and nothing is padded.

    Nets that quantise as they run, as most in int8 do, would answer about a text by what is beside it in a batch.

    Args:
        path: A folder that holds the graph, its tokenizer, and ``config.json`` if there is one; or the graph in it.
        name: The name the victim goes by.
        settings: What the files do not say.
    """

    decimals = 5

    def __init__(self, path: Path, name: str, settings: OnnxSettings | None = None) -> None:
        chosen = settings or OnnxSettings()
        told = {key: value for key, value in chosen._asdict().items() if value is not None and key != "labels"}
        self._name = f"{name}#{written_settings(told)}" if told else name
        graph = path if path.is_file() else _graph(path, name)
        folder = graph.parent.parent if graph.parent.name == "onnx" else graph.parent
        self.fingerprint = f"{fingerprint(folder)}+{fingerprint(graph)}"
        config = _json(folder / "config.json")
        self._session = _session(graph, name)
        self._given = {given.name: given for given in self._session.get_inputs()}
        if unknown := set(self._given) - set(_READ):
            raise UserError(
                f"{name} wants {', '.join(sorted(unknown))} beside tokens; write a function that asks the graph, "
                "and give py:FILE.py:FUNCTION"
            )
        names = [output.name for output in self._session.get_outputs()]
        self._output = "logits" if "logits" in names else names[0]
        self._tokenizer = _tokenizer(folder, name)
        self._limit(chosen.longest or _longest(folder, config, self._tokenizer))
        self._batches = Batches(name, self._answers, 1)
        self._decide_labels(chosen, config)

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        """Run the graph on one text after the other."""
        return self._batches.rows(inputs)

    def __repr__(self) -> str:
        return self._name

    def _decide_labels(self, chosen: OnnxSettings, config: dict[str, Any]) -> None:
        """Learn from answers about plain texts how many classes there are, and whether these are probabilities."""
        try:
            raw = np.concatenate([self._raw((text,)) for text in PLAIN_TEXTS])
        except Exception as error:  # whatever the runtime raises
            raise UserError(f"{self._name} cannot answer about any text: {first_line(error)}") from error
        outputs = raw.shape[1]
        names = chosen.labels or names_of_classes(config.get("id2label"))
        self._ready = outputs > 1 and bool((raw >= 0).all() and (abs(raw.sum(axis=1) - 1) < _OFF_ONE).all())
        by_sigmoid = has_own_probabilities(config, outputs) if chosen.scores is None else chosen.scores == "sigmoid"
        self._asked: AskedLabel | None = None
        if by_sigmoid and not self._ready:
            self._asked = asked_label(self._name, names, outputs, chosen.positive)
        labels = self._asked.labels if self._asked else names or numbered_labels(outputs)
        self.labels = label_names(self._name, labels)
        if not self._asked and len(self.labels) != outputs:
            raise UserError(
                f"{self._name} answers with {outputs} numbers, and {len(self.labels)} labels are named "
                f"({', '.join(self.labels)}); name one for each with --labels"
            )

    def _answers(self, inputs: Sequence[Input]) -> NDArray[np.float64]:
        raw = np.concatenate([self._raw(strings) for strings in inputs])
        if self._ready:
            return raw
        if self._asked:  # softmax of (0, z) is sigmoid of z
            raw = np.stack([np.zeros(len(raw)), raw[:, self._asked.place]], axis=1)
        return softmax(raw)

    def _raw(self, strings: Input) -> NDArray[np.float64]:
        encoding = self._tokenizer.encode(*strings)
        kinds = {name: np.int32 if "int32" in given.type else np.int64 for name, given in self._given.items()}
        fed = {name: np.array([getattr(encoding, _READ[name])], dtype=kinds[name]) for name in kinds}
        (found,) = self._session.run([self._output], fed)
        if np.ndim(found) > 2:
            raise ValueError(f"its {self._output} have the shape {np.shape(found)}, and a classifier's are one row")
        return np.asarray(found, dtype=np.float64).reshape(1, -1)

    def _limit(self, longest: int) -> None:
        """Cut texts at the length the graph reads; fill them up to it if it was exported for that length alone."""
        widths = {given.shape[1] for given in self._given.values() if isinstance(given.shape[1], int)}
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(min([longest, *widths]))
        for width in widths:
            self._tokenizer.enable_padding(length=width)


def _graph(folder: Path, name: str) -> Path:
    """Return the graph in a folder, or in its folder ``onnx``, as those who export put it."""
    for place in (folder, folder / "onnx"):
        found = sorted(place.glob("*.onnx"))
        if place / "model.onnx" in found or len(found) == 1:
            return place / "model.onnx" if len(found) > 1 else found[0]
        if found:
            listed = ", ".join(file.name for file in found)
            raise UserError(f"{name} holds several graphs ({listed}); name one: onnx:FOLDER/FILE.onnx")
    raise UserError(f"{name} holds no .onnx file; give the folder that has it and its tokenizer.json")


def _session(graph: Path, name: str) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise not_installed("onnxruntime is not installed", "onnx") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _ERRORS_ONLY
    # Threads that spin until the next text comes take as much of the processor as the answers do.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(graph), sess_options=options, providers=["CPUExecutionProvider"])
    except Exception as error:  # whatever the runtime raises
        raise UserError(f"{name}: onnxruntime cannot read {graph.name}: {first_line(error)}") from error


def _tokenizer(folder: Path, name: str) -> Any:
    try:
        import tokenizers
    except ImportError:
        raise not_installed("tokenizers is not installed", "onnx") from None
    try:
        if (folder / "tokenizer.json").is_file():
            return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        if (folder / "vocab.txt").is_file():
            lower = bool(_json(folder / "tokenizer_config.json").get("do_lower_case", True))
            return tokenizers.BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=lower)
    except Exception as error:  # whatever the tokenizer raises
        raise UserError(f"{name}: its tokenizer cannot be read: {first_line(error)}") from error
    raise UserError(f"{name} holds no tokenizer.json; save the tokenizer into the same folder")


def _longest(folder: Path, config: dict[str, Any], tokenizer: Any) -> int:
    told = (tokenizer.truncation or {}).get("max_length")
    stored = _json(folder / "tokenizer_config.json").get("model_max_length", _NO_LIMIT)
    return int(told or (stored if stored < _NO_LIMIT else config.get("max_position_embeddings", _LONGEST)))


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be read: {first_line(error)}") from error
    return found if isinstance(found, dict) else {}


@victim_kind("onnx:FOLDER or onnx:RESOURCE")
def onnx(name: str, options: Options) -> Predictor:
    """A classifier in ONNX with its tokenizer beside it."""
    bare, _, behind = name.rpartition("#")
    if not bare or "=" not in behind:
        bare, behind = name, ""
    known = {
        "labels": read_labels,
        "scores": Literal["softmax", "sigmoid"],
        "longest": int,
        "positive": unquote,
        "threshold": float,
    }
    given = read_values("an onnx: victim", known, split_settings(behind, f"#{behind}"))
    threshold = given.pop("threshold", None)
    if options.labels:
        given.setdefault("labels", tuple(options.labels))
    victim = OnnxVictim(_place(bare), bare, OnnxSettings(**given))
    return thresholded(victim, threshold, given.get("positive")) if threshold is not None else victim


def _place(name: str) -> Path:
    where = name.removeprefix("onnx:")
    path = Path(where).expanduser()
    if not path.exists() and where in resources.names():
        return resources.get(where)
    if not path.exists():
        raise UserError(f"{name}: there is no folder {where}; give one with a .onnx file and its tokenizer.json")
    return path
