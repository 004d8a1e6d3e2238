"""`python -m recollect` and the command `recollect`.

A hook runs at each turn of an agent, so it goes past the command line, which takes longer to import than a hook may.
"""

import gc
import os
import sys

from recollect import plugins


def main() -> None:
    """Run what was typed."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        gc.disable()  # a process that ends at once makes no garbage worth looking for
        for run in plugins.installed("programs", "hook"):
            os._exit(run(sys.argv[2:]))  # all is written; taking the interpreter apart would take longer than a request
    from recollect.cli import main as run_command  # noqa: PLC0415 - as above

    run_command()


if __name__ == "__main__":
    main()
