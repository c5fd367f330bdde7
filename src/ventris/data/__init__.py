"""What comes in: sequences, labels as numbers, n-grams counted."""
