"""Apply rules: texts are rewritten by their labels alone; a victim, if there is one, only judges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unfool import data as data_room
from unfool.attacks import Attack
from unfool.attacks.parts.propose import in_case_of
from unfool.engine import Ask, Predictor
from unfool.errors import UserError
from unfool.job import attack as run_attack
from unfool.labels import how_matched, match_labels
from unfool.rules._book import Rule, RuleBook
from unfool.runs import Run
from unfool.settings import written
from unfool.stats import whole_share
from unfool.storage import JSON, explaining, replacing, to_json
from unfool.text import Sample, Text
from unfool.victims import Options, as_victim

_NAME = "rules"


class Rewriter:
    """Applies a rule book to texts. It knows no victim.

    In each text the word with the best rule for the text's label is replaced first, then the next, one change a
    word, as far as the budget goes. Rules that do not hurt (salience zero or less) are not used.

    Args:
        book: The rules.
        labels: The names of the samples' label numbers.
        budget: The share of a text's words that may change; a share of a word is none.
        least: Words that may change in any text, however short.

    Raises:
        UserError: The rules are for other labels, or the budget is no share.
    """

    def __init__(self, book: RuleBook, labels: Sequence[str], budget: float, least: int = 0) -> None:
        if not 0 < budget <= 1:
            raise UserError(
                f"the budget {budget} is not a share of words; give one above 0 and at most 1, such as 0.3"
            )
        self.book, self.budget, self.least = book, budget, least
        refuse_other_labels(book, labels)
        names = [book.labels[number] for number in match_labels(labels, book.labels) or range(len(labels))]
        best: dict[tuple[int, str], Rule] = {}
        for rule in book.rules:
            key = (names.index(rule.label), rule.word) if rule.label in names else None
            if key and rule.salience > 0 and (key not in best or rule.salience > best[key].salience):
                best[key] = rule
        self._best = best

    def room(self, text: Text) -> int:
        """Return how many words of a text may change."""
        words = len(text.editable)
        return min(words, max(self.least, whole_share(self.budget, words)))

    def texts(self, sample: Sample) -> list[Text]:
        """Return the text after one change, after two, and so on to the budget; none if no rule fits."""
        text, steps = sample.text, list[Text]()
        found = ((at, self._best.get((sample.label, text.words[at].lower()))) for at in text.editable)
        fitting = sorted(((at, rule) for at, rule in found if rule), key=lambda pair: -pair[1].salience)
        for position, rule in fitting[: self.room(text)]:
            text = text.replace(position, in_case_of(sample.text.words[position], rule.substitute))
            steps.append(text)
        return steps


def rewrite_data(
    book: RuleBook, data: data_room.Dataset, budget: float, out: str | Path, *, n: int | None = None, seed: int = 0
) -> int:
    """Rewrite texts as far as the budget goes, and write them as a data set of JSON lines.

    Args:
        book: The rules.
        data: The texts.
        budget: The share of a text's words that may change.
        out: The file, which must end in ``.jsonl``.
        n: How many texts, drawn by the seed (default: all).
        seed: Draws them.

    Returns:
        How many texts were changed.

    Raises:
        UserError: If the budget is no share, or the file cannot be written or would not be read as a data set.
    """
    rewriter, chosen = Rewriter(book, data.labels, budget), data.sample(n, seed)
    target, changed = Path(out), 0
    if target.suffix != ".jsonl":
        raise UserError(f"{target} must end in .jsonl, so that it can be read as a data set")
    if target.exists():  # it may be the data itself
        raise UserError(f"{target} is there already; choose another place, or remove it")
    with explaining(target, "write", "choose another place"), replacing(target) as file:
        for sample in chosen:
            steps = rewriter.texts(sample)
            changed += bool(steps)
            new, columns = steps[-1] if steps else sample.text, data.columns.texts
            row: dict[str, JSON] = dict(zip(columns, new.strings, strict=True))
            row |= {"label": data.labels[sample.label], "id": sample.id, "words_changed": len(steps)}
            row |= zip((f"original_{name}" for name in columns), sample.text.strings, strict=True)
            file.write(to_json(row) + b"\n")
    return changed


def apply_rules(
    book: RuleBook,
    data: data_room.Dataset,
    budget: float,
    victim: str | Predictor,
    *,
    least: int = 0,
    n: int | None = None,
    seed: int = 0,
    options: Options | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Run:
    """Rewrite texts, let a victim judge them, and keep the run.

    As in the paper, a text counts with the fewest changes that fool the victim. All its rewritings are made before
    the victim is asked about any, so its answers decide where to stop and nothing else.

    Args:
        book: The rules.
        data: The texts.
        budget: The share of a text's words that may change.
        victim: The judge, by name or opened.
        least: Words that may change in any text, however short.
        n: How many texts, drawn by the seed (default: all).
        seed: Draws them.
        options: How to open a victim given by name.
        out: The run's folder (default: one named after the job below ``runs``).
        resume: Go on with the run in that folder.
        progress: Whether to show a progress bar.
    """
    opened = (options or Options()).unless_named("fp32")  # each text is asked once: there is no search to speed up
    model = as_victim(victim, opened)
    recipe = _as_attack(Rewriter(book, data.labels, budget, least))
    return run_attack(
        model, data, recipe, n=n, seed=seed, options=opened, out=out, resume=resume, progress=progress
    )


def _as_attack(rewriter: Rewriter) -> Attack:
    async def rules(sample: Sample, ask: Ask, *, book: str, budget: float, least: int) -> Text:
        """Apply universal word replacement rules until the victim is fooled or the budget is spent."""
        texts = rewriter.texts(sample)
        if not texts:
            return sample.text
        answers = await ask.predict(texts)
        for text, answer in zip(texts, answers, strict=True):
            if await ask.holds(text, answer):
                return text
        return texts[-1]

    settings = _settings(rewriter.book, rewriter.budget, rewriter.least)
    return Attack(name=_NAME, function=rules, settings=settings)


def recipe_name(book: RuleBook, budget: float, least: int) -> str:
    """Return what a run by these rules calls its attack."""
    return written(_NAME, _settings(book, budget, least))


def _settings(book: RuleBook, budget: float, least: int) -> dict[str, str | float]:
    return {"book": book.digest, "budget": budget, "least": least}


def refuse_other_labels(book: RuleBook, labels: Sequence[str]) -> None:
    """Raise if rules are for other labels; these are matched as a victim's are, in order only if all are there.

    Raises:
        UserError: The data's labels are neither the book's nor as many.
    """
    if how_matched(labels, book.labels) == "in order" and len(labels) != len(book.labels):
        raise UserError(
            f"the rules are for the labels {', '.join(book.labels)}, the data has {', '.join(labels)}; "
            "use data with these labels, or give its labels the same names with --labels"
        )
