"""Whether an answer can be trusted: names, label models that are off, few points, and what the report says.

One family of tasks a file. True labels serve measuring only; every setting is fixed in its file.
"""
