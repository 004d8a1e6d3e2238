"""A program that stores a text, and ends when it is sent a line: it closes the store first, or leaves without a word.

`python -m tests.embedding_service.leaving SETTINGS HOW`
"""

import json
import os
import sys

from recollect import Memory, load_settings


def main() -> None:
    """Store, wait, end."""
    memory = Memory.open(settings=load_settings(os.devnull, environ={}, overrides=json.loads(sys.argv[1])))
    memory.user("me").remember("The ladder stands behind the shed")
    sys.stdin.readline()
    if sys.argv[2] == "close":
        memory.close()
    print("done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
