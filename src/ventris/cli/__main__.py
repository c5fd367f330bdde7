"""`python -m ventris.cli` is `ventris`."""

from ventris.cli import main

main()
