"""The parts attacks are made of: rank positions, propose words, constrain them, search."""

from unfool.attacks.parts._beam import Path, Slopes, Step, beam_search
from unfool.attacks.parts._characters import CharacterChanges, Operations, character_steps, is_no_word
from unfool.attacks.parts._constrain import (
    SHORT_TEXT,
    TagSet,
    angular,
    same_tag_in_context,
    similarities,
    worth_asking,
)
from unfool.attacks.parts._estimates import Estimates, estimate_changes
from unfool.attacks.parts._fluent import likeliest, words_before
from unfool.attacks.parts._lexemes import same_lexeme
from unfool.attacks.parts._naive_bayes import label_in, naive_bayes, opposing_words, target_in, word_tokens
from unfool.attacks.parts._names import Names, with_names
from unfool.attacks.parts._propose import (
    in_case_of,
    neighbour_words,
    synonym_swaps,
    tag_text,
    vector_words,
    word_synonyms,
)
from unfool.attacks.parts._random_flips import random_flips
from unfool.attacks.parts._rank import Without, best_per_group, best_per_position, importance, ranked
from unfool.attacks.parts._search import apply_in_order, first_that_fools
from unfool.attacks.parts._space import Genes, Memory, Space
from unfool.attacks.parts._vocabulary import fooling_word, vocabulary
from unfool.attacks.parts._weak_spot import (
    AttentionRow,
    attention_of_words,
    spot_by_attention,
    spot_by_zeroing,
    word_attention,
)

__all__ = [
    "SHORT_TEXT",
    "AttentionRow",
    "CharacterChanges",
    "Estimates",
    "Genes",
    "Memory",
    "Names",
    "Operations",
    "Path",
    "Slopes",
    "Space",
    "Step",
    "TagSet",
    "Without",
    "angular",
    "apply_in_order",
    "attention_of_words",
    "beam_search",
    "best_per_group",
    "best_per_position",
    "character_steps",
    "estimate_changes",
    "first_that_fools",
    "fooling_word",
    "importance",
    "in_case_of",
    "is_no_word",
    "label_in",
    "likeliest",
    "naive_bayes",
    "neighbour_words",
    "opposing_words",
    "random_flips",
    "ranked",
    "same_lexeme",
    "same_tag_in_context",
    "similarities",
    "spot_by_attention",
    "spot_by_zeroing",
    "synonym_swaps",
    "tag_text",
    "target_in",
    "vector_words",
    "vocabulary",
    "with_names",
    "word_attention",
    "word_synonyms",
    "word_tokens",
    "words_before",
    "worth_asking",
]
