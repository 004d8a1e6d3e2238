"""A real service on loopback, and hooks that ask it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import PLAIN_ENVIRONMENT
from tests.service.conftest import Running, serving
from tests.waiting import PATIENCE_S

from recollect import Memory, load_settings
from recollect_connect.hook_client.connection import Connection
from recollect_connect.hook_client.main import Hook
from recollect_connect.hook_client.spool import Spool

Connect = Callable[..., Connection]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    settings = load_settings(
        environ=PLAIN_ENVIRONMENT, overrides={"database": str(tmp_path / "memory.db"), "hooks": {"silence": False}}
    )
    with Memory.open(settings=settings) as memory, serving(memory) as service:
        yield service


@pytest.fixture
def connect(running: Running, tmp_path: Path) -> Connect:
    """Make connections to the service, with one spool."""

    def make(**other: Any) -> Connection:
        usual = {
            "url": running.url,
            "key": running.key("default", ("read", "write")),
            "spool_folder": str(tmp_path / "spool"),
            "prompt_budget_s": PATIENCE_S,
            "turn_budget_s": PATIENCE_S,
        }
        return Connection(**{**usual, **other})

    return make


def event(name: str, **fields: Any) -> bytes:
    """Give an event as Claude Code documents it."""
    common = {"session_id": "s1", "transcript_path": "", "cwd": "/home/anna/webshop", "permission_mode": "default"}
    return json.dumps({**common, "hook_event_name": name, **fields}).encode()


def context_of(answer: str) -> str:
    """Give the context that an answer shows to the model."""
    shown = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert isinstance(shown, str)
    return shown


def said(running: Running, session: str = "s1") -> list[tuple[str, str]]:
    """Give the roles and texts of a conversation."""
    messages = running.memory.user("default").conversation(session).messages()
    return [(message.role, message.content) for message in messages]


def spool_of(connection: Connection) -> Spool:
    return Spool(connection.spool_folder, connection.target)


def serve(connection: Connection, content: bytes, host: str = "claude-code") -> str:
    return Hook(connection).serve(host, content)
