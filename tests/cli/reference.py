"""Writes the pages that show commands anew: `python -m tests.cli.reference`.

The answers in their `console` blocks come from running the commands, and the reference from the application itself. A
page may show files: they lie in the folder in which its commands run.
"""

import re
import shlex
import tempfile
from contextlib import chdir
from pathlib import Path

from recollect.cli.reference import command_reference
from tests.cli.conftest import OFFLINE, Cli, within_reach
from tests.providers.server import ProviderServer

_NAMES = ("cli.md", "files.md", "recall.md", "embedding.md", "places.md")
DOCS = [Path(__file__).parents[2] / "docs" / name for name in _NAMES]
CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
TYPED = re.compile(r"^\$ (?:.*\\\n)*.*\n", re.MULTILINE)
REFERENCE = re.compile(r"(?<=<!-- reference begins -->\n).*?(?=<!-- reference ends -->)", re.DOTALL)
SHOWN_FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)```", re.DOTALL | re.MULTILINE)
HOME = "/home/anna"
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def lay_out(text: str, folder: Path) -> None:
    """Write the files that a page shows."""
    for name, content in SHOWN_FILE.findall(text):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


class Page:
    """Runs the commands of the page, with ids and a folder that stay the same from run to run."""

    def __init__(self, cli: Cli) -> None:
        self._cli = cli
        self._folder = ""
        self._printed: dict[str, str] = {}

    def renewed(self, text: str) -> str:
        """Give the page as it should be."""
        with tempfile.TemporaryDirectory(prefix="r") as folder, chdir(folder):  # a short name: it stands in the answers
            self._folder = str(Path(folder).resolve())
            lay_out(text, Path(folder))
            text = CONSOLE.sub(lambda block: self._rerun(block[0]), text)
        return REFERENCE.sub(lambda _: f"\n{command_reference()}\n\n", text)

    def _rerun(self, block: str) -> str:
        return "".join(f"{typed}{self._answer(typed)}" for typed in TYPED.findall(block))

    def _answer(self, typed: str) -> str:
        real = {printed: known for known, printed in self._printed.items()}
        _, _, *words = shlex.split(ID.sub(lambda found: real.get(found[0], found[0]), typed.replace("\\\n", "")))
        outcome = self._cli(*words)
        shown = (outcome.stdout + outcome.stderr).replace(self._folder, HOME)
        return ID.sub(lambda found: self._lasting(found[0]), shown)

    def _lasting(self, found: str) -> str:
        if found.startswith("00000000"):
            return found
        return self._printed.setdefault(found, f"01a0b7c4-5d31-7a02-8f6e-2b9c4d1e0a{len(self._printed):02x}")


def _renew(page: Path, cache: str) -> None:
    with tempfile.TemporaryDirectory() as folder, ProviderServer() as provider:
        shell = Cli("--database", f"{folder}/memory.db")
        shell.environment.pop("RECOLLECT_EMBEDDING_PROVIDER")
        shell.environment |= {**within_reach(provider), **OFFLINE, "XDG_CACHE_HOME": cache}
        page.write_text(Page(shell).renewed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as shared:  # the table of places is made once
        for name in DOCS:
            _renew(name, shared)
