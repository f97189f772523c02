"""What a TextAttack command line says in ours."""

from unfool.cli.textattack._command import from_textattack
from unfool.cli.textattack._translate import Translation, translate

__all__ = ["Translation", "from_textattack", "translate"]
