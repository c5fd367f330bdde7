"""How labels follow one another."""
