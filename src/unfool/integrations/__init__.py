"""unfool inside other people's tools, a file each; none of these needs PyTorch.

This room imports no framework: each file imports its own.
"""

from unfool.integrations._changed import SETTINGS, changed, variants

__all__ = ["SETTINGS", "changed", "variants"]
