"""Translators that are trained by name."""
