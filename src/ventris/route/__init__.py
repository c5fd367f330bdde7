"""The default method, step by step."""
