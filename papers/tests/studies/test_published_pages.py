"""Published pages are renewed from the numbers that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from papers.tests.studies.test_row_table import ROW, said

from unfool_papers.scripts.published import renew

PAGE = """# A paper

## What the paper claims

- **does not hold**: an old claim.

## Attacks

What columns mean.

| attack | reported |
| --- | --- |
| `old` | 1 |

What differs:

- nothing

![How often](toy/attacks.svg)

*An old caption.*

![Defences](toy/defences-t.svg)

*Another one.*
"""


def test_the_table_the_bars_and_their_captions_are_made_anew(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    rate = {"value": 0.5, "low": 0.4, "high": 0.6, "of": 90}
    arms = {"bare": {"rates": {"clean": rate}, "said": {}, "f1": {}, "p": {}, "passes": 1.0, "ms a query": 2.0}}
    found = {
        "rows": [{**ROW, "differs": "", "reported": [said("success %", 97)]}],
        "claims": [{"claim": "a", "on": "b", "verdict": "holds", "p": [], "figures": {"c": 1.5}, "beside": {}}],
        "parts": {
            "Defences": {
                "notes": ["In parentheses stands much."],
                "t": {"base": "zoo:NB@imdb", "where": "T", "arms": arms},
            }
        },
    }
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "study-toy.json").write_text(json.dumps(found))
    folder = tmp_path / "papers" / "pages" / "studies" / "toy"
    folder.mkdir(parents=True)
    folder.with_suffix(".md").write_text(PAGE)
    written = renew("toy", tmp_path).read_text("utf-8")
    assert "old" not in written.lower().replace("holds", "")
    assert "\n\n- **holds**: a (b): c: 1.5.\n\n## Attacks" in written
    assert "| `pwws` | NB@imdb | 90.0 | 27.0 | 70.0 [48.0, 85.0] | 97 (Table 1) |" in written
    assert "\n\nWhat differs:\n\n- nothing\n\n" in written
    assert "attacks.svg)\n\n*A bar is the share of attacked texts that fool." in written
    assert "defences-t.svg)\n\n*A bar for each defence, in percent; from the top, the texts as they are" in written
    assert "red mark" in written.partition("defences-t")[0]
    assert "red mark" not in written.partition("defences-t")[2]
    assert sorted(file.name for file in folder.iterdir()) == ["attacks.svg", "defences-t.svg"]
