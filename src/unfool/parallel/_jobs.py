"""A job, what came of it, and what kept it from a result."""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Callable
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from unfool.devices import gpu_is_full, gpu_is_lost
from unfool.errors import RESUME, UserError

Job = TypeVar("Job")
Shared = TypeVar("Shared")
Result = TypeVar("Result")


class Cause(Enum):
    """What kept a job from having a result."""

    USER_ERROR = "the user gave something that cannot be used"
    BUG = "an error nobody thought of"
    ENDED_EARLY = "its process ended early; use fewer workers"
    MEMORY_FULL = "the GPU's memory is full; use fewer workers"


class Problem(NamedTuple):
    """Why a job has no result: words, since these travel between processes safely and exceptions need not."""

    cause: Cause
    message: str
    traceback: str = ""

    def __str__(self) -> str:
        return self.message

    def error(self) -> UserError:
        """Return the error that ends the whole work; what was done is kept."""
        go_on = f"what was done is kept: use fewer workers and add {RESUME}"
        match self.cause:
            case Cause.USER_ERROR:
                return UserError(self.message)
            case Cause.BUG:
                advice = f"what was done is kept: use {RESUME}, and fewer workers if memory was full"
                return UserError(f"a worker stopped: {self.message}; {advice}")
            case Cause.ENDED_EARLY:
                return UserError(f"a worker process ended early; {go_on}")
            case Cause.MEMORY_FULL:
                return UserError(f"the GPU's memory is full; {go_on}")


class Done(NamedTuple, Generic[Job, Result]):
    """A job with its result, or with what went wrong."""

    job: Job
    result: Result | None
    problem: Problem | None = None


def try_job(work: Callable[[Shared, Job], Result], shared: Shared, job: Job) -> Done[Job, Result]:
    """Do a job; an error becomes its problem."""
    try:
        return Done(job, work(shared, job))
    except UserError as error:
        return Done(job, None, Problem(Cause.USER_ERROR, str(error)))
    except Exception as error:  # a victim is somebody's code, and may raise anything
        if gpu_is_full(error):
            return Done(job, None, Problem(Cause.MEMORY_FULL, Cause.MEMORY_FULL.value))
        return Done(job, None, Problem(Cause.BUG, f"{type(error).__name__}: {error}", traceback.format_exc()))
    finally:
        _free_models()


def ended_early(job: Job) -> Done[Job, Result]:
    """Return what is known of a job whose process ended before it."""
    return Done(job, None, Problem(Cause.ENDED_EARLY, Cause.ENDED_EARLY.value))


def lost_its_gpu(done: Done[Job, Result]) -> bool:
    """Whether no later job would work in this process, since its GPU no longer answers."""
    return done.problem is not None and done.problem.cause is Cause.BUG and gpu_is_lost()


def _free_models() -> None:
    """Let go of what nobody holds any more; nets hold each other in rings, and a GPU keeps what it once gave."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized() and not gpu_is_lost():
        torch.cuda.empty_cache()
