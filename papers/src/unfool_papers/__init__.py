"""The experiments of five papers on texts that fool models."""
