"""Ciphertexts that nobody here made, and the bars they are held to."""
