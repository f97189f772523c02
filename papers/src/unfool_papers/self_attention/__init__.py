"""Hsieh et al., 2019: are self-attentive models harder to fool with one word?"""

from unfool_papers.self_attention.adversarial_training import BESIDE, TABLES
from unfool_papers.self_attention.study import FULL, STUDY

__all__ = ["BESIDE", "FULL", "STUDY", "TABLES"]
