"""Section 6 of Hsieh et al. (2019): an LSTM and a Transformer that translate, under a keyword attack and typos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.engine import Outcome
from unfool.generation import corpus_bleu
from unfool.stats import Rate, mcnemar
from unfool.victims import Options
from unfool_papers.self_attention.keywords_and_typos import (
    Forced,
    Typos,
    chance,
    draw_keywords,
    force_keywords,
    interval,
    make_typos,
)
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.plan import Part, Section, Table, Work

if TYPE_CHECKING:
    from unfool.runs import Run
    from unfool.zoo.translators.opened import Translator
    from unfool_papers.analysis import Figure

_REPORTED_KEYWORD = (27.5, 10.5)
"""Table 7, in percent: the LSTM, the Transformer."""
_REPORTED_BLEU = ((25.10, 13.44), (34.90, 26.02))
"""Table 8: BLEU before and after."""
_EXAMPLES = 2
_IN_SMALL = "[two translators in small](../analysis.md#two-translators-in-small-section-6)"
_DIFFERS = (
    "The paper translates with models of OpenNMT-py, trained on WMT 15; ours are trained on the pairs named here.",
    "The direction is English to German, as the paper's examples have it.",
    "The paper names one keyword and does not say how keywords were chosen. Ours are drawn from the words of the "
    "training references that stand in one of 500 to one of 20 sentences; each is tried on its share of the "
    "sources. Sources whose output has the keyword before the attack are left out.",
    "Typos are drawn from Belinkov and Bisk's list, one word a sentence, the same for both translators. BLEU is "
    "sacrebleu's; the paper does not say how it splits words.",
)


class Setup(NamedTuple):
    """The two translators, and how they are attacked."""

    lstm: str
    transformer: str
    keyword: str
    """The attack that puts a keyword into an output."""
    data: str = "multi30k"
    n: int = 200
    keywords: int = 10
    trains: bool = False
    """Whether translators that are not there are trained; else they are named as missing."""

    @property
    def names(self) -> tuple[str, str]:
        """Both translators, the LSTM first."""
        return self.lstm, self.transformer


FULL = Setup("zoo:NMT-LSTM@multi30k", "zoo:NMT-Transformer@multi30k", "gs-ec:words=3,candidates=1000", trains=True)
SMOKE = Setup("zoo:NMT-LSTM-small@multi30k", "zoo:NMT-Transformer-small@multi30k", "gs-ec:words=3,candidates=20")


def translation_part(setup: Setup) -> Part:
    """Return the part that attacks both translators."""
    return Part("Translation", partial(translation, setup), in_small=_IN_SMALL)


def translation(setup: Setup, work: Work) -> Section:
    """Attack both translators; where one is not trained, say how to train it."""
    from unfool.zoo.translators import parse

    missing = [name for name in setup.names if not parse(name).folder.is_dir()]
    if missing and not setup.trains:
        command = f"unfool train {' '.join(missing)}"
        return Section(
            notes=[
                f"Tables 7 to 9 and Figure 3 are missing: {' and '.join(missing)} not trained. `{command}` trains "
                "them, half an hour each on two cores; then call the study again."
            ]
        )
    return _attacked(setup, work)


class _Found(NamedTuple):
    """What one translator came to."""

    model: Translator
    forced: Forced
    run: Run
    typos: Typos


def _attacked(setup: Setup, work: Work) -> Section:
    from unfool.zoo.translators import load_pairs, parse, translator

    named = parse(setup.lstm)._replace(data=setup.data)
    words = draw_keywords(load_pairs(named, "train").references, setup.keywords)
    pairs = load_pairs(named, "test") if load_pairs(named, "test").sources else load_pairs(named, "train")
    sources = list(zip(pairs.sources, pairs.references, strict=True))[: setup.n]
    more = {"options": Options(device=work.device, dtype="fp32"), "progress": work.progress}
    found = []
    for name in setup.names:
        model = translator(name, device=work.device, progress=work.progress)
        folder = work.out / "translation" / parse(name).model
        work.say(f"{setup.keyword} on {name}, {len(words)} keywords")
        forced = force_keywords(model, sources, words, setup.keyword, folder / "keyword", **more)
        work.say(f"typos on {name}")
        run = make_typos(model, sources, folder / "typos", **more)
        found.append(_Found(model, forced, run, Typos(run)))
    lines = [line for each in found for line in _examples(each)]
    claims = [judged(claim, {}, chances) for claim, chances in _claims(setup, found)]
    return Section(
        tables=[
            keyword_table(setup, [each.forced.rate for each in found]),
            _bleu_table(setup, found),
            _example_table(lines),
        ],
        claims=[each for each in claims if each],
        figures=_figures(found),
        notes=_DIFFERS,
        values={
            "keywords": words,
            "table 7": [_rate(each.forced.rate) for each in found],
            "table 8": [_bleu(each.typos) for each in found],
            "table 9": lines,
            "signature": _signature(found[0].run),
        },
    )


def _claims(setup: Setup, found: Sequence[_Found]) -> list[tuple[Claim, list[float | None]]]:
    lstm, transformer = found
    about = f"{setup.data}, {setup.n} pairs"
    one, two = lstm.forced.reached, transformer.forced.reached
    both = one.keys() & two.keys()
    by_chance = mcnemar(sum(one[key] > two[key] for key in both), sum(two[key] > one[key] for key in both))
    keyword = [Term.share(repr(each.model), each.forced.rate.count, each.forced.rate.of) for each in found]
    first, second = transformer.typos, lstm.typos
    kept = [
        Term(repr(each.model), round(each.typos.kept, 1), interval=interval(each.typos.resampled_kept))
        for each in (transformer, lstm)
    ]
    after = [
        Term(repr(each.model), round(each.typos.after, 1), interval=interval(each.typos.resampled_after))
        for each in (transformer, lstm)
    ]
    return [
        (Claim(1, "the LSTM falls to keyword attacks more often", about, keyword), [by_chance]),
        (
            Claim(1, "the Transformer keeps more of its BLEU under typos, in percent", about, kept),
            [chance(first.resampled_kept, second.resampled_kept)],
        ),
        (
            Claim(1, "the Transformer's BLEU is the higher one under typos", about, after),
            [chance(first.resampled_after, second.resampled_after)],
        ),
    ]


def keyword_table(setup: Setup, rates: Sequence[Rate]) -> Table:
    """Return table 7: how often a keyword appears in the output of each translator."""
    rows = [
        (f"`{setup.keyword}`", name, str(rate), f"{rate.of}", f"{said} %")
        for name, rate, said in zip(setup.names, rates, _REPORTED_KEYWORD, strict=True)
    ]
    tried = setup.keyword.rpartition("candidates=")[2]
    ours = f"keyword appears ({setup.data}, {tried} words tried at a place)"
    columns = ("attack", "translator", ours, "attacked", "paper (its own models, WMT 15)")
    return Table("Table 7: a keyword forced into the output by at most three words", columns, rows)


def _bleu_table(setup: Setup, found: Sequence[_Found]) -> Table:
    rows = []
    for each, (before, after) in zip(found, _REPORTED_BLEU, strict=True):
        typos = each.typos
        chances = chance(typos.resampled_before, typos.resampled_after)
        rows.append(
            (
                repr(each.model),
                _with_interval(typos.before, interval(typos.resampled_before)),
                _with_interval(typos.after, interval(typos.resampled_after)),
                _with_interval(typos.kept, interval(typos.resampled_kept)),
                f"{chances:.2g}",
                f"{before} → {after}, {100 * after / before:.0f} % kept",
            )
        )
    columns = ("translator", "BLEU before", "BLEU after", "kept, %", "p", "paper")
    return Table("Table 8: BLEU under one typo a sentence; intervals and p by paired bootstrap", columns, rows)


def _example_table(lines: Sequence[Mapping[str, str]]) -> Table:
    columns = ("translator", "keyword", "source", "changed", "output before", "output after")
    rows = [[each[column].replace("|", "\\|") for column in columns] for each in lines]
    return Table("Table 9: examples of the keyword attack", columns, rows)


def _examples(found: _Found) -> list[dict[str, str]]:
    return [
        {
            "translator": repr(found.model),
            "keyword": word,
            "source": outcome.original[0],
            "changed": outcome.perturbed[0],
            "output before": outcome.original[1],
            "output after": outcome.perturbed[1],
        }
        for word, outcome in found.forced.examples(_EXAMPLES)
    ]


def _figures(found: Sequence[_Found]) -> list[Figure]:
    """Draw Figure 3 of the first source that a typo changes, which is the same for both translators."""
    outcomes = [{outcome.id: outcome.as_read for outcome in each.run.outcomes()} for each in found]
    shared = [number for number in outcomes[0] if all(_changed(side.get(number)) for side in outcomes)]
    if not shared:
        return []
    return [attention_of_outputs([each.model for each in found], _texts(outcomes[0][min(shared)]))]


def _changed(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.original[0] != outcome.perturbed[0]


def _texts(outcome: Outcome) -> tuple[str, str]:
    return outcome.original[0], outcome.perturbed[0]


def attention_of_outputs(models: Sequence[Translator], texts: tuple[str, str]) -> Figure:
    """Draw where translators look while they translate a source before and after a change (Figure 3).

    Args:
        models: The translators.
        texts: The source before and after.
    """
    from unfool_papers.analysis.figure import Figure

    rows: list[dict[str, Any]] = []
    for model in models:
        for side, text in zip(("original", "adversarial"), texts, strict=True):
            seen = model.attention(text)
            rows += [
                {
                    "panel": f"{model!r}, {side}",
                    "output": f"{place:02} {made}",
                    "source": f"{at:02} {read}",
                    "attention": round(float(seen.cross[place, at]), 4),
                }
                for place, made in enumerate(seen.output)
                for at, read in enumerate(seen.source)
            ]
    panels = [_panel(list(cells)) for _, cells in groupby(rows, key=lambda row: row["panel"])]
    caption = (
        "A row an output word, a column a source word; the darker, the more attention, of the Transformer the mean "
        "over the heads of its last layer. The source before and after one typo."
    )
    chart = {"concat": panels, "columns": 2}
    return Figure("attention-of-outputs", "Attention of original and adversarial source", caption, rows, chart)


def _panel(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    from unfool_papers.analysis.figure import SHADES

    def axis(field: str) -> dict[str, Any]:
        # The number in front keeps words apart that stand there twice, and is not shown.
        shown = {"labelExpr": "slice(datum.label, 3)", "title": None, "labelAngle": -40 if field == "source" else 0}
        return {"field": field, "type": "ordinal", "axis": shown}

    return {
        "title": cells[0]["panel"],
        "transform": [{"filter": {"field": "panel", "equal": cells[0]["panel"]}}],
        "mark": "rect",
        "encoding": {
            "x": axis("source"),
            "y": axis("output"),
            "color": {"field": "attention", "type": "quantitative", "scale": SHADES},
        },
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return rate.to_dict()


def _bleu(typos: Typos) -> dict[str, Any]:
    return {
        "n": typos.n,
        "before": [typos.before, *interval(typos.resampled_before)],
        "after": [typos.after, *interval(typos.resampled_after)],
        "kept %": [typos.kept, *interval(typos.resampled_kept)],
        "p": chance(typos.resampled_before, typos.resampled_after),
    }


def _signature(run: Run) -> str:
    rows = [outcome.as_read for outcome in run.outcomes()]
    return corpus_bleu([row.original[1] for row in rows], [row.original[-1] for row in rows]).signature


def _with_interval(value: float, ends: tuple[float, float]) -> str:
    return f"{value:.1f} [{ends[0]:.1f}, {ends[1]:.1f}]"
