"""A run: the outcomes of one attack, kept in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableSet, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from unfool.engine import Failure, Outcome
from unfool.errors import UserError
from unfool.runs._folder import (
    ENVIRONMENT,
    FAILURES,
    OUTCOMES,
    RUN,
    SUMMARY,
    TRACEBACKS,
    Session,
    is_finished,
    is_run,
    runs_near,
)
from unfool.runs._outputs import output_figures
from unfool.runs._reading import MEND, read_costs, read_outcomes, read_spread
from unfool.runs._records import Cost, failure_from_line, read_lines, to_line
from unfool.runs._remarks import Known, remarks
from unfool.runs._shards import describe_shards
from unfool.runs._summary import Repeated, Summary, summarise
from unfool.runs._table import label_names, to_table
from unfool.runs._votes import Valid, Votes, read_votes, valid_success
from unfool.storage import (
    JSON,
    Ids,
    WorkFolder,
    check_fields,
    index,
    put_in_order,
    read_json,
    reading,
)

if TYPE_CHECKING:
    import pandas
    import pyarrow


class Run:
    """The outcomes of one attack on one victim over one data set, kept in a folder.

    ``config.json`` holds what decides the result, ``environment.json`` what does not (versions, device, times),
    ``outcomes.jsonl`` and ``failures.jsonl`` a line a sample, ``summary.json`` the figures once all is done;
    ``tracebacks.txt`` the way to each bug that kept samples from a result.
    A run made by `create` or `resume` is written to, by one process at a time; close it, or use it in ``with``.
    There, an error before the first result leaves no folder behind.
    Killed at any moment and resumed, it ends in the same files as if it had never been.
    """

    def __init__(self, folder: Path, config: dict[str, JSON]) -> None:
        self.folder = folder
        self.config = config
        self._session: Session | None = None
        self._started: WorkFolder | None = None  # until there is a result
        self._so_far: tuple[list[int], Summary] | None = None
        """The figures of an unfinished run, and how long its files were when they were taken."""

    @classmethod
    def create(
        cls,
        folder: str | Path,
        config: Mapping[str, JSON],
        environment: Mapping[str, JSON] | None = None,
        earlier: Sequence[Mapping[str, Any]] = (),
    ) -> Run:
        """Start a run in a new or empty folder.

        Args:
            folder: Where the run will live.
            config: All that decides the result; a resumed run must have the same.
            environment: What else is worth keeping about this session, such as the device.
            earlier: The sessions in which the outcomes were made, if that was elsewhere.
        """
        return cls._writing_to(folder, config, environment, resume=False, earlier=earlier)

    @classmethod
    def resume(
        cls, folder: str | Path, config: Mapping[str, JSON], environment: Mapping[str, JSON] | None = None
    ) -> Run:
        """Go on with a run that was stopped, or start it if there is none.

        ``config`` must be the one the run was created with.
        """
        return cls._writing_to(folder, config, environment, resume=True)

    @classmethod
    def _writing_to(
        cls,
        folder: str | Path,
        config: Mapping[str, JSON],
        environment: Mapping[str, JSON] | None,
        resume: bool,
        earlier: Sequence[Mapping[str, Any]] = (),
    ) -> Run:
        work = WorkFolder(Path(folder), RUN, config, resume)
        run = cls(work.path, work.config)
        with work.writing():
            run._session = Session(work, environment or {}, earlier)
        run._started = None if work.resumed else work
        return run

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """Open a run to read it, finished or not."""
        folder = Path(folder)
        with reading(folder):
            if not is_run(folder):
                near = ", ".join(map(str, runs_near(folder)[:5]))
                hint = describe_shards(folder) or (f"there is {near}" if near else "")
                raise UserError(f"{folder} is not a run folder" + (f"; {hint}" if hint else ""))
            return cls(folder, RUN.read_settings(folder))

    @property
    def dtype(self) -> str:
        """The precision of the search."""
        return "bf16" if self.config.get("approximate") else "fp32"

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.absolute().name

    @cached_property
    def label_names(self) -> list[str]:
        """The names of the label numbers: the victim's, or the data's if the victim only has numbers."""
        return label_names(self.config)

    @cached_property
    def done(self) -> MutableSet[int]:
        """Ids of the samples that have an outcome."""
        with reading(self.folder):
            return Ids(map(int, index(self.folder / OUTCOMES).ids))

    def __len__(self) -> int:
        return len(self.done)

    def __repr__(self) -> str:
        rebuilds = f"Run.open({str(self.folder)!r})"
        if not self.finished:
            return f"{rebuilds}  # not finished"
        found = self.summary
        return f"{rebuilds}  # fooled {found.successes} of {found.attacked} attacked: {found.success_rate}"

    def _repr_html_(self) -> str:
        found = self.summary
        figures = {
            "attack": self.config.get("attack"),
            "victim": self.config.get("victim"),
            "data": self.config.get("data"),
            "samples": found.samples,
            "attacked": found.attacked,
            "fooled": found.successes,
            "clean accuracy": found.clean_accuracy,
            "accuracy under attack": found.accuracy_under_attack,
            "success rate": found.success_rate,
        }
        rows = (f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in figures.items())
        remarks = "".join(f"<li>{escape(remark)}</li>" for remark in self.remarks())
        return f"<table>{''.join(rows)}</table>" + (f"<ul>{remarks}</ul>" if remarks else "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is not None and self._started is not None:
            self._started.take_back()

    def record(self, outcome: Outcome) -> None:
        """Add an outcome; `flush` writes it."""
        self._started = None
        self._writer.outcomes.add(to_line(outcome))
        self.done.add(outcome.id)

    def fail(self, failure: Failure) -> None:
        """Add a sample that has no outcome; a resumed run tries it again."""
        self._started = None
        self._writer.failures.add(to_line(replace(failure, traceback="")))
        self._writer.tracebacks.add(failure)

    def flush(self) -> None:
        """Write what was added: only that survives a kill."""
        with self._writer.work.writing():
            self._writer.flush()

    def finish(self, similarity: float | None = None, asked_again: Repeated | None = None) -> Summary:
        """Put the files in order of id, write the summary and close the run.

        Args:
            similarity: Mean similarity of original and perturbed sentence over the successes.
            asked_again: What came of asking the victim about some texts twice.
        """
        with self._ending() as session:
            put_in_order(self.folder / OUTCOMES)
            put_in_order(self.folder / FAILURES)
            failures, first = sum(1 for _ in self.failures()), next(self.outcomes(), None)
            outputs = output_figures(self.outcomes()) if first and first.outputs else None
            summary = summarise(self.outcomes(), failures, similarity, asked_again, outputs)
            session.work.write(SUMMARY, summary.to_dict())
        return summary

    def close(self) -> None:
        """Write what was added and let go of the folder, for `resume` to go on with."""
        if self._session is not None:
            with self._ending():
                pass

    def outcomes(self) -> Iterator[Outcome]:
        """Yield what the files hold, one at a time: in order of id once the run is finished."""
        return read_outcomes(self.folder)

    def costs(self) -> Iterator[Cost]:
        """Yield what each outcome cost: read faster than the outcomes with their texts."""
        return read_costs(self.folder)

    def spread(self, most: int, also: Iterable[int] = ()) -> Iterator[Outcome]:
        """Yield outcomes in order of id: all, or of more than ``most`` so many, evenly spread.

        Args:
            most: How many.
            also: Ids of further ones that must not be missing.
        """
        return read_spread(self.folder, most, also)

    def failures(self) -> Iterator[Failure]:
        """Yield the samples that the last session got no outcome for."""
        with reading(self.folder):
            yield from read_lines(self.folder / FAILURES, failure_from_line, check_fields, MEND)

    def table(self) -> pyarrow.Table:
        """Return the outcomes as a table, a row each, a column for each field of the text before and after."""
        return to_table(self.outcomes(), self.label_names)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the outcomes as a data frame, with the columns of `table`.

        Raises:
            UserError: If pandas is not installed.
        """
        try:
            import pandas  # noqa: F401 (pyarrow imports it, too, but says less if it is missing)
        except ImportError:
            raise UserError("a data frame needs pandas: pip install pandas") from None
        return self.table().to_pandas()

    @property
    def summary(self) -> Summary:
        """The figures of the run; of what is there so far, if it is not finished."""
        path = self.folder / SUMMARY
        with reading(self.folder):
            if path.exists():
                try:
                    return Summary.from_dict(read_json(path))
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise UserError(f"{path} is damaged; delete it, and it is made again") from error
            sizes = [(self.folder / name).stat().st_size for name in (OUTCOMES, FAILURES)]
        if self._so_far is None or self._so_far[0] != sizes:
            self._so_far = sizes, summarise(self.outcomes(), sum(1 for _ in self.failures()))
        return self._so_far[1]

    @property
    def votes(self) -> list[Votes]:
        """What people said of the changed texts, where they were asked and their votes entered."""
        return read_votes(self.folder)

    @property
    def valid_success(self) -> Valid | None:
        """How many successes fooled the victim and not the people; None if people were not asked for labels."""
        summary = self.summary
        return valid_success(self.votes, summary.attacked, summary.successes)

    def remarks(self) -> tuple[str, ...]:
        """Return what a reader must know before the figures, a sentence each; none if nothing is amiss."""
        environment = {key: value for session in self.sessions for key, value in session.items()}
        return remarks(Known(self.summary, self.config, environment))

    @property
    def tracebacks(self) -> Path | None:
        """The file with the whole tracebacks of bugs in an attack or a victim, or None if there was none."""
        path = self.folder / TRACEBACKS
        return path if path.exists() else None

    @property
    def finished(self) -> bool:
        """Whether every sample was tried; else the run can be resumed."""
        return is_finished(self.folder)

    @property
    def whole(self) -> bool:
        """Whether every sample has an outcome; else, resumed, the run tries those again that have none."""
        return self.finished and not any(self.failures())

    @property
    def seconds(self) -> float:
        """How long the sessions of the run took together; those that were killed are not counted."""
        return float(sum(session["seconds"] or 0 for session in self.sessions))

    @property
    def sessions(self) -> list[dict[str, Any]]:
        """What was noted of each session of the run: versions, device, times."""
        with reading(self.folder):
            path = self.folder / ENVIRONMENT
            try:
                sessions = list(read_json(path)["sessions"])
                sum(session["seconds"] or 0 for session in sessions)
            except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
                raise UserError(f"{path} does not tell of the run's sessions; restore it") from error
            return sessions

    @property
    def _writer(self) -> Session:
        if self._session is None:
            raise RuntimeError(f"{self!r} is not open for writing: use Run.create or Run.resume")
        return self._session

    @contextmanager
    def _ending(self) -> Iterator[Session]:
        session = self._writer
        self._session = None
        try:
            with session.work.writing():
                session.seal()
                yield session
        finally:
            session.end()
