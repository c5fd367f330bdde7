"""Noisy texts corrected with no pair to learn from, beside the channel that made the noise and beside peers.

One idea a file: texts that no statistics have seen, noises with their true channel, measuring, peers,
families.
"""
