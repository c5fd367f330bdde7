"""Text through a noisy channel: what was meant read from what was written, the noise learnt on the way."""
