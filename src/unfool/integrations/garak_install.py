"""``python -m unfool.integrations.garak_install``: put buff and probe where garak looks, in its own folders."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

from unfool.errors import UserError

_HERE = Path(__file__).parent


def install(garak: Path | None = None) -> list[Path]:
    """Copy the plug-ins into garak's folders, and return where they are.

    Args:
        garak: The folder of garak's package; that of the one installed here if None.

    Raises:
        UserError: garak is not installed.
    """
    if garak is None:
        found = importlib.util.find_spec("garak")
        if found is None or found.origin is None:
            raise UserError("garak is not installed here: pip install garak")
        garak = Path(found.origin).parent
    places = [garak / kind / "unfool.py" for kind in ("buffs", "probes")]
    for place, source in zip(places, ("garak_buff.py", "garak_probe.py"), strict=True):
        shutil.copyfile(_HERE / source, place)
    return places


if __name__ == "__main__":
    try:
        print(*install(), sep="\n")
    except UserError as error:
        sys.exit(str(error))
