"""`python -m recollect` is the command `recollect`."""

from recollect.cli import main

if __name__ == "__main__":
    main()
