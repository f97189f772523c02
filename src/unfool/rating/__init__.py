"""Studies in which people judge texts: what they are asked, their votes, and what the votes say."""

from unfool.rating._careless import Excluded
from unfool.rating._draw import next_item, turns
from unfool.rating._figures import Accuracy, Comment, Readability, Results, Scale
from unfool.rating._items import Item
from unfool.rating._records import Answered, Asked, NoRoom, Progress, Rater, Refused, Vote
from unfool.rating._results import enter, results
from unfool.rating._stand_in import ask_model, stand_in_name
from unfool.rating._statistics import agreement
from unfool.rating._store import LONGEST_COMMENT, Store
from unfool.rating._strengths import no_scale, strengths
from unfool.rating._study import Study, new_study
from unfool.rating._tasks import NO_HASTE, Task, Wording, choices, wording
from unfool.rating._votes_file import read_votes_file, write_votes

__all__ = [
    "LONGEST_COMMENT",
    "NO_HASTE",
    "Accuracy",
    "Answered",
    "Asked",
    "Comment",
    "Excluded",
    "Item",
    "NoRoom",
    "Progress",
    "Rater",
    "Readability",
    "Refused",
    "Results",
    "Scale",
    "Store",
    "Study",
    "Task",
    "Vote",
    "Wording",
    "agreement",
    "ask_model",
    "choices",
    "enter",
    "new_study",
    "next_item",
    "no_scale",
    "read_votes_file",
    "results",
    "stand_in_name",
    "strengths",
    "turns",
    "wording",
    "write_votes",
]
