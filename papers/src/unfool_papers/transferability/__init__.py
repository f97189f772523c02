"""Yuan et al., 2021: do texts that fool one model fool others, and can rules do it without any model?"""

from unfool_papers.transferability.study import STUDY

__all__ = ["STUDY"]
