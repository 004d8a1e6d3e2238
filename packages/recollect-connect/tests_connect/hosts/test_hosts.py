"""Each host gets tools and hooks, keeps what it had, and is as it was after an uninstallation."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect_connect.hosts import HOSTS, changes, host_named
from recollect_connect.hosts.host import Host, InstallRequest, InstallScope, Machine

REQUEST = InstallRequest("user", ("/opt/my tools/recollect",), ("--user", "anna"))
PROJECT = InstallRequest("project")
HOOKED = tuple(host for host in HOSTS if host.runs_hooks)
OTHERS = {
    ".claude.json": b'{"numStartups": 3, "mcpServers": {"files": {"command": "npx", "args": ["files"]}}}',
    ".claude/settings.json": b'{\n\t"model": "opus",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", '
    b'"command": "say done"}]}]}\n}',
    ".codex/config.toml": b'model = "gpt"   # mine\n\n[mcp_servers.files]\ncommand = "npx"\n',
    ".codex/hooks.json": b'{"description": "mine", "hooks": {}}\n',
    ".cursor/hooks.json": b'{\r\n  "version": 1,\r\n  "hooks": {"stop": [{"command": "./audit.sh"}]}\r\n}\r\n',
    ".cursor/mcp.json": b'{"mcpServers": {}}',
    ".gemini/settings.json": b'\xef\xbb\xbf{\n    // mine\n    "theme": "dark",\n}\n',
    ".config/opencode/opencode.jsonc": b'{\n  /* mine */ "theme": "dark" // the best\n}\n',
}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "project").mkdir()
    return Machine(tmp_path / "home", tmp_path / "project", {"PATH": str(tmp_path / "bin")})


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def install(host: Host, machine: Machine, request: InstallRequest = REQUEST) -> tuple[Path, ...]:
    return changes.install(host.plan_install(machine, request).changes, host.installed_in(machine))


def uninstall(host: Host, machine: Machine, scope: InstallScope = "user") -> tuple[Path, ...]:
    return changes.uninstall(host.plan_uninstall(machine, scope).changes)


def with_others(machine: Machine) -> None:
    for name, content in OTHERS.items():
        path = machine.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.mark.parametrize("host", HOOKED, ids=lambda host: host.name)
@pytest.mark.parametrize("request_", [REQUEST, PROJECT], ids=["user", "project"])
@pytest.mark.parametrize("used", [True, False], ids=["in use", "new"])
def test_an_installation_is_idempotent_and_undone_to_the_byte(
    host: Host, machine: Machine, request_: InstallRequest, *, used: bool
) -> None:
    if used:
        with_others(machine)
    root = machine.home.parent
    before = contents(root)
    assert host.installed_in(machine) == ()
    written = install(host, machine, request_)
    assert written
    assert host.installed_in(machine) == written
    after = contents(root)
    assert install(host, machine, request_) == ()
    assert contents(root) == after
    assert set(uninstall(host, machine, request_.scope)) == set(written)
    assert contents(root) == before
    assert uninstall(host, machine, request_.scope) == ()


@pytest.mark.parametrize("host", HOOKED, ids=lambda host: host.name)
def test_a_newer_program_takes_the_place_of_an_older_one_in_hooks(host: Host, machine: Machine) -> None:
    with_others(machine)
    before = contents(machine.home)
    install(host, machine)
    moved = InstallRequest("user", ("/new/recollect",), hook_program=("/new/recollect-hook",))
    install(host, machine, moved)
    assert install(host, machine, moved) == ()
    hooks = [name for name in contents(machine.home) if b"hook" in (machine.home / name).read_bytes()]
    assert not any(b"my tools/recollect' hook" in (machine.home / name).read_bytes() for name in hooks)
    uninstall(host, machine)
    assert contents(machine.home) == before


def document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_claude_code_gets_what_it_documents(machine: Machine) -> None:
    with_others(machine)
    install(host_named("claude-code"), machine)
    settings = document(machine.home / ".claude" / "settings.json")
    assert set(settings["hooks"]) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    own, ours = settings["hooks"]["Stop"]
    assert own == {"hooks": [{"type": "command", "command": "say done"}]}
    command = "'/opt/my tools/recollect' hook claude-code"
    assert ours == {"hooks": [{"type": "command", "command": command, "timeout": 15}]}
    assert document(machine.home / ".claude.json") == {
        "numStartups": 3,
        "mcpServers": {
            "files": {"command": "npx", "args": ["files"]},
            "recollect": {
                "type": "stdio",
                "command": "/opt/my tools/recollect",
                "args": ["--user", "anna", "mcp"],
                "env": {},
            },
        },
    }


def test_files_of_a_project_name_the_program_without_a_path(machine: Machine) -> None:
    install(host_named("claude-code"), machine, PROJECT)
    assert document(machine.project / ".mcp.json")["mcpServers"]["recollect"]["command"] == "recollect"
    (group,) = document(machine.project / ".claude" / "settings.json")["hooks"]["Stop"]
    assert group["hooks"][0]["command"] == "recollect hook claude-code"


def test_codex_gets_a_table_and_hooks(machine: Machine) -> None:
    with_others(machine)
    install(host_named("codex"), machine)
    config = tomllib.loads((machine.home / ".codex" / "config.toml").read_text(encoding="utf-8"))
    assert config["mcp_servers"] == {
        "files": {"command": "npx"},
        "recollect": {"command": "/opt/my tools/recollect", "args": ["--user", "anna", "mcp"]},
    }
    assert "UserPromptSubmit" in document(machine.home / ".codex" / "hooks.json")["hooks"]


def test_cursor_and_gemini_get_their_own_forms(machine: Machine) -> None:
    install(host_named("cursor"), machine)
    install(host_named("gemini"), machine)
    cursor = document(machine.home / ".cursor" / "hooks.json")
    assert cursor["version"] == 1
    entry = {"command": "'/opt/my tools/recollect' hook cursor", "timeout": 15}
    assert cursor["hooks"]["beforeSubmitPrompt"] == [entry]
    gemini = document(machine.home / ".gemini" / "settings.json")
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 15_000
    assert gemini["mcpServers"]["recollect"]["args"] == ["--user", "anna", "mcp"]


def test_a_server_that_the_user_has_set_up_stays(machine: Machine) -> None:
    file = machine.home / ".claude.json"
    file.parent.mkdir()
    own = '{"mcpServers": {"recollect": {"type": "http", "url": "https://memory.example/mcp"}}}'
    file.write_text(own, encoding="utf-8")
    install(host_named("claude-code"), machine)
    assert file.read_text(encoding="utf-8") == own
    uninstall(host_named("claude-code"), machine)
    assert file.read_text(encoding="utf-8") == own


def test_a_hook_that_a_user_put_beside_ours_stays(machine: Machine) -> None:
    claude = host_named("claude-code")
    install(claude, machine)
    file = machine.home / ".claude" / "settings.json"
    settings = document(file)
    settings["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    file.write_text(json.dumps(settings), encoding="utf-8")
    uninstall(claude, machine)
    assert document(file) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}


def test_a_host_is_found_by_its_program_or_its_folder(machine: Machine, tmp_path: Path) -> None:
    assert all(host.find(machine) is None for host in HOSTS)
    (machine.home / ".gemini").mkdir(parents=True)
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.touch(mode=0o755)
    found = {host.name: host.find(machine) for host in HOSTS if host.find(machine)}
    assert found == {"gemini": machine.home / ".gemini", "codex": program}


def test_folders_that_the_environment_names_are_used(machine: Machine, tmp_path: Path) -> None:
    moved = Machine(machine.home, machine.project, {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude")})
    assert set(install(host_named("claude-code"), moved)) == {
        tmp_path / "claude" / ".claude.json",
        tmp_path / "claude" / "settings.json",
    }


@pytest.mark.parametrize("content", [b"[mcp_servers", b'mcp_servers = "x"\n[[', b"\xff"])
def test_toml_that_cannot_be_understood_is_left_alone(machine: Machine, content: bytes) -> None:
    file = machine.home / ".codex" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        install(host_named("codex"), machine)
    assert file.read_bytes() == content


def test_an_unknown_host_is_named_with_those_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"Unknown host: emacs\. There are claude-code, codex"):
        host_named("emacs")
