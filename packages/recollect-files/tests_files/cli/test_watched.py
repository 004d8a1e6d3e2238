"""Files at a terminal, and folders that are watched: real processes, on one store."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli
from tests.cli.test_terminal import Terminal
from tests.program import Program
from tests.waiting import PATIENCE_S


@pytest.fixture
def database(tmp_path: Path, empty_file: Path) -> str:
    """What is shown does not depend on the store, so one of them is enough."""
    return str(shutil.copy(empty_file, tmp_path / "memory.db"))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "home.md").write_text("# Home\n", encoding="utf-8")
    return folder


class Watcher:
    """A watching sync in a process of its own."""

    def __init__(self, database: str, *typed: str) -> None:
        environment = {**os.environ, **PLAIN_ENVIRONMENT, "RECOLLECT_FILES_DEBOUNCE_S": "0.05"}
        words = ("--database", database, "sync", "--watch", *typed)
        self.process = Program(*words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, text: str) -> str:
        """Read until a line says this, and give that line."""
        assert self.process.stdout
        for line in self.process.stdout:
            if text in line:
                return str(line)
        raise AssertionError(f"{text!r} never appeared")

    def end(self, number: signal.Signals) -> str:
        """Send a signal that ends it well, and give what it says then."""
        self.process.send_signal(number)
        shown, errors = self.process.communicate(timeout=PATIENCE_S)
        assert (self.process.returncode, errors) == (0, "")
        return str(shown)


@contextmanager
def watching(database: str, *typed: str) -> Iterator[Watcher]:
    watcher = Watcher(database, *typed)
    try:
        yield watcher
    finally:
        watcher.process.kill()
        watcher.process.communicate()


def test_a_watched_folder_is_kept_in_step_until_a_signal(cli: Cli, database: str, notes: Path) -> None:
    with watching(database, str(notes)) as watcher:
        assert f"{notes}: 1 added, 1 chunk written" in watcher.wait_for("1 added")
        watcher.wait_for("Watching 1 folder. Ctrl-C ends it.")
        (notes / "tulips.md").write_text("# Tulips\n\nPlant them in October.\n", encoding="utf-8")
        watcher.wait_for("1 added, 1 chunk written")
        assert cli.json("search", "tulips")["hits"][0]["path"] == "tulips.md"
        notes.rename(notes.with_name("away"))
        watcher.wait_for("there is no such folder now")
        notes.with_name("away").rename(notes)
        watcher.wait_for("nothing to do")
        assert watcher.end(signal.SIGINT) == ""
    assert cli.json("stats")["files"] == 2


def test_programs_get_a_line_for_each_sync(cli: Cli, database: str, notes: Path) -> None:
    cli.ok("sync", str(notes))
    with watching(database, "--json") as watcher:
        first = json.loads(watcher.wait_for("root"))
        assert (first["root"], first["state"], first["unchanged"]) == (str(notes), "synced", 1)
        (notes / "home.md").write_text("# Home\n\nChanged.\n", encoding="utf-8")
        assert json.loads(watcher.wait_for("root"))["changed"] == 1
        assert watcher.end(signal.SIGTERM) == ""


def test_a_terminal_shows_numbers_of_lines_and_what_would_be_forgotten(cli: Cli, database: str, notes: Path) -> None:
    (notes / "home.md").write_text("# Home\n\nred \x9b31m [bold]text[/bold]\n", encoding="utf-8")
    cli.ok("sync", str(notes))
    exit_code, shown = Terminal("--database", database, "read", "home.md", NO_COLOR="1").press("")
    assert exit_code == 0
    lines = [re.sub(r"\x1b\[\d*m", "", line).rstrip() for line in shown.splitlines()]
    assert lines == ["1  # Home", "2", "3  red 31m [bold]text[/bold]"]
    made = cli.json("files")["items"][0]["id"]
    terminal = Terminal("--database", database, "forget", made)
    assert "home.md" in terminal.wait_for("Forget 1 file for good? [y/N] ")
    assert terminal.press("n\n")[0] == 1


def test_names_cannot_command_the_terminal_and_lines_fit(cli: Cli, notes: Path) -> None:
    odd = f"a\x9b31m\nSynced folders{'x' * 90} [bold]x[bold] :boom: \u202e.md"
    (notes / odd).write_text("# Heading \x9b31m\n\nA tulip.\n", encoding="utf-8")
    os.mkfifo(notes / f"b\x9b31m\n{'y' * 90}.md")
    for typed in (("sync", str(notes)), ("files",), ("search", "tulip"), ("status",)):
        shown = cli.ok(*typed)
        assert not any(letter in shown for letter in "\x9b\u202e\x1b")
        assert max(map(len, shown.splitlines())) <= 80, typed
        assert not re.search("^ *Synced foldersx", shown, re.MULTILINE)
