"""Writes the frozen files anew; look at what `git diff` says, and say in CHANGELOG.md what a user notices."""

import tempfile
from pathlib import Path

from tests.reliability.opening import open_memory
from tests.surface.frozen_files import FROZEN

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, open_memory(str(Path(folder, "memory.db"))) as memory:
        for frozen in FROZEN.values():
            frozen.write(memory)
