"""Put what `unfool study NAME --scale full` left in a folder into the documentation and the results.

``python -m unfool_papers.scripts.published DIR …``: the page becomes ``papers/pages/studies/NAME.md``, the figures
lie in a folder beside it, and the numbers in ``results/study-NAME.json``. After ``--only PART``, that part
alone is put there. ``python -m unfool_papers.scripts.published --renew NAME …`` judges what is claimed of the rows,
writes the claims and the tables and draws the bars anew, of the numbers kept there: what is claimed and the way it
looks change without the runs. ``--pictures NAME DIR`` draws what pieces of tables of defences left in ``DIR``
(``defences/done`` of a study) for the page of NAME, which showed them before.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unfool.storage import to_json
from unfool_papers.analysis import Figure, write_svg
from unfool_papers.catalogue import STUDIES
from unfool_papers.defence_tables.part import bars_of, tables_of
from unfool_papers.study.claim import Figures, judged
from unfool_papers.study.page import NOT_DONE, attack_bars, attack_table, not_done, sentence
from unfool_papers.study.plan import Plan
from unfool_papers.study.tables import differences, markdown

_ROOT = Path(__file__).parents[4]
_LARGE = 400_000
"""A drawing of more bytes is kept as a picture."""
_CLAIMED = "## What the paper claims"
_ALONE = "Carried out later, by `--only`, perhaps on another machine: "
_CLAIMS = re.compile(r"^- \*\*.*", re.DOTALL | re.MULTILINE)


def publish(folder: Path, root: Path = _ROOT) -> Path:
    """Copy a study's page, figures and numbers, and return the page."""
    found = json.loads((folder / "results.json").read_bytes())
    if found["scale"] != "full":
        raise SystemExit(f"{folder} holds a study in small, which is no evidence about its paper; give one in full")
    name = found["study"]
    page = root / "papers" / "pages" / "studies" / f"{name}.md"
    results = root / "results" / f"study-{name}.json"
    if found["rows"]:
        shutil.rmtree(page.with_suffix(""), ignore_errors=True)
        page.write_text(_with_figures(folder, page), encoding="utf-8")
        shutil.copyfile(folder / "results.json", results)
    else:
        kept = with_parts(json.loads(results.read_bytes()), found)
        page.write_text(
            _with_sections(page.read_text("utf-8"), _with_figures(folder, page), kept), encoding="utf-8"
        )
        results.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return page


def _with_figures(folder: Path, page: Path) -> str:
    """Copy a study's figures to where its published page shows them, and return the page that does."""
    written, figures = (folder / "study.md").read_text("utf-8"), page.with_suffix("")
    for made in sorted((folder / "figures").glob("*")):
        figures.mkdir(exist_ok=True)
        figure = Path(shutil.copy(made, figures))
        if figure.suffix == ".svg" and figure.stat().st_size > _LARGE:
            written = written.replace(f"](figures/{figure.name})", f"](figures/{_drawn_small(figure).name})")
    return written.replace("](figures/", f"]({page.stem}/")


def with_parts(kept: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study's numbers with some of its parts carried out anew, and their claims."""
    anew = {(claim["claim"], claim["on"]): claim for claim in found["claims"]}
    claims = [claim for claim in kept["claims"] if (claim["claim"], claim["on"]) not in anew]
    return {
        **kept,
        "claims": [*claims, *anew.values()],
        "parts": kept["parts"] | found["parts"],
        "figures": kept.get("figures", {}) | found["figures"],
        "shown": kept.get("shown", {}) | found.get("shown", {}),
        "alone": [
            title for title in kept["parts"] | found["parts"] if title in {*kept.get("alone", ()), *found["parts"]}
        ],
    }


def _with_sections(page: str, made: str, kept: Mapping[str, Any]) -> str:
    """Return a page with the sections of parts carried out anew, and all claims."""
    sections, anew = _sections(page), _sections(made)
    claims = _CLAIMS.split(sections[_CLAIMED])
    told = "\n".join(f"- {sentence(claim)}" for claim in kept["claims"])
    anew[_CLAIMED] = f"{claims[0]}{told}\n\n"
    made = "".join((sections | anew | {"": _head(sections[""], kept["alone"])}).values()).rstrip() + "\n"
    name = kept.get("study")
    return _with_what_is_missing(made, STUDIES[name].plans[kept["scale"]], kept) if name in STUDIES else made


def _head(head: str, alone: Sequence[str]) -> str:
    """Return the beginning of a page, which says what of it was carried out by itself."""
    return f"{head.partition(_ALONE)[0].rstrip()}\n\n{_ALONE}{', '.join(alone)}.\n\n"


def _with_what_is_missing(page: str, plan: Plan, kept: Mapping[str, Any]) -> str:
    """Return a page that says at its end what is declared and not among the numbers."""
    sections = _sections(page)
    sections.pop(NOT_DONE, None)
    return f"{''.join(sections.values()).rstrip()}\n\n{not_done(plan, kept)}".rstrip() + "\n"


def _sections(page: str) -> dict[str, str]:
    """Return a page's sections by their headings, the beginning without one first."""
    cut = re.split(r"^(?=## )", page.rstrip() + "\n\n", flags=re.MULTILINE)
    return {"": cut[0]} | {section.split("\n", 1)[0]: section for section in cut[1:]}


def _drawn_small(figure: Path) -> Path:
    """Put a picture of thousands of marks in the place of their drawing."""
    import vl_convert

    picture = figure.with_suffix(".png")
    picture.write_bytes(_packed(vl_convert.svg_to_png(figure.read_text("utf-8"))))
    figure.unlink()
    return picture


def _packed(png: bytes) -> bytes:
    """Compress a PNG's pixels as well as zlib can, to a quarter of what they were."""
    kept, pixels, at = png[:8], b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            pixels += png[at + 8 : at + 8 + length]
        elif kind != b"IEND":
            kept += png[at : at + 12 + length]
        at += 12 + length
    packed = zlib.compress(zlib.decompress(pixels), 9)
    return kept + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def renew(name: str, root: Path = _ROOT) -> Path:
    """Write what a published page shows of the numbers that are kept, and return the page."""
    results = root / "results" / f"study-{name}.json"
    found = json.loads(results.read_bytes())
    if name in STUDIES:
        found["claims"] = judged_anew(found)
        results.write_bytes(to_json(found, indent=1) + b"\n")
    page = root / "papers" / "pages" / "studies" / f"{name}.md"
    written = page.read_text("utf-8")
    written = _replaced(r"(?<=\n## Attacks\n\n).*?\n\n\|.*?(?=\n\n)", attack_table(found["rows"]), written)
    said = "\n".join(f"- {sentence(claim)}" for claim in found.get("claims", ()))
    written = _replaced(r"(?<=\n\n)- \*\*.*?(?=\n\n## )", said, written)
    if notes := "\n".join(f"- {note}" for note in differences(found["rows"])):
        written = _replaced(r"(?<=\nWhat differs:\n\n).*?(?=\n\n)", notes, written)
    for part in found["parts"].values():
        written = _with_tables(part, written)
    if name in STUDIES:
        written = _with_what_is_missing(written, STUDIES[name].plans[found["scale"]], found)
    before = ""
    for figure in _bars(name, found):
        write_svg(figure, page.with_suffix(""))
        link = f"({name}/{figure.name}.svg)"
        shown = f"![{figure.title}]{link}\n\n*{figure.caption}*"
        if link in written:
            written = _replaced(rf"!\[[^\]]*\]{re.escape(link)}\n\n\*[^\n]*\*(?=\n)", shown, written)
        else:
            written = written.replace(before, f"{before}\n\n{shown}")
        before = shown
    page.write_text(written, encoding="utf-8")
    return page


def judged_anew(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the claims of a study's kept numbers: those of its rows judged anew, those of its parts as they were.

    What is known of a claim from its runs, p and intervals text by text, stays.
    """

    def key(claim: Mapping[str, Any]) -> tuple[str, ...]:
        return claim["claim"], claim["on"], *claim["figures"]

    earlier = {key(claim): claim for claim in found["claims"]}
    figures = Figures({each["row"]: each for each in found["rows"]})
    made = []
    for claim in STUDIES[found["study"]].plans[found["scale"]].claims(figures):
        known = earlier.pop((claim.said, claim.about, *(term.label for term in claim.terms)), {})
        made.append(judged(claim, {}, known.get("p"), known.get("apart")))
    return [*(claim for claim in made if claim), *earlier.values()]


def _with_tables(part: Mapping[str, Any], written: str) -> str:
    """Return the page with a part's tables of defences, and its notes, as they are kept."""
    tables = {name: table for name, table in part.items() if isinstance(table, dict) and table.get("arms")}
    for name, record in tables.items():
        before = ""
        for table in tables_of(name, record):
            title, shown = f"**{table.title}**", markdown(table)
            if title in written:
                written = _replaced(rf"{re.escape(title)}\n\n\|.*?(?=\n\n)", shown, written)
            elif before:
                written = written.replace(before, f"{before}\n\n{shown}")
            before = shown
    if tables:
        notes = "\n".join(f"- {note}" for note in part["notes"])
        written = _replaced(r"(?<=\n\n)- In parentheses.*?(?=\n\n|\n\Z)", notes, written)
    return written


def pictured(name: str, folder: Path, root: Path = _ROOT) -> Path:
    """Draw the pictures of pieces anew that a published page shows, and return the page."""
    page = root / "papers" / "pages" / "studies" / f"{name}.md"
    written = page.read_text("utf-8")
    for piece in sorted(folder.glob("*.json")):
        drawn = json.loads(piece.read_bytes()).get("figure")
        if drawn and f"({name}/{drawn['name']}." in written:
            figure = Figure(**drawn)
            file = write_svg(figure, page.with_suffix(""))
            file.with_suffix(".png").unlink(missing_ok=True)
            file = _drawn_small(file) if file.stat().st_size > _LARGE else file
            old = rf"!\[[^\]]*\]\({name}/{re.escape(figure.name)}\.\w+\)\n\n\*[^\n]*\*"
            shown = f"![{figure.title}]({name}/{file.name})\n\n*{figure.caption}*"
            written = _replaced(old, shown, written)
    page.write_text(written, encoding="utf-8")
    return page


def _replaced(pattern: str, by: str, written: str) -> str:
    return re.sub(pattern, lambda _: by, written, flags=re.DOTALL)


def _bars(name: str, found: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield what is drawn of a study's kept rows and tables of defences, in the order of its page."""
    yield attack_bars(found["rows"])
    if study := STUDIES.get(name):
        yield from study.plans[found["scale"]].figures(found["rows"])
    for part in found["parts"].values():
        for title, table in part.items():
            if isinstance(table, dict) and table.get("arms"):
                yield bars_of(title, table)


def main() -> None:
    """Publish some studies, or renew what is published of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="*", help="what --out named")
    parser.add_argument("--renew", nargs="+", default=[], metavar="NAME", help="studies that are published")
    parser.add_argument("--pictures", nargs=2, action="append", default=[], metavar=("NAME", "DIR"))
    given = parser.parse_args()
    drawn = (pictured(name, Path(folder)) for name, folder in given.pictures)
    for page in (*map(publish, given.folder), *map(renew, given.renew), *drawn):
        print(page.relative_to(_ROOT))


if __name__ == "__main__":
    main()
