"""The parts attacks are made of, a file for each idea.

Every attack takes some of `rank` (which words matter), `propose` (what may take a word's place), `constrain` (what
a replacement must keep) and `search` (how changes are put together). The others serve a few: `vocabulary` (any word
in a word's place), `characters` (changes of one character), `space` (texts as rows of numbers), `naive_bayes` and
`names` (words from training texts).
"""
