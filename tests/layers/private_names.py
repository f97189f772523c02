"""A contract for import-linter: no room of a package imports what another room calls private."""

from __future__ import annotations

import re

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output

_PRIVATE_NAME = re.compile(r"\b_[A-Za-z]\w*")


class PrivateNamesContract(Contract):
    """Names that begin with an underscore stay in their room: the first folder below the package.

    A name counts, be it a module's or one that is imported from a module.
    """

    type_name = "private_names"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import between two rooms."""
        broken = [
            f"{importer} -> {imported} (l.{detail['line_number']}): {detail['line_contents']}"
            for importer in sorted(graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if _room(importer) != _room(imported)
            for detail in graph.get_import_details(importer=importer, imported=imported)
            if _is_private(imported) or _PRIVATE_NAME.search(detail["line_contents"].partition(" import ")[2])
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each import."""
        for line in check.metadata["broken"]:
            output.print_error(line)


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _is_private(module: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in module.split("."))
