"""The parts of a page that are made, each between two comments; what stands around them is left alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from docs.generator.figures import figures
from docs.generator.subjects import Option, Subject

from unfool.victims import NEEDS

_BLOCK = re.compile(r"(<!-- made: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_EXAMPLE = re.compile(r"## Example\n.*?```sh\n(.*?)```", re.DOTALL)
_NEW_PAGE = """# {name}

<!-- made: summary -->
<!-- end -->

## How it works

<!-- made: docstring -->
<!-- end -->

## Options

<!-- made: options -->
<!-- end -->

## Example

```sh
{example}
```

<!-- made: output -->
<!-- end -->

## Figures

<!-- made: figures -->
<!-- end -->
"""


def rendered(subject: Subject, page: str | None, output: str | None = None) -> str:
    """Return a page with its made parts as they should be.

    Args:
        subject: What the page is about.
        page: The page as it is; None makes one of the docstring.
        output: What the example printed; None leaves what stands there.
    """
    if page is None:
        page = _NEW_PAGE.format(name=subject.name, example=subject.example)

    def renewed(match: re.Match[str]) -> str:
        opening, kind, old, closing = match.groups()
        if kind == "output":
            made = old.strip("\n") if output is None else f"```text\n{output}\n```"
        else:
            made = _MADE[kind](subject)
        return f"{opening}\n{made}\n\n{closing}" if made else f"{opening}{closing}"

    return _BLOCK.sub(renewed, page)


def example(page: str) -> str:
    """Return the commands a page shows as its example."""
    found = _EXAMPLE.search(page)
    return found[1] if found else ""


def output(page: str) -> str:
    """Return what a page says its example prints."""
    found = {match[2]: match[3] for match in _BLOCK.finditer(page)}
    return found.get("output", "").strip().removeprefix("```text\n").removesuffix("\n```")


def _summary(subject: Subject) -> str:
    kinds = {
        "attacks": f"`--attack {subject.name}`",
        "defences": f"`--victim {subject.name}:VICTIM`",
        "hardening": f"`unfool harden {subject.name}`",
    }
    needs = ""
    if subject.folder == "attacks":
        names = [NEEDS[need] for need in subject.needs]
        told = " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
        needs = f" It needs {told}." if told else " It needs nothing but the victim's answers."
    return f"{kinds[subject.folder]}: {subject.summary}{needs}"


def _options(subject: Subject) -> str:
    if not subject.options:
        return "None."
    return "\n".join(["| option | default | takes | |", "| --- | --- | --- | --- |", *map(_line, subject.options)])


def _line(option: Option) -> str:
    return f"| `{option.name}` | `{option.default}` | {option.takes} | {option.what} |"


_MADE: dict[str, Callable[[Subject], str]] = {
    "summary": _summary,
    "docstring": lambda subject: subject.body or subject.summary,
    "options": _options,
    "figures": figures,
}
