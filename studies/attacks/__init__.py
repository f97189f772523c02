"""Every attack of the five papers on its paper's victims and data, with the paper's figures beside ours.

``python -m studies.attacks [--only PATTERN] [--n N] [--device cpu|cuda] [--runs DIR] [--train]``. Each row of
`rows.ROWS` is one run, kept in a folder of its own: what is finished is not done again, what was stopped goes on,
and runs made on another machine count once their folders lie in ``--runs``. ``results/attacks.json`` and
``docs/papers.md`` are made of the runs; the table and what the papers claim come last. ``--table`` only prints what
is there.
"""
