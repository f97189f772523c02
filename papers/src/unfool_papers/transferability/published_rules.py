"""What Yuan et al. (2021) report about universal rules, to stand beside our figures; all in percent."""

from __future__ import annotations

CLASSES = ("ALL", "Word", "Character", "ELMo", "BERT")
SIZES = (2, 3, 4, 5, 6, 7)
BUDGETS = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
TABLE_5_SIZE, TABLE_10_SIZE = 6, 7
"""Table 10 names no size; its last column is that of table 9's largest ensemble."""

# Success and words changed, a pair for each of the classes.
TABLE_5 = {
    ("ag_news", "pmi"): ((29.0, 14.3), (31.5, 14.1), (23.5, 13.4), (29.4, 16.1), (17.9, 14.2)),
    ("ag_news", "uawr"): ((62.7, 15.0), (69.9, 14.4), (49.2, 15.6), (57.5, 16.0), (33.4, 16.1)),
    ("rotten_tomatoes", "pmi"): ((68.0, 10.6), (72.7, 10.5), (61.4, 10.0), (69.0, 11.9), (35.9, 10.9)),
    ("rotten_tomatoes", "uawr"): ((86.8, 9.0), (90.1, 8.4), (80.0, 10.1), (89.3, 9.5), (65.8, 11.1)),
}
# Success, a row for each class, a column for each size.
TABLE_9 = {
    "ag_news": (
        (52.9, 56.9, 56.9, 62.4, 62.7, 63.2),
        (57.1, 60.9, 60.9, 71.0, 69.9, 69.9),
        (50.0, 50.5, 50.1, 43.8, 49.2, 49.4),
        (47.2, 55.3, 55.4, 57.6, 57.5, 60.2),
        (27.4, 30.5, 33.3, 32.6, 33.4, 34.3),
    ),
    "rotten_tomatoes": (
        (85.3, 86.2, 85.8, 86.3, 86.8, 87.0),
        (88.9, 89.6, 89.0, 90.3, 90.1, 90.3),
        (79.0, 79.2, 78.1, 76.5, 80.0, 80.1),
        (87.5, 89.4, 89.1, 89.6, 89.3, 89.8),
        (60.0, 62.5, 66.2, 63.8, 65.8, 66.2),
    ),
}
TABLE_10 = {
    "ag_news": (16.3, 27.6, 38.8, 48.8, 57.3, 63.2),
    "rotten_tomatoes": (36.2, 54.3, 66.1, 75.3, 81.1, 87.0),
}

# Table 6, of MR: label (0 negative, 1 positive), word, substitute; the PMI of both with positive, with negative.
TABLE_6 = (
    (1, "funny", "laughable", (5.792, 0.000), (4.980, 6.478)),
    (1, "average", "mediocre", (5.741, 2.086), (5.004, 6.408)),
    (1, "glorious", "splendiferous", (6.478, 0.000), (0.000, 0.000)),
    (1, "giddy", "woozy", (6.063, 0.000), (4.478, 6.478)),
    (1, "brilliant", "brainy", (6.168, 0.000), (4.109, 6.478)),
    (0, "toilet", "bathroom", (0.000, 6.478), (6.478, 0.000)),
    (0, "excellent", "splendid", (6.013, 6.478), (4.620, 0.000)),
    (0, "bizarre", "outlandish", (5.478, 6.478), (5.478, 0.000)),
    (0, "excruciating", "harrowing", (0.000, 6.256), (6.478, 3.671)),
    (0, "routine", "everyday", (2.230, 6.478), (6.400, 0.000)),
)
