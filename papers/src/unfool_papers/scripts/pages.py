"""Write the made tables of the papers' pages anew, and tell which of their numbers follow from no kept result.

``python -m unfool_papers.scripts.pages [NAME …]``: tables stand between ``<!-- made: NAME -->`` and ``<!-- end
-->`` and come from ``results/``. What the prose says in numbers is written in ``unfool_papers/pages``, one file a
page; a phrase that no longer stands on its page is told, and so is a number that no phrase holds.
"""

from __future__ import annotations

import argparse

from unfool_papers.pages import PAGES, loose, missing, with_tables
from unfool_papers.pages.page import ROOT


def main() -> None:
    """Renew the tables, and tell what is left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*PAGES, []], help="such as transfer; all by default")
    wrong = 0
    for name in parser.parse_args().names or PAGES:
        page = PAGES[name]
        (ROOT / page.path).write_text(with_tables(page.text, page.tables()), encoding="utf-8")
        said = [*page.phrases(), *(phrase for phrases in page.allowed.values() for phrase in phrases)]
        told = [f"not on the page: {phrase}" for phrase in missing(page.text, said)]
        told += [f"follows from nothing: {each.number} in “{each.around}”" for each in loose(page.text, said)]
        for line in told:
            print(f"{page.path}: {line}")
        wrong += len(told)
    raise SystemExit(f"{wrong} numbers or phrases to mend" if wrong else 0)


if __name__ == "__main__":
    main()
