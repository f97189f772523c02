"""What two of the papers asked people, asked again: of people, and before that of models that stand in for them."""

from unfool_papers.people.carry_out import carry_out, collect
from unfool_papers.people.plan import QUESTIONS, ROWS, Question, Row
from unfool_papers.people.tables import tables

__all__ = ["QUESTIONS", "ROWS", "Question", "Row", "carry_out", "collect", "tables"]
