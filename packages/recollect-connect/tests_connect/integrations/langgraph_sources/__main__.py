"""Run the store tests of LangGraph's repository and print what came of them."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests_connect.integrations import langgraph_sources


def main() -> int:
    """Run them on a SQLite file, or on the database that is named."""
    if len(sys.argv) < 2:
        sys.exit(langgraph_sources.__doc__)
    failed = 0
    with TemporaryDirectory() as folder:
        database = sys.argv[2] if len(sys.argv) > 2 else str(Path(folder, "memory.db"))
        for library, exceptions in langgraph_sources.EXCEPTIONS.items():
            ran = langgraph_sources.run(Path(sys.argv[1]).resolve(), library, database)
            print(library, ran.stdout, ran.stderr, sep="\n")  # noqa: T201
            for name, reason in exceptions.items():
                print(f"left out: {name}: {reason}")  # noqa: T201
            failed |= ran.returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
