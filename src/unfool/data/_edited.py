"""Which texts of a pair may be edited: it decides every result, and a data set's fingerprint does not know it."""

from __future__ import annotations

from unfool.data import Dataset
from unfool.storage import JSON


def edited(data: Dataset) -> dict[str, JSON]:
    """Return the setting to keep beside a data set: the fields that may be edited, where not all of them may."""
    fields = data[0].text.fields if len(data) else ()
    names: list[JSON] = [field.name for field in fields if field.editable]
    return {"editable": names} if len(names) < len(fields) else {}
