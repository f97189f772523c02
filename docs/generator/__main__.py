"""Renew what is made in the pages about attacks, defences and ways to harden; write those that are missing.

``python -m docs.generator [--run NAME …]``
"""

from __future__ import annotations

import argparse

from docs.generator.blocks import example, rendered
from docs.generator.figures import drawings
from docs.generator.run import printed
from docs.generator.subjects import subjects

from unfool_papers.analysis import write_svg


def main(arguments: list[str] | None = None) -> None:
    """Renew every page; run the examples of those named."""
    parser = argparse.ArgumentParser(prog="python -m docs.generator", description=__doc__)
    parser.add_argument(
        "--run", nargs="*", default=[], metavar="NAME", help="run the examples of these pages, such as attacks/pwws"
    )
    wanted = set(parser.parse_args(arguments).run)
    known = {f"{subject.folder}/{subject.name}": subject for subject in subjects()}
    if unknown := sorted(wanted - set(known)):
        parser.error(f"no such page: {', '.join(unknown)}; there are {', '.join(known)}")
    for name, subject in known.items():
        page = rendered(subject, subject.path.read_text("utf-8") if subject.path.exists() else None)
        if name in wanted:
            page = rendered(subject, page, printed(example(page)))
        subject.path.parent.mkdir(exist_ok=True)
        subject.path.write_text(page, encoding="utf-8")
        for figure in drawings(subject):
            images = subject.path.parents[1] / "images"
            images.mkdir(exist_ok=True)
            write_svg(figure, images)


if __name__ == "__main__":
    main()
