"""What the papers' pages say in numbers, made of the kept results."""

from unfool_papers.pages.analysis import ANALYSIS
from unfool_papers.pages.defences import DEFENCES
from unfool_papers.pages.numbers import Loose, loose, missing, shown, with_tables
from unfool_papers.pages.overviews import README, STUDIES
from unfool_papers.pages.page import Page
from unfool_papers.pages.rules import RULES
from unfool_papers.pages.transfer import TRANSFER

PAGES = {
    "analysis": ANALYSIS,
    "defences": DEFENCES,
    "overview": README,
    "rules": RULES,
    "studies": STUDIES,
    "transfer": TRANSFER,
}

__all__ = ["PAGES", "Loose", "Page", "loose", "missing", "shown", "with_tables"]
