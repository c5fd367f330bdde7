"""Sequences read under a label model."""
