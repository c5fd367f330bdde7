"""Inputs become symbols."""
