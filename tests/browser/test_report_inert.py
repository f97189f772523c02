"""Texts made to do harm do none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.browser.conftest import MakeRun, OpenReport, sample
from tests.toys import BagOfWords

from unfool.engine import Status, Swap
from unfool.report import overlay
from unfool.rules import Example, Rule, RuleBook, write_rules
from unfool.visible import told_apart

pytestmark = pytest.mark.browser

CORPUS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>alert(1)</script>-->",
    "<img src=x onerror=alert(1)>",
    "<img src='http://127.0.0.1:9/pixel.png'>",
    "<svg onload=alert(1)></svg>",
    "<svg><script href='data:,alert(1)'/></svg>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<a href='javascript:alert(1)' autofocus onfocus=alert(1)>x</a>",
    "<details open ontoggle=alert(1)>",
    "<style>@import 'http://127.0.0.1:9/a.css'; * { display: none }</style>",
    "<link rel=stylesheet href='http://127.0.0.1:9/a.css'>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<base href='http://127.0.0.1:9/'>",
    "<form action='http://127.0.0.1:9/'><input autofocus onfocus=alert(1)></form>",
    "<template><img src=x onerror=alert(1)></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "';alert(1);//",
    "${alert(1)} `${alert(1)}` {{constructor.constructor('alert(1)')()}}",
    "__proto__",
    "constructor",
    "datum.constructor.constructor('alert(1)')()",
    "\u202egnp.exe \u200b\u2066 \x00\x1b[31m \ud800",
    "]]><x> &lt;script&gt; &#60;script&#62; \\u003cscript\\u003e",
]

ALIEN = (
    ":is(main, dialog) :is(script, img, iframe, style, link, meta, base, template, math), "
    "[onerror], [onload], [onfocus]"
)


def test_hostile_texts_stay_texts(open_report: OpenReport, make_run: MakeRun, tmp_path: Path) -> None:
    outcomes = [
        sample(
            number,
            f"{text} a good film",
            f"{text} a decent film",
            reason=text,
            field_names=(CORPUS[3],),
            notes={text: 1.0},
        )
        for number, text in enumerate(CORPUS)
    ]
    names = [CORPUS[3].replace("/", "-"), "__proto__"]
    runs = [make_run(name, outcomes, victim=CORPUS[0], attack=CORPUS[4], labels=CORPUS[:2]) for name in names]
    rules = tmp_path / "<img src=x onerror=alert(1)>.jsonl"
    book = [
        Rule("<b>", "word", "".join(text.split()), example=Example(0, text, text), pmi={}, right=2, flips=1)
        for text in CORPUS
        if "\ud800" not in text
    ]
    write_rules(RuleBook(("<b>",), tuple(book)), rules)
    opened = open_report(*runs, rules)
    page = opened.page
    for text in CORPUS[:5]:
        page.fill("#search", text)
        fitting = len(runs) * sum(text in other for other in CORPUS)
        assert opened.texts(".told")[0] == f"{fitting} of {len(runs) * len(CORPUS)} samples"
    page.fill("#search", "")
    for level in ("words", "characters"):
        page.select_option("#diff-level", level)
        page.focus("#samples-grid")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        for text in CORPUS:
            shown = page.locator("dialog .text").first.text_content()
            if text.isprintable():
                assert shown == f"{text} a good film"
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Escape")
    page.focus("#rules-1-grid")
    page.keyboard.press("Enter")
    for _ in book:
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    for svg in page.locator("figure svg").all():
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        for across in (0.3, 0.6, 0.9):
            page.mouse.move(box["x"] + across * box["width"], box["y"] + box["height"] / 2)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(ALIEN).count() == 0
    assert page.evaluate("typeof alert") == "function"


def test_hostile_words_are_shaded_and_stay_words(open_report: OpenReport, make_run: MakeRun) -> None:
    texts = [(text, f"{text} x") for text in CORPUS if "\ud800" not in text]  # the toy cannot read half a character
    steps = ((Swap(0, CORPUS[3], CORPUS[0]),),)
    run = make_run("run", [sample(i, *pair, steps=steps) for i, pair in enumerate(texts)], labels=CORPUS[:2])
    overlay(run, victim=BagOfWords())
    page = open_report(run).page
    page.locator("#samples-grid-0").click()
    page.select_option("#shade", "importance")
    for text, changed in texts:
        page.locator("dialog details summary").click()
        if changed.isprintable():
            assert page.locator("dialog .text").all_text_contents() == [text, changed]
        page.get_by_role("button", name="Next").click(force=True)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".printed mark").count() > 50
    assert page.locator(ALIEN).count() == 0


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("go\u200bod\u202e film\x07", "go⟨200B⟩od⟨202E⟩ film␇"),
        ("go\u200dod \u200cfilm", "go⟨200D⟩od ⟨200C⟩film"),
        ("a\u061cb\u034fc\u3164d\u115fe\u2800f", "a⟨061C⟩b⟨034F⟩c⟨3164⟩d⟨115F⟩e⟨2800⟩f"),
        ("go\ufe0fod \U000e0041 \U000e0100", "go⟨FE0F⟩od ⟨E0041⟩ ⟨E0100⟩"),
        ("\U0001f600\U000e0101 \U0001f600\ufe01", "\U0001f600⟨E0101⟩ \U0001f600⟨FE01⟩"),
        *(
            [text] * 2
            for text in ("\U0001f469\U0001f3fd\u200d\U0001f680 ❤\ufe0f 1\ufe0f\u20e3", "می\u200cخواهم", "क्\u200dष")
        ),
    ],
)
def test_what_cannot_be_seen_gets_a_sign(open_report: OpenReport, make_run: MakeRun, text: str, seen: str) -> None:
    opened = open_report(make_run("run", [sample(0, text, text, status=Status.FAILED)]))
    opened.page.locator("#samples-grid-0").click()
    assert opened.page.locator("dialog .text").first.text_content() == seen


@pytest.mark.parametrize(
    ("became", "original"),
    [
        ("a film \U0001f600\ufe0f\U000e0101", "a film good"),
        ("a \U0001f469\u200d\U0001f680\ufe0f film", "a good film"),
        ("a g\u200doo\u202ed film", "a good film"),
        ("a ❤\ufe0f film", "a ❤\ufe0f good film"),
    ],
)
def test_the_page_tells_what_a_text_became_as_the_terminal_does(
    open_report: OpenReport, make_run: MakeRun, became: str, original: str
) -> None:
    opened = open_report(make_run("run", [sample(0, original, became)]))
    opened.page.locator("#samples-grid-0").click()
    new = "".join(opened.page.locator("dialog .text ins").all_text_contents())
    signs = re.findall("⟨[0-9A-F]+⟩", new)
    assert signs == re.findall("⟨[0-9A-F]+⟩", told_apart(became, original))


@pytest.fixture
def tempting() -> Iterator[tuple[str, list[str]]]:
    """An address on this machine, and what it was asked for."""
    asked: list[str] = []

    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Noting)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", asked
    server.shutdown()
    server.server_close()


def test_the_second_wall_holds_by_itself(
    open_report: OpenReport, make_run: MakeRun, tempting: tuple[str, list[str]]
) -> None:
    opened = open_report(make_run("run", [sample(0)]))
    page, (address, asked) = opened.page, tempting
    ways = {
        "a script": "const s = document.createElement('script'); s.text = 'harm = 1'; document.body.append(s)",
        "markup": "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.harm = 1\">')",
        "an attribute": "document.body.setAttribute('onclick', 'window.harm = 1'); document.body.click()",
        "a picture": f"const i = new Image(); i.src = '{address}'; document.body.append(i)",
        "a question": f"fetch('{address}').catch(() => 0)",
        "a form": f"document.body.append(Object.assign(document.createElement('form'), {{action: '{address}'}})); "
        "document.querySelector('body > form').submit()",
    }
    for way, code in ways.items():
        before = len(opened.misdeeds)
        page.evaluate(f"() => {{ try {{ {code} }} catch {{ }} }}")
        page.wait_for_timeout(100)
        assert page.evaluate("window.harm") is None, way
        assert len(opened.misdeeds) > before, f"{way} was not refused"
    assert asked == []
    opened.misdeeds.clear()  # that was us
