"""The study of FireBERT."""

from __future__ import annotations

from functools import partial

from unfool_papers.defence_tables.part import defences_part
from unfool_papers.firebert.rows import FULL, SMOKE, claims, rows
from unfool_papers.firebert.tables import TABLES
from unfool_papers.study.plan import Plan, Study

STUDY = Study(
    "firebert",
    4,
    "FireBERT: TextFooler",
    "TextFooler attacks BERT; other wordings of a text (SWITCH) defend it, put to the vote (FuSE), as noise on "
    "vectors (FIVE), or learnt from (FACT).",
    {
        "full": Plan(
            tuple(rows(FULL)),
            partial(claims, FULL),
            (defences_part("Defences (Tables 1 to 3)", TABLES["full"]),),
        ),
        "smoke": Plan(
            tuple(rows(SMOKE)),
            partial(claims, SMOKE),
            (defences_part("Defences", TABLES["smoke"]),),
            differs="A word CNN for BERT, 1,000 film-review sentences for MNLI, 25 attacked, two epochs of FACT.",
        ),
    },
)
