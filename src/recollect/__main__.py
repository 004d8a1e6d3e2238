"""`python -m recollect` and the command `recollect`.

A hook runs at each turn of an agent, so it goes past the command line, which takes longer to import than a hook may.
"""

import sys


def main() -> None:
    """Run what was typed."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        from recollect.hook_client.main import run  # noqa: PLC0415 - as above

        sys.exit(run(sys.argv[2:]))
    from recollect.cli import main as run_command  # noqa: PLC0415 - as above

    run_command()


if __name__ == "__main__":
    main()
