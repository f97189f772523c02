"""The runs whose texts are judged, and what is asked about them."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A run whose texts are judged."""

    attack: str
    victim: str
    data: str
    n: int


class Question(NamedTuple):
    """A rating study over some runs."""

    task: str
    runs: tuple[str, ...]
    stand_in: str | None = None
    """On labels, the classifier that votes in the place of people; none of those attacked."""


_REVIEWS = "rotten_tomatoes"
_BERT, _LSTM = (f"zoo:{model}@{_REVIEWS}[1000]" for model in ("BERT", "LSTM-Attention"))
ROWS = {
    "lstm-gs-ec": Row("gs-ec:candidates=300", _LSTM, _REVIEWS, 24),
    "bert-gs-ec": Row("gs-ec:candidates=300", _BERT, _REVIEWS, 24),
    "bert-gs-gr": Row("gs-gr:candidates=300", _BERT, _REVIEWS, 24),
    "hotflip": Row("hotflip", "zoo:CNN-C-Random-1@ag_news[2000]", "ag_news", 40),
}
"""By name, runs small enough for 15 minutes of two cores, training left out."""
QUESTIONS = {
    "table-3-readability": Question("readability", ("lstm-gs-ec", "bert-gs-ec")),
    "table-4-readability": Question("readability", ("bert-gs-gr", "bert-gs-ec")),
    "reviews-label": Question("label", ("lstm-gs-ec", "bert-gs-ec", "bert-gs-gr"), "zoo:WordCNN@rotten_tomatoes"),
    "hotflip-label": Question("label", ("hotflip",), "zoo:NB@ag_news[2000]"),
}
