"""What the papers look at beside success rates, each as a figure with its numbers."""

from unfool.analysis._figure import Figure, write_svg

__all__ = ["Figure", "write_svg"]
