"""`python -m recollect` and the command `recollect`.

A hook runs at each turn of an agent, so it goes past the command line, which takes longer to import than a hook may.
"""

import gc
import os
import sys


def main() -> None:
    """Run what was typed."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        hook(sys.argv[2:])
    from recollect.cli import main as run_command  # noqa: PLC0415 - as above

    run_command()


def hook(arguments: "list[str]") -> None:
    """Serve one event of a host, and end the process."""
    gc.disable()  # a process that ends at once makes no garbage worth looking for
    from recollect.hook_client.main import run  # noqa: PLC0415 - as above

    code = run(arguments)
    os._exit(code)  # everything is written; taking the interpreter apart would take longer than a request


if __name__ == "__main__":
    main()
