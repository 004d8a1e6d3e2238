"""On a real terminal, and on terminals that can show little."""

import os
import re
import select
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli
from tests.program import Program
from tests.waiting import PATIENCE_S, until

PROGRAM = (sys.executable, "-m", "recollect")


class Terminal:
    """A terminal on which a command runs."""

    def __init__(self, *typed: str, **environment: str) -> None:
        settings = {**os.environ, **PLAIN_ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80", **environment}
        self._screen, end = os.openpty()
        self._process = Program(*typed, env=settings, terminal=True, stdin=end, stdout=end, stderr=end)
        os.close(end)

    def wait_for(self, text: str) -> str:
        """Read the screen until a text appears."""
        seen = b""
        while text.encode() not in seen:
            letter = self._read(1)
            assert letter, f"{text!r} never appeared in {seen!r}"
            seen += letter
        return seen.decode()

    def wait_for_reading(self) -> None:
        """Wait until the program blocks in reading the keyboard: an interrupt just before that may get lost."""
        until(lambda: psutil.Process(self._process.pid).status() == "sleeping")

    def press(self, keys: str) -> tuple[int, str]:
        """Press keys, and give the exit code with the rest of the screen."""
        os.write(self._screen, keys.encode())
        shown = b""
        while more := self._read(1024):
            shown += more
        os.close(self._screen)
        return self._process.wait(PATIENCE_S), shown.decode().replace("\r\n", "\n")

    def _read(self, most: int) -> bytes:
        assert select.select([self._screen], [], [], PATIENCE_S)[0], "nothing appeared"
        try:
            return os.read(self._screen, most)
        except OSError:  # nobody writes to it any more
            return b""


@pytest.fixture
def database(tmp_path: Path) -> str:
    """What is shown does not depend on the store, so one of them is enough."""
    return str(tmp_path / "memory.db")


def test_a_person_is_asked_before_anything_is_forgotten(cli: Cli, database: str) -> None:
    made = cli.store("My sister Jana is allergic to peanuts")
    assert cli("forget", "--query", "Jana").exit_code == 1, "a program gets candidates"
    terminal = Terminal("--database", database, "forget", "--query", "Jana")
    assert "My sister Jana is allergic to peanuts" in terminal.wait_for("Forget 1 memory for good? [y/N] ")
    exit_code, shown = terminal.press("n\n")
    assert (exit_code, shown.splitlines()[-1]) == (1, "Error: Nothing was forgotten.")
    terminal = Terminal("--database", database, "forget", made)
    terminal.wait_for("[y/N] ")
    terminal.wait_for_reading()
    exit_code, shown = terminal.press("\x03")
    assert (exit_code, shown.strip() in ("", "^C")) == (130, True), "an interrupt ends it without a word"
    assert cli.json("count") == {"count": 1}
    terminal = Terminal("--database", database, "forget", made)
    terminal.wait_for("[y/N] ")
    exit_code, shown = terminal.press("y\n")
    assert (exit_code, shown.splitlines()[-2]) == (0, "Forgotten for good: 1 memory.")
    assert "My sister Jana is allergic to peanuts" in shown.splitlines()[-1]
    assert cli.json("count") == {"count": 0}


def test_a_person_is_told_what_goes_and_whoever_says_yes_or_is_a_program_is_not_asked(cli: Cli, database: str) -> None:
    message = cli.json("say", "c1", "user", "Can the roof be insulated?")["id"]
    cli.json("say", "c1", "assistant", "Yes.")
    cli.store("The roof is old", "--session", "c1")
    terminal = Terminal("--database", database, "forget", "--session", "c1")
    terminal.wait_for("Forget conversation c1, 1 memory and 2 messages, for good? [y/N] ")
    assert terminal.press("n\n")[0] == 1
    exit_code, shown = Terminal("--database", database, "forget", message, "--json").press("")
    assert (exit_code, shown[0]) == (0, "{"), "whoever is a program is not asked, nor is who says yes"
    exit_code, shown = Terminal("--database", database, "forget", "--session", "c1", "--yes").press("")
    assert (exit_code, shown.splitlines()[0]) == (0, "Forgotten for good: 1 memory and 1 message.")
    cli.store("One")
    terminal = Terminal("--database", database, "forget", "--everything")
    terminal.wait_for("Forget everything, 1 memory, for good? [y/N] ")
    assert terminal.press("yes\n")[0] == 0
    assert cli.json("count") == {"count": 0}


def test_colours_are_for_terminals_that_want_them(cli: Cli, database: str) -> None:
    cli.store("Prefers dark mode")
    colour = re.compile(r"\x1b\[[\d;]*3\dm")
    typed = ("--database", database, "recall", "dark")
    assert colour.search(Terminal(*typed).press("")[1])
    assert not colour.search(Terminal(*typed, NO_COLOR="1").press("")[1])
    assert "\x1b" not in cli.ok("recall", "dark")


def test_a_terminal_without_unicode_shows_the_nearest_letters(cli: Cli, database: str) -> None:
    cli.store("Náměstí Míru… дом “x”")
    environment = {**os.environ, **PLAIN_ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    command = [*PROGRAM, "--database", database, "recall", "namesti náměstí"]
    shown = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert shown.stderr == b""
    assert b'Namesti Miru... ??? "x"' in shown.stdout
    document = subprocess.run([*command, "--json"], env=environment, capture_output=True, check=True).stdout
    assert "Náměstí Míru… дом “x”".encode("ascii", "replace") not in document
    assert b"N\\u00e1m\\u011bst\\u00ed" in document


def test_a_memory_cannot_command_the_terminal(cli: Cli) -> None:
    made = cli.store("red \x9b31m [bold]text[/bold] :boom: \u202egnp.exe", "--subject", "\x9b2J")
    cli.json("say", "c1", "user", "red \x9b31m [bold]text[/bold] :boom: \u202egnp.exe")
    cli.json("fact", "\x9b2J", "key", "red \x9b31m [bold]text[/bold] :boom: \u202egnp.exe")
    typed_commands = (
        ("list",), ("recall", "text"), ("get", made), ("history", made), ("search", "text"), ("conversation", "c1"),
        ("facts",), ("about", "text"),
    )  # fmt: skip
    for typed in typed_commands:
        shown = cli.ok(*typed)
        assert "[bold]text[/bold] :boom:" in shown
        assert not re.search("[\x80-\x9f\u202e\x1b]", shown)


def test_whole_ids_and_no_line_over_80_columns(cli: Cli) -> None:
    long = "A rather long memory, as people tell them, with word after word after word. " * 10
    made = cli.store(long, "--type", "session_summary", "--subject", "s" * 100, "--key", "k" * 100)
    for typed in (("list",), ("recall", "memory", "--explain"), ("get", made), ("history", made), ("status",)):
        shown = cli.ok(*typed)
        assert max(map(len, shown.splitlines())) <= 80
        assert made in shown or typed == ("status",)


def test_no_line_of_a_chat_or_of_what_is_known_is_over_80_columns(cli: Cli) -> None:
    long = "A rather long story, as people tell them, with word after word after word. " * 20
    said = cli.json("say", "c" * 100, "assistant", f"Once upon a time there was this: {long}")["id"]
    known = {
        ("facts",): cli.json("fact", "s" * 100, "k" * 100, long)["id"],
        ("preferences",): cli.json("prefer", "p" * 100, "k" * 100, long)["id"],
        ("events",): cli.json("event", long, "--entity", "e" * 100, "--kind", "k" * 30, "--details", long)["id"],
        ("lessons",): cli.json("lesson", long, "--context", "c" * 100)["id"],
        ("conversation", "c" * 100): said,
        ("conversation", "c" * 100, "--all"): said,
        ("conversation", "c" * 100, "--window", "9999"): said,
        ("conversation",): "c" * 30,
        ("search", "story"): said,
        ("about", "story"): "About story",
    }
    for typed, expected in known.items():
        shown = cli.ok(*typed)
        assert max(map(len, shown.splitlines())) <= 80, typed
        assert expected in shown


def test_a_reader_that_leaves_early_is_no_error(cli: Cli, database: str) -> None:
    for number in range(3):
        cli.store(f"Number {number} " + "and so on, and so forth. " * 3000)
    environment = {**os.environ, **PLAIN_ENVIRONMENT}
    for option in ((), ("--json",)):
        pipe, typed = subprocess.PIPE, ("--database", database, "list", *option)
        process = Program(*typed, env=environment, stdout=pipe, stderr=pipe)
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_a_failure_with_a_message(cli: Cli, database: str) -> None:
    cli.store("Something")
    environment = {**os.environ, **PLAIN_ENVIRONMENT}
    with Path("/dev/full").open("wb") as full:
        command = [*PROGRAM, "--database", database, "list"]
        ended = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, check=False)
    assert ended.returncode == 1
    assert b"Error: [Errno 28]" in ended.stderr
    assert b"Traceback" not in ended.stderr
