"""A process that opens a store when it is told to: `python -m tests.storage.opening ADDRESS ROLE`."""

import os
import sys

from recollect import Memory, load_settings


def main() -> None:
    """Say that it is ready, wait for a line, open the store and print what it advises."""
    overrides = {"database": sys.argv[1], "postgres.role": sys.argv[2], "embedding.provider": "none"}
    settings = load_settings(os.devnull, environ={}, overrides=overrides)
    print("ready", flush=True)  # noqa: T201
    sys.stdin.readline()
    with Memory.open(settings=settings) as memory:
        print(list(memory.status().advice))  # noqa: T201


if __name__ == "__main__":
    main()
