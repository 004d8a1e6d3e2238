"""Compares what users see with the files in `frozen/`, and writes these files."""

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recollect import Memory
from recollect.mcp.tools import VERBS_FILE
from tests.settings import test_documentation
from tests.surface import exchanges, listings, signatures, typescript, verb_schemas

ROOT: Final = Path(__file__).parents[2]
_MOST_LINES: Final = 300
_HUNK: Final = re.compile(r"@@ -(\d+)")
_HEADINGS: Final = ("> ", "$ ")  # a request, a command
_ADVICE: Final = """\
What users see is no longer what {file} says. If that was not meant, mend the code. If it was, say in
CHANGELOG.md what a user notices, write the files with `.venv/bin/python -m tests.surface`, and look at `git diff`.

{lines}"""


@dataclass(frozen=True)
class Frozen:
    """A file that says what users see, or a part of one."""

    file: Path
    now: Callable[[Memory], str]
    within: re.Pattern[str] = re.compile(r".*", re.DOTALL)

    def differences(self, memory: Memory) -> str:
        """Tell how what users see differs from the file, and what to do; '' if it does not."""
        before, after = self._part(), self.now(memory)
        if before == after:
            return ""
        name = str(self.file.relative_to(ROOT))
        lines = [*_compared(name, before.splitlines(), after.splitlines())]
        more = [f"… and {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
        return _ADVICE.format(file=name, lines="\n".join(lines[:_MOST_LINES] + more))

    def write(self, memory: Memory) -> None:
        """Write the file as it is now."""
        now, text = self.now(memory), self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        self.file.write_text(self.within.sub(lambda _: now, text, count=1), encoding="utf-8")

    def _part(self) -> str:
        found = self.within.search(self.file.read_text(encoding="utf-8"))
        return found[0] if found else ""


def _compared(name: str, before: list[str], after: list[str]) -> Iterator[str]:
    """Compare line by line; of each difference say to which request or command it belongs."""
    for line in difflib.unified_diff(before, after, name, "now", lineterm="", n=2):
        hunk = _HUNK.match(line)
        above = before[: int(hunk[1])] if hunk else ()
        yield line + next((f" {one}" for one in reversed(above) if one.startswith(_HEADINGS)), "")


def _file(name: str) -> Path:
    return Path(__file__).parent / "frozen" / name


FROZEN: Final = {
    "openapi": Frozen(_file("openapi.json"), listings.routes),
    "commands": Frozen(_file("help.txt"), listings.commands),
    "verbs": Frozen(VERBS_FILE, verb_schemas.verbs),
    "mcp": Frozen(_file("mcp.json"), listings.agents),
    "python": Frozen(_file("python.txt"), signatures.python_names),
    "inputs": Frozen(listings.TYPESCRIPT / "src" / "inputs.d.ts", typescript.declarations("inputs")),
    "results": Frozen(listings.TYPESCRIPT / "src" / "results.d.ts", typescript.declarations("results")),
    "typescript": Frozen(_file("typescript.txt"), listings.typescript),
    "requests": Frozen(exchanges.FILE, exchanges.exchanges),
    "settings": Frozen(test_documentation.DOCS, listings.settings, test_documentation.TABLE),
}
