"""`recollect install` and `uninstall`, typed by a user with a home of their own."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli
from tests.service.conftest import serving

from recollect import Memory, load_settings
from recollect_connect.hook_client.spool import Spool


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project, as the environment and the working directory say."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    (tmp_path / "webshop").mkdir()
    monkeypatch.chdir(tmp_path / "webshop")
    return tmp_path / "home"


@pytest.fixture
def typed(tmp_path: Path, home: Path) -> Cli:
    """Commands on an SQLite file; no service is where the settings say."""
    cli = Cli("--database", str(tmp_path / "memory.db"))
    cli.environment |= {"RECOLLECT_SERVE_PORT": "1"}
    return cli


def test_install_makes_a_key_and_uninstall_revokes_it(typed: Cli, home: Path) -> None:
    shown = typed.ok("install", "claude-code")
    assert "Installed in Claude Code. `recollect uninstall claude-code` undoes it." in shown
    assert "No service answers yet: run `recollect serve`" in shown
    file = home / ".config" / "recollect" / "hook.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    connection = json.loads(file.read_text())
    assert connection["url"] == "http://127.0.0.1:1"
    assert connection["key"] not in shown
    (key,) = typed.json("keys", "list")["keys"]
    assert (key["user"], key["scopes"], key["state"]) == ("default", ["read", "write"], "live")
    assert typed.ok("install", "claude-code") == "Nothing to do: Recollect is installed in Claude Code.\n"
    assert "Removed from Claude Code." in typed.ok("uninstall", "claude-code")
    assert typed.json("keys", "list")["keys"][0]["state"] == "revoked"
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert typed.ok("uninstall", "claude-code") == "Nothing to do: Recollect is not installed in Claude Code.\n"


def test_a_host_gets_the_script_for_hooks_where_there_is_one(
    typed: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "recollect"
    program.parent.mkdir()
    program.touch()
    monkeypatch.setattr(sys, "argv", [str(program)])
    for command in (f"{program} hook claude-code", f"{program}-hook claude-code"):
        typed.ok("install", "claude-code")
        (group,) = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]["UserPromptSubmit"]
        assert group["hooks"][0]["command"] == command
        program.with_name("recollect-hook").touch()


def test_a_dry_run_shows_the_change_and_makes_none(typed: Cli, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{\n  "model": "opus"\n}\n')
    shown = typed.ok("install", "claude-code", "--dry-run")
    assert f"would be changed: {settings}" in shown.replace("\n", "")
    assert '+  "hooks": {' in shown
    outcome = typed.json("install", "claude-code", "--dry-run")
    assert [file["action"] for file in outcome["files"]] == ["created", "created", "changed"]
    assert [path.name for path in home.rglob("*") if path.is_file()] == ["settings.json"]
    assert settings.read_text() == '{\n  "model": "opus"\n}\n'
    assert typed("keys", "list").exit_code == 3, "there is no store"
    typed.ok("install", "claude-code")
    typed.ok("uninstall", "claude-code", "--dry-run")
    assert "recollect" in settings.read_text()


def test_a_project_is_installed_beside_the_user_and_keeps_the_connection(typed: Cli, home: Path) -> None:
    typed.ok("install", "claude-code", "--scope", "project", "--start-service")
    connection = json.loads((home / ".config" / "recollect" / "hook.json").read_text())
    assert connection["start"][-3:] == ["serve", "--port", "1"]
    typed.ok("install", "gemini")
    typed.ok("uninstall", "gemini")
    assert (home / ".config" / "recollect" / "hook.json").exists(), "the project uses it"
    typed.ok("uninstall", "claude-code", "--scope", "project")
    assert list(Path.cwd().iterdir()) == []


def test_a_service_on_another_machine_needs_a_key_of_its_own(typed: Cli, home: Path) -> None:
    outcome = typed("install", "claude-code", "--url", "https://memory.example")
    assert outcome.exit_code == 2
    assert "--key-file" in outcome.stderr
    typed.ok("install", "claude-code", "--url", "https://memory.example", "--key-file", "~/key")
    connection = json.loads((home / ".config" / "recollect" / "hook.json").read_text())
    assert connection == {"url": "https://memory.example", "user": "default", "key_file": str(home / "key")}
    assert typed("install", "claude-code", "--url", "memory.example").exit_code == 2
    assert typed("install", "emacs").exit_code == 2
    assert typed("install", "claude-code", "--project", "nowhere").exit_code == 3


def test_the_list_says_what_was_found_and_installed_and_what_waits(typed: Cli, home: Path) -> None:
    typed.ok("install", "claude-code")
    folder = home / ".local" / "share" / "recollect" / "spool"
    Spool(str(folder), "somewhere", largest_bytes=150).add("/path", {})
    Spool(str(folder), "somewhere", largest_bytes=150).add("/path", {})
    shown = " ".join(typed.ok("install", "--list").split())
    assert "claude-code Claude Code, found: " in shown
    assert "cursor Cursor, not found" in shown
    assert "Service: http://127.0.0.1:1, which does not answer." in shown
    assert "1 request waits for it; 0 were refused. 1 request was dropped because the spool was full." in shown
    typed.store("One")
    forgotten = typed.ok("forget", "--everything", "--yes").replace("\n", " ")
    assert f"1 turn waits for the service in {folder}, and will be stored later." in forgotten
    listed = typed.json("install", "--list")
    assert listed["hosts"][0]["installed_in"] == [
        str(home / ".claude.json"),
        str(home / ".claude" / "settings.json"),
    ]


def test_the_hook_of_the_command_line_is_the_same_program(typed: Cli) -> None:
    assert typed.ok("hook", "--verbose", standard_input="{}") == ""
    assert "standard input" in typed.ok("hook", "--help")


@pytest.mark.slow
def test_claude_code_itself_sees_the_server_and_runs_the_hooks(home: Path, tmp_path: Path) -> None:
    """Without a model: `mcp list` starts the server, and a prompt runs hooks before it fails for want of a login."""
    claude = shutil.which("claude")
    if claude is None:
        pytest.skip("the program `claude` is not on the PATH (npm install -g @anthropic-ai/claude-code)")
    database = str(tmp_path / "memory.db")
    settings = load_settings(environ=PLAIN_ENVIRONMENT, overrides={"database": database})
    with Memory.open(settings=settings) as memory, serving(memory) as service:
        memory.user("default").remember("Prefers tabs to spaces", type="preference")
        environment = {
            **os.environ,
            **PLAIN_ENVIRONMENT,
            "RECOLLECT_SERVE_PORT": service.url.rpartition(":")[2],
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        }

        def run(*command: str) -> str:
            ended = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
            )
            return ended.stdout

        recollect = (sys.executable, "-m", "recollect", "--database", database)
        run(*recollect, "install", "claude-code")
        listed = run(claude, "mcp", "list")
        assert "recollect:" in listed
        assert "Connected" in listed
        log = home / "claude.log"
        run(claude, "-p", "Where is the bicycle?", "--debug-file", str(log))
        said = log.read_text(encoding="utf-8")
        assert "hook claude-code) provided additionalContext" in said
        assert "Prefers tabs to spaces" in said
        run(*recollect, "uninstall", "claude-code")
        assert "recollect:" not in run(claude, "mcp", "list")


def test_a_password_is_written_into_no_file_of_another_program(home: Path) -> None:
    for host in ("claude-code", "openclaw"):
        refused = Cli("--database", "postgresql://anna:s3cret@127.0.0.1:1/memory")("install", host, "--dry-run")
        assert refused.exit_code == 2
        assert "Write ${NAME} in its place" in " ".join(refused.stderr.split())
    reference = Cli("--database", "postgresql://anna:${SECRET}@127.0.0.1:1/memory")
    reference.environment |= {"SECRET": "s3cret"}
    shown = reference.ok("install", "claude-code", "--dry-run", "--key-file", str(home / "key"), "--start-service")
    assert "${SECRET}" in shown
    assert "s3cret" not in shown
