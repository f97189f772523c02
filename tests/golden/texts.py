"""The texts that the golden set is made on."""

from __future__ import annotations

import random

REVIEWS = (
    "A good film with a fine cast and a clever plot.",
    "The story is dull, the acting awful; I left early!",
    "great fun for the whole family",
    "It isn't so-so: it's the worst movie of the year, badly written and poorly directed.",
    "an honest and touching portrait of a small town",
    "The LAST scene made me laugh (twice), and the music is lovely.",
    "nothing happens, and nothing matters in this slow and silly picture",
    'Said my friend: "a brilliant script, wasted on a boring cast"...',
    "  too loud ,\ttoo long  and far too stupid 😀 to be called entertainment ",
    "We loved the beautiful song at the end.<br /><br />The rest is a mess",
    "old tale, new charm",
    "It makes you think about love, money and death without telling you what to feel about any of them",
)
PAIRS = (
    ("A man plays the guitar on a stage.", "A musician is giving a good show."),
    ("Two children run through the park.", "The kids are sleeping quietly at home."),
    ("A woman in a red coat reads the paper.", "Somebody is reading some news."),
    ("The old dog jumps into the cold lake.", "A happy animal is swimming fast."),
    ("People wait in a long line for tickets.", "Nobody wants to see the great film."),
    ("A chef cuts fresh bread in the kitchen.", "The cook is preparing a large dinner."),
)
"""A premise and a hypothesis each."""

_KNOWN_BESIDES = (
    *("awful", "bad", "beautiful", "best", "boring", "brilliant", "cheap", "clever", "decent", "dreadful", "dull"),
    *("excellent", "fantastic", "film", "fine", "funny", "good", "great", "happy", "horrible", "lovely", "movie"),
    *("movies", "nice", "pictures", "poor", "sad", "smart", "splendid", "superb", "terrible", "ugly", "wonderful"),
)
WORDS = sorted(
    {
        word
        for text in (*REVIEWS, *(text for pair in PAIRS for text in pair))
        for word in "".join(letter if letter.isalpha() else " " for letter in text.lower()).split()
    }
    | {*_KNOWN_BESIDES}
)
"""Every word of the texts, and some that attacks may put in their place."""

LABELS = ("negative", "positive")


def task(count: int, seed: int) -> list[tuple[str, str]]:
    """Return texts that one word decides, each with its label: what a small net learns in seconds."""
    drawn, rows = random.Random(seed), []
    for number in range(count):
        words = drawn.choices(("the", "film", "is", "a", "plot", "and", "it", "was", "very"), k=drawn.randint(2, 7))
        telling = (("bad", "poor", "awful", "dull"), ("good", "fine", "great", "lovely"))[number % 2]
        words.insert(drawn.randint(0, len(words)), drawn.choice(telling))
        rows.append((" ".join(words), LABELS[number % 2]))
    return rows
