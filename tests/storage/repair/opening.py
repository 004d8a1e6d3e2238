"""A process that opens a damaged store as others do at that moment: `python -m tests.storage.repair.opening FILE N`."""

import sys

from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory


def main() -> None:
    """Store something, and say whether the store was repaired here."""
    with open_memory(sys.argv[1], **WITH_QUICK_VECTORS) as memory:
        memory.user("me").remember(f"Process {sys.argv[2]} was here")
        print(memory.repaired is not None)  # noqa: T201


if __name__ == "__main__":
    main()
