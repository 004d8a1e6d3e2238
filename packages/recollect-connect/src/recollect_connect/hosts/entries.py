"""Recollect's entries in a host's JSON: hooks by event, and a server of tools. What is ours is told by its command."""

import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from recollect_connect.hosts import json_text

SERVER = "recollect"

_HOOKS = "hooks"


def shell_line(words: Sequence[str]) -> str:
    """Give a command as a host passes it to a shell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def with_hooks(text: str, hooks: Mapping[str, object]) -> str:
    """Add an entry for each event. Entries that are there already stay; older ones of ours are replaced."""
    for event, entry in hooks.items():
        listed = json_text.find(text, (_HOOKS, event))
        ours = [item for item in _listed(listed) if runs_hook(item)]
        if ours == [entry]:
            continue
        text = json_text.append(_without_event(text, event), (_HOOKS, event), entry)
    return text


def without_hooks(text: str) -> str:
    """Remove our entries of all events, and the lists and objects that this leaves empty."""
    hooks = json_text.find(text, (_HOOKS,))
    for member in reversed(hooks.children if hooks else ()):
        text = _without_event(text, member.key or "", prune=True)
    return _pruned(text, (_HOOKS,)) if json_text.find(text, (_HOOKS,)) != hooks else text


def has_hooks(document: object) -> bool:
    """Tell whether a host's file holds a hook of ours."""
    hooks = document.get(_HOOKS) if isinstance(document, dict) else None
    lists = hooks.values() if isinstance(hooks, dict) else ()
    commands = (
        command for entries in lists if isinstance(entries, list) for entry in entries for command in _commands(entry)
    )
    return any(_runs(command, "hook") for command in commands)


def with_server(text: str, key: str, server: object) -> str:
    """Add the server of tools, unless there is one of this name."""
    return text if json_text.find(text, (key, SERVER)) else json_text.put(text, (key, SERVER), server)


def without_server(text: str, key: str) -> str:
    """Remove the server of tools, if it runs Recollect."""
    listed = json_text.find(text, (key, SERVER))
    if listed is None or not runs_server(listed.value):
        return text
    return _pruned(json_text.remove(text, (key, SERVER)), (key,))


def has_server(document: object, key: str) -> bool:
    """Tell whether a host's file holds a server of ours."""
    servers = document.get(key) if isinstance(document, dict) else None
    return isinstance(servers, dict) and runs_server(servers.get(SERVER))


def runs_hook(entry: object) -> bool:
    """Tell whether an entry runs `recollect hook`, and nothing else."""
    commands = list(_commands(entry))
    return bool(commands) and all(_runs(command, "hook") for command in commands)


def runs_server(server: object) -> bool:
    """Tell whether a server is started with `recollect ... mcp`."""
    if not isinstance(server, dict):
        return False
    command, arguments = server.get("command"), server.get("args", [])
    words = command if isinstance(command, list) else [command, *(arguments if isinstance(arguments, list) else [])]
    return _runs([str(word) for word in words], "mcp")


def _commands(entry: object) -> Iterator[list[str]]:
    if not isinstance(entry, dict):
        return
    nested = entry.get(_HOOKS)
    for hook in nested if isinstance(nested, list) else [entry]:
        command = hook.get("command") if isinstance(hook, dict) else None
        try:
            yield shlex.split(command) if isinstance(command, str) else []
        except ValueError:  # a quotation that does not end
            yield []


def _runs(words: Sequence[str], command: str) -> bool:
    """Tell whether words run a command of Recollect: as a program, as a module, or as a script of its own."""
    if any(PurePath(word).stem == f"recollect-{command}" for word in words):
        return True
    program = next((number for number, word in enumerate(words) if PurePath(word).stem == "recollect"), None)
    return program is not None and command in words[program + 1 :]


def _listed(node: json_text.JsonNode | None) -> list[object]:
    return node.value if node and isinstance(node.value, list) else []


def _without_event(text: str, event: str, *, prune: bool = False) -> str:
    """Remove our entries of one event, and our hooks from groups that hold others as well."""
    path = (_HOOKS, event)
    before = text
    entries = _listed(json_text.find(text, path))
    for number in reversed(range(len(entries))):
        if runs_hook(entries[number]):
            text = json_text.remove(text, (*path, number))
            continue
        group = _listed(json_text.find(text, (*path, number, _HOOKS)))
        for inner in reversed([position for position, hook in enumerate(group) if runs_hook(hook)]):
            text = json_text.remove(text, (*path, number, _HOOKS, inner))
    return _pruned(text, path) if prune and text != before else text


def _pruned(text: str, path: Sequence[str]) -> str:
    node = json_text.find(text, path)
    return json_text.remove(text, path) if node and node.value in ({}, []) else text
