"""`python -m ventris` is `ventris`."""

from ventris.cli import main

if __name__ == "__main__":
    main()
