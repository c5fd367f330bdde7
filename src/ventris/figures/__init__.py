"""Figures: data computed first, drawn second. Needs the extra `plot`."""
