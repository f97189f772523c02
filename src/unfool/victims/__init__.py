"""Victims: the models under attack, behind small protocols."""
