"""The raters' pages: a personal link leads to the instructions, their check, and one question after the other."""

# Not with annotations as strings: FastAPI could not read those that name what is local to a function.
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Response
from pydantic import BaseModel, ConfigDict, Field

from unfool.app._pages import add_parts, new_app, page
from unfool.rating import LONGEST_COMMENT, NO_HASTE, Asked, Rater, Study, Task

_MOST = 2**31


class Checked(BaseModel):
    """An answer to the check of the instructions."""

    model_config = ConfigDict(extra="forbid", strict=True)
    choice: int = Field(ge=0, le=9)


class Given(BaseModel):
    """An answer to a question."""

    model_config = ConfigDict(extra="forbid", strict=True)
    place: int = Field(ge=0, lt=_MOST)
    answer: str = Field(max_length=1000)
    comment: str = Field(default="", max_length=LONGEST_COMMENT)


class Undone(BaseModel):
    """The answer to take back."""

    model_config = ConfigDict(extra="forbid", strict=True)
    place: int = Field(ge=0, lt=_MOST)


def rating_app(study: Study) -> FastAPI:
    """Return the app in which raters answer a study's questions."""
    app = new_app()
    store, wording = study.store, study.wording
    add_parts(app, "rate", ("elements.js", "theme.js"), ("requests.js", "rate.js"))

    def known(token: str) -> Rater:
        rater = store.by_token(token)
        if rater is None:
            raise HTTPException(403, "this link belongs to nobody; use the whole link you were given")
        return rater

    def ready(rater: Annotated[Rater, Depends(known)]) -> Rater:
        if not rater.ready:
            raise HTTPException(409, "read the instructions and answer the question about them first")
        return rater

    @app.get("/")
    def nobody() -> Response:
        return page("rate", "study", 403)

    @app.get("/r/{token}")
    def rater_page(token: str) -> Response:
        return page("rate", "study", 200 if store.by_token(token) else 403)

    @app.get("/api/{token}")
    def state(rater: Annotated[Rater, Depends(known)]) -> dict[str, Any]:
        told = {
            "question": wording.question,
            "instructions": (*wording.instructions, NO_HASTE),
            "example": wording.example,
            "check": {"question": wording.check.question, "choices": wording.check.choices},
            "ready": rater.ready,
            "longest_comment": LONGEST_COMMENT,
        }
        if not rater.ready:
            return told
        asked = store.next(rater)
        return {**told, **store.progress(rater)._asdict(), "asked": asked and shown(study, asked)}

    @app.post("/api/{token}/check")
    def check(rater: Annotated[Rater, Depends(known)], given: Checked) -> dict[str, bool]:
        right = given.choice == wording.check.right
        if not rater.ready:
            store.check(rater, right)
        return {"right": right}

    @app.post("/api/{token}/answers")
    def answer(rater: Annotated[Rater, Depends(ready)], given: Given) -> dict[str, bool]:
        store.answer(rater, given.place, given.answer, given.comment)
        return {"kept": True}

    @app.post("/api/{token}/undo")
    def undo(rater: Annotated[Rater, Depends(ready)], given: Undone) -> dict[str, bool]:
        store.undo(rater, given.place)
        return {"undone": True}

    return app


def shown(study: Study, asked: Asked) -> dict[str, Any]:
    """Return a question as the page shows it; nothing in it tells an original text from a changed one."""
    item = study.items[asked.item]
    texts = [[*zip(item.field_names, text, strict=True)] for text in item.texts]
    answers = list(study.answers)
    if asked.swapped:
        texts.reverse()
        answers.reverse()
    names = ("First text", "Second text") if study.task in (Task.READABILITY, Task.MEANING) else ("",)
    return {
        "place": asked.place,
        "texts": [{"name": name, "fields": fields} for name, fields in zip(names, texts, strict=True)],
        "choices": [*zip(answers, study.wording.shown, strict=True)],
    }
