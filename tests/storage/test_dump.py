"""Backups on PostgreSQL by logins that row-level security binds, and what is said when a tool is missing or fails."""

from pathlib import Path
from typing import Any

import pytest

from recollect import Memory, Settings, StoreError, load_settings
from tests.fixtures import Server
from tests.postgres_server import TOOLS
from tests.storage.logins import logged_in, login, owned_by


def settings_of(address: str, tmp_path: Path, **more: Any) -> Settings:
    overrides = {
        "database": address,
        "files.originals": str(tmp_path / "originals"),
        "postgres.tools_folder": str(TOOLS),
        "embedding.provider": "none",
        **{f"postgres.{name}": value for name, value in more.items()},
    }
    return load_settings(environ={}, overrides=overrides)


def fill(settings: Settings) -> None:
    with Memory.open(settings=settings) as memory:
        for user in ("anna", "ben"):
            memory.user(user).remember_many([f"{user} has key {number}" for number in range(5)])


def test_a_plain_owner_backs_up_all_users_and_restores_them(server: Server, tmp_path: Path) -> None:
    """The owner may not bypass row-level security, and may not make roles: those of the first server are missing."""
    source = settings_of(owned_by(server, "dumping_owner"), tmp_path)
    target = settings_of(owned_by(server, "restoring_owner"), tmp_path / "new")
    fill(source)
    with Memory.open(settings=source) as memory:
        made = memory.backup(tmp_path / "backups")
    assert (made.users, made.tables["memories"]) == (2, 10)
    Memory.restore(made.folder, settings=target)
    with Memory.open(settings=target) as memory:
        assert memory.doctor() == ()
        assert [memory.user(user).count() for user in ("anna", "ben")] == [5, 5]
        assert memory.user("anna").recall("key 3").hits


def test_the_service_backs_up_and_an_owner_who_may_makes_the_roles_again(server: Server, tmp_path: Path) -> None:
    address = server.fresh()
    login(server, "dumping_service", "IN ROLE recollect_app")
    fill(settings_of(address, tmp_path))
    with Memory.open(settings=settings_of(logged_in(address, "dumping_service"), tmp_path)) as memory:
        made = memory.backup(tmp_path / "backups")
    target = settings_of(owned_by(server, "making_owner", "CREATEROLE"), tmp_path / "new", role="made_again")
    Memory.restore(made.folder, settings=target)
    with Memory.open(settings=target) as memory:
        assert memory.doctor() == ()
        assert [memory.user(user).count() for user in ("anna", "ben")] == [5, 5]
        assert not [advice for advice in memory.status().advice if "docs/postgresql.md" in advice]


def test_what_is_missing_is_told_and_nothing_is_left(server: Server, tmp_path: Path) -> None:
    address = server.fresh()
    failing = tmp_path / "failing"
    failing.mkdir()
    (failing / "pg_dump").write_text("#!/bin/sh\necho 'aborting because of server version mismatch' >&2\nexit 1\n")
    (failing / "pg_dump").chmod(0o755)
    for folder, words in ((tmp_path, "postgresql-client"), (failing, "at least as new as the server")):
        settings = settings_of(address, tmp_path, tools_folder=str(folder))
        with Memory.open(settings=settings) as memory, pytest.raises(StoreError, match=words):
            memory.backup(tmp_path / "backups")
        assert list((tmp_path / "backups").iterdir()) == []
