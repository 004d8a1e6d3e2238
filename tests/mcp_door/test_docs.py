"""The page about MCP: its configurations can be read, they start what exists, and its tables say what the code says."""

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.mcp.permissions import REQUIRED_PERMISSIONS
from recollect.mcp.tools import TOOLS
from recollect.settings import ServeSettings, Settings
from tests.cli.reference import application

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
HOSTS = {
    "Claude Desktop", "Claude Code", "Cursor", "VS Code", "Zed", "Windsurf", "Codex", "Continue", "LibreChat",
    "OpenAI Agents SDK", "LangGraph",
}  # fmt: skip


def blocks(kind: str) -> list[str]:
    """The blocks of a kind; there are some."""
    found = [body for name, body in BLOCKS if name == kind]
    assert found, kind
    return found


def servers(value: object) -> Iterator[dict[str, Any]]:
    """Whatever in a configuration says how a server is started or reached."""
    if isinstance(value, list):
        for part in value:
            yield from servers(part)
    if isinstance(value, dict):
        if value.keys() & {"command", "url", "serverUrl"}:
            yield value
        for part in value.values():
            yield from servers(part)


def configurations() -> list[object]:
    """Every configuration on the page, read as its host reads it."""
    yaml = pytest.importorskip("yaml", reason="reading the YAML configurations needs a YAML reader")
    return [
        *map(json.loads, blocks("json")),
        *map(tomllib.loads, blocks("toml")),
        *map(yaml.safe_load, blocks("yaml")),
        *(_literals(body) for body in blocks("python")),
    ]


def _literals(source: str) -> list[object]:
    """The dictionaries of a program, in which names and computed texts count as some text."""
    tree = compile(source, "docs/mcp.md", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return [_literal(node) for node in ast.walk(tree) if isinstance(node, ast.Dict)]


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Dict(keys=keys, values=values):
            return {_literal(key): _literal(value) for key, value in zip(keys, values, strict=True) if key}
        case ast.List(elts=items):
            return [_literal(item) for item in items]
        case ast.Constant(value=value):
            return value
        case _:
            return ast.unparse(node)


def test_every_configuration_starts_or_reaches_what_exists() -> None:
    found = [server for one in configurations() for server in servers(one)]
    service = ServeSettings()
    address = f"http://{service.host}:{service.port}/mcp"
    assert len(found) >= 2 * (len(HOSTS) - 1)
    for server in found:
        if server.get("command") == "npx":
            assert address in server["args"]
        elif "command" in server:
            assert (server["command"], server["args"]) == ("recollect", ["mcp"])
        else:
            assert address in (server.get("url"), server.get("serverUrl"))
            assert "Bearer " in json.dumps(server) or "bearer_token_env_var" in server
    assert "mcp" in application().commands


def test_every_host_is_there_with_both_ways_in() -> None:
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
    assert sections.keys() >= HOSTS
    for host in HOSTS:
        assert ":8787/mcp" in sections[host], host
        assert re.search(r"recollect mcp|recollect\W+args\W+mcp|command\W+recollect", sections[host]), host


def test_commands_can_be_typed() -> None:
    for line in "".join(blocks("sh")).splitlines():
        program, *words = shlex.split(line)
        assert program in ("recollect", "claude")
        if program == "claude":
            assert words[:2] == ["mcp", "add"]


def test_settings_exist() -> None:
    known = {row.environment for row in Settings().describe()}
    assert set(re.findall(r"`(RECOLLECT_\w+)`", PAGE)) <= known


def test_the_tables_say_what_the_code_says() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|(.*)\| `(\w+)` \|$", PAGE, re.MULTILINE)
    assert {name: needed for name, _, needed in rows} == {
        name: needed for name, needed in REQUIRED_PERMISSIONS.items() if name != "memory"
    }
    for name, told, _ in rows:
        if name in TOOLS:
            for argument, one in TOOLS[name].takes["properties"].items():
                assert f"`{argument}`" in told, (name, argument)
                assert "default" not in one or str(one["default"]) in told, (name, argument)
    assert f"`memory` (needs `{REQUIRED_PERMISSIONS['memory']}`)" in PAGE
