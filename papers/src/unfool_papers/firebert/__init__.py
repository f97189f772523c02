"""FireBERT (Mein, Hartman and Morris, 2020): TextFooler, and defences by other wordings."""

from unfool_papers.firebert.stored import STORED
from unfool_papers.firebert.study import STUDY
from unfool_papers.firebert.tables import BESIDE, ITEM_ZERO, SHUFFLED, TABLES, arms_of

__all__ = ["BESIDE", "ITEM_ZERO", "SHUFFLED", "STORED", "STUDY", "TABLES", "arms_of"]
