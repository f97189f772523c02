"""The parts attacks are made of: rank positions, propose words, constrain them, search.

What only a few attacks need lies in files of its own: `characters` (changes of one character), `space` (texts as
rows of numbers), `naive_bayes` and `names` (words from training texts).
"""

from unfool.attacks.parts._constrain import (
    SHORT_TEXT,
    TagSet,
    angular,
    likeliest,
    same_tag_in_context,
    similarities,
    text_window,
    words_before,
    worth_asking,
)
from unfool.attacks.parts._propose import (
    in_case_of,
    neighbour_words,
    synonym_swaps,
    tag_text,
    vector_words,
    word_synonyms,
)
from unfool.attacks.parts._rank import (
    AttentionRow,
    Without,
    answers_without,
    best_per_group,
    best_per_position,
    ranked,
    spot_by_attention,
    spot_by_zeroing,
    word_attention,
)
from unfool.attacks.parts._search import (
    Path,
    Slopes,
    Step,
    apply_in_order,
    beam_search,
    first_that_fools,
    is_no_word,
    random_flips,
)
from unfool.attacks.parts._vocabulary import fooling_word, vocabulary

__all__ = [
    "SHORT_TEXT",
    "AttentionRow",
    "Path",
    "Slopes",
    "Step",
    "TagSet",
    "Without",
    "angular",
    "answers_without",
    "apply_in_order",
    "beam_search",
    "best_per_group",
    "best_per_position",
    "first_that_fools",
    "fooling_word",
    "in_case_of",
    "is_no_word",
    "likeliest",
    "neighbour_words",
    "random_flips",
    "ranked",
    "same_tag_in_context",
    "similarities",
    "spot_by_attention",
    "spot_by_zeroing",
    "synonym_swaps",
    "tag_text",
    "text_window",
    "vector_words",
    "vocabulary",
    "word_attention",
    "word_synonyms",
    "words_before",
    "worth_asking",
]
