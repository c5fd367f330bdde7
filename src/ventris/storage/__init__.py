"""Files: written whole, checked when read; states of a fit that was ended."""
