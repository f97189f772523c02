"""The defences of two papers, all victims of a table side by side in processes, within minutes of a GPU.

``python -m studies.defences firebert --folder DIR [--data imdb mnli] [--device cuda --workers 8] [--n 500]`` makes
FireBERT's Tables 1 to 3 and Figures 5 to 7, and tries the two faults that may be behind its strangest rows;
``python -m studies.defences hotflip --folder DIR`` makes Table 2 and Figure 1 of Ebrahimi et al. (2018). Killed and
called again, it goes on: every finished piece lies in DIR. What came of it is in ``results/defences.json``; tables
with the papers' figures come last. ``--minutes`` stops it in time, with what is done by then; ``--table`` only
prints; ``--rehearse`` goes through all of it in small, on a CPU.
"""
