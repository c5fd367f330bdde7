"""Text through a noisy channel: what was meant, read from what was written, the noise learnt from the text alone."""
