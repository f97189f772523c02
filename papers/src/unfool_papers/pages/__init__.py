"""What the papers' pages say in numbers, made of the kept results."""

from unfool_papers.pages.analysis import ANALYSIS
from unfool_papers.pages.defences import DEFENCES
from unfool_papers.pages.numbers import Loose, loose, missing, shown, with_tables
from unfool_papers.pages.overviews import README, STUDIES
from unfool_papers.pages.page import Page
from unfool_papers.pages.people import PEOPLE
from unfool_papers.pages.rules import RULES
from unfool_papers.pages.studies import STUDY_PAGES
from unfool_papers.pages.transfer import TRANSFER

PAGES = {
    "overview": README,
    "analysis": ANALYSIS,
    "defences": DEFENCES,
    "people": PEOPLE,
    "rules": RULES,
    "studies": STUDIES,
    "transfer": TRANSFER,
    **STUDY_PAGES,
}
"""All but the page of attacks, which one command writes whole."""

__all__ = ["PAGES", "Loose", "Page", "loose", "missing", "shown", "with_tables"]
