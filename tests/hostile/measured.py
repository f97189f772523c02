"""The command line with somebody at the keyboard who says yes to all, and its peak of memory written down."""

import os
import sys
from pathlib import Path


def _peak_mb() -> int:
    told = Path("/proc/self/status").read_text().split("VmHWM:")[1]
    return int(told.split()[0]) >> 10


if __name__ == "__main__":
    reader, writer = os.pipe()
    os.write(writer, b"y\n" * 100)
    os.dup2(reader, 0)
    sys.stdin = os.fdopen(0)
    peak = Path(os.environ["PEAK"])
    from unfool.cli import main

    try:
        main()
    finally:
        peak.write_text(str(_peak_mb()))
