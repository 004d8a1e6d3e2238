"""Who works in the database: every table has its wall, and each kind of login can do its work and no more."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from recollect import Memory, NewMemory, StoreError, load_settings
from recollect.storage.base.forgotten import secret_name
from recollect.storage.postgres.schema import LoginRights
from recollect.storage.postgres.store import PostgresStore
from recollect.storage.postgres.upkeep import index_name
from tests.fixtures import Server
from tests.program import Program
from tests.reliability.opening import WITH_VECTORS, open_memory, vector_of
from tests.rows import every
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.storage.later import as_version, later_version
from tests.storage.logins import logged_in, login, owned_by
from tests.waiting import PATIENCE_S

_APPLICATION = "recollect_app"

_UNGUARDED = """
SELECT c.relname FROM pg_class c
 WHERE c.relkind IN ('r', 'p', 'f', 'm') AND c.relnamespace = 'public'::regnamespace
   AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))
 ORDER BY 1
"""


def _unguarded(address: str) -> list[str]:
    with plain(address) as store:
        return [row[0] for row in store.rows(_UNGUARDED)]


@contextmanager
def _as_application(address: str, user: str = "", reach: str = "") -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """Be in a transaction as the application is, for a user, for the store, or for neither."""
    with psycopg.connect(address) as connection:
        connection.execute(f"SET ROLE {_APPLICATION}".encode())
        if reach:
            settings = "SELECT set_config('recollect.reach', %s, true), set_config('recollect.user_id', %s, true)"
            connection.execute(settings.encode(), (reach, user))
        yield connection
        connection.rollback()


@pytest.fixture(scope="module")
def address(server: Server) -> Iterator[str]:
    """A database in which two users have something in two spaces, made by a store with a single connection.

    All tests that take it leave it as it is.
    """
    url = server.fresh()
    with _opened(url, pool_size=1) as memory:
        for user in ("me", "you"):
            memory.user(user).remember(f"{user} has a pump", vector=vector_of(user))
            memory.user(user).conversation("c").append("user", f"{user} says pump")
        memory.keys.create("first", user="me")
    yield url
    server.drop(url)


def test_every_table_has_its_wall(address: str) -> None:
    with plain(address) as store:
        tables = {row[0] for row in store.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    assert {"memories", "api_keys", "schema_migrations", "store_marks", "bulk_batches", "vectors_1"} <= tables
    assert _unguarded(address) == []


@every(
    "made",
    [
        "",
        "ALTER TABLE forgotten ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        "ALTER TABLE forgotten ENABLE ROW LEVEL SECURITY; CREATE POLICY open ON forgotten USING (true)",
        "ALTER TABLE forgotten FORCE ROW LEVEL SECURITY; CREATE POLICY open ON forgotten USING (true)",
    ],
)
def test_a_table_without_would_be_noticed(address: str, made: str) -> None:
    with psycopg.connect(address) as connection, connection.transaction(force_rollback=True):
        connection.execute(f"CREATE TABLE forgotten (user_id text); {made}".encode())
        assert connection.execute(_UNGUARDED).fetchall() == [("forgotten",)]


def test_the_role_neither_owns_nor_bypasses(address: str) -> None:
    with plain(address) as store:
        roles = store.rows(
            "SELECT rolname, rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolcanlogin,"
            "       EXISTS (SELECT 1 FROM pg_class c WHERE c.relowner = r.oid)"
            "  FROM pg_roles r WHERE rolname LIKE 'recollect\\_app%' ORDER BY 1"
        )
        members = store.rows("SELECT 1 FROM pg_auth_members WHERE roleid = 'recollect_app_search'::regrole")
    assert roles == [("recollect_app", False, False), ("recollect_app_search", False, False)]
    assert members == [], "a member of it reads everything"


@every("before", ["", "SELECT set_config('recollect.reach', 'user', true); COMMIT; BEGIN"])
def test_who_works_for_nobody_sees_nothing(address: str, before: str) -> None:
    """Also after a user was named on this connection: what is left of the settings is an empty text."""
    with _as_application(address) as connection:
        connection.execute(before.encode())
        for table in ("memories", "messages", "users", "jobs", "vectors_1", "audit_log", "api_keys", "bulk_batches"):
            assert connection.execute(f"SELECT * FROM {table}".encode()).fetchall() == [], table  # noqa: S608


def test_no_user_sees_the_secret_of_tombstones(address: str) -> None:
    count = "SELECT count(*) FROM store_secrets"
    for user, reach, secrets in (("me", "user", 0), ("", "user", 0), ("", "", 0), ("", "store", 1)):
        with _as_application(address, user, reach) as connection:
            assert connection.execute(count.encode()).fetchall() == [(secrets,)], (user, reach)


def test_a_user_sees_no_keys(address: str) -> None:
    count = "SELECT count(*) FROM api_keys"
    for user, reach, keys in (("me", "user", 0), ("", "user", 1), ("", "store", 1)):
        with _as_application(address, user, reach) as connection:
            assert connection.execute(count.encode()).fetchall() == [(keys,)], (user, reach)


def test_no_user_writes_the_spaces(address: str) -> None:
    """A user's transaction may read a space, and no more; the store's own may write it."""
    add = (
        "INSERT INTO embedding_spaces SELECT 99, kind, 'evil', model, revision, prefix_scheme, dimensions, normalised,"
        " now(), 'kept', NULL FROM embedding_spaces LIMIT 1"
    )
    change, remove = "UPDATE embedding_spaces SET unrelated = 0.9", "DELETE FROM embedding_spaces"
    make, drop = "SELECT recollect_make_vectors(99, false, 8)", "SELECT recollect_drop_vectors(1)"
    look = "SELECT number, provider, state, unrelated FROM embedding_spaces ORDER BY number"
    with plain(address) as store:
        spaces = store.rows(look)
    assert spaces
    for user, reach in (("me", "user"), ("", "user"), ("", "")):
        for attempt in (add, make, drop):
            with _as_application(address, user, reach) as connection, pytest.raises(InsufficientPrivilege):
                connection.execute(attempt.encode())
        with _as_application(address, user, reach) as connection:
            assert connection.execute(look.encode()).fetchall() == spaces
            assert [connection.execute(attempt.encode()).rowcount for attempt in (change, remove)] == [0, 0]
    with _as_application(address, reach="store") as connection:
        assert connection.execute(add.encode()).rowcount == 1
        assert connection.execute(change.encode()).rowcount == len(spaces) + 1
        connection.execute(make.encode())


@every("kind", ["memories", "messages"])
def test_words_are_looked_up_for_nobody_else(address: str, kind: str) -> None:
    found = {}
    for user, reach in (("me", "user"), ("you", "user"), ("nobody", "user"), ("me", "store"), ("me", "")):
        with _as_application(address, user, reach) as connection:
            ((counts, ids),) = connection.execute("SELECT * FROM recollect_ranked(%s, ARRAY['pump'], 9, 9)", (kind,))
            assert counts == [len(ids)]
            found[user, reach] = len(ids)
    assert found == {("me", "user"): 1, ("you", "user"): 1, ("nobody", "user"): 0, ("me", "store"): 0, ("me", ""): 0}


@every(
    "attempt",
    [
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
        "DROP POLICY recollect_own ON memories",
        "CREATE TABLE mine (a integer)",
        "DROP TABLE vectors_1",
        "TRUNCATE memories",
        "UPDATE audit_log SET actor = 'nobody'",
        "DELETE FROM audit_log",
        "DELETE FROM schema_migrations",
        "SELECT recollect_drop_vectors(1)",
        "SELECT recollect_protect('memories')",
        "SELECT recollect_admit('recollect_app', 'recollect_app_search')",
        "SET ROLE recollect_app_search",
    ],
)
def test_what_the_application_may_not(server: Server, address: str, attempt: str) -> None:
    login(server, "someone", f"IN ROLE {_APPLICATION}")
    with psycopg.connect(logged_in(address, "someone")) as connection:
        connection.execute(
            "SELECT set_config('recollect.reach', 'user', true), set_config('recollect.user_id', 'me', true)"
        )
        with pytest.raises(InsufficientPrivilege):
            connection.execute(attempt.encode())
        connection.rollback()


def test_a_role_that_is_mighty_is_not_taken_on(server: Server) -> None:
    login(server, "mighty", "BYPASSRLS")
    with _opened(server.fresh(), role="mighty") as memory:
        assert any("bypasses row-level security" in advice for advice in memory.status().advice)


@contextmanager
def _opened(address: str, **settings: Any) -> Iterator[Memory]:
    with open_memory(
        address, **WITH_VECTORS, **{f"postgres.{name}": value for name, value in settings.items()}
    ) as memory:
        yield memory


def _insist_on_a_whole_life(memory: Memory) -> None:
    """Whatever the login: everything works that a user needs, one by one and by the thousand."""
    me, you = memory.user("me"), memory.user("you")
    for mine in (me, you):
        texts = [f"Tool {number} hangs on hook {number}" for number in range(50)]
        mine.remember_many([NewMemory(text, vector=vector_of(text)) for text in texts])
        mine.remember_many([NewMemory(text, vector=vector_of(text)) for text in [*texts, "A new one"]])
        mine.conversation("c").append("user", "Where is tool 7?")
    found = me.recall("tool 7", vector=vector_of("Tool 7 hangs on hook 7"))
    assert found.hits[0].content == "Tool 7 hangs on hook 7"
    assert found.degraded == ()
    changed = me.update(found.hits[0].id, content="Tool 7 was lent")
    assert me.get(changed.id).content == "Tool 7 was lent"
    assert memory.stats().users == 2
    assert len(me.forget(everything=True).ids) > 50
    assert you.stats().memories == 51


def _about_the_wall(memory: Memory) -> list[str]:
    return [advice for advice in memory.status().advice if "docs/postgresql.md" in advice]


def test_a_superuser_takes_on_the_role(address: str) -> None:
    with _opened(address) as memory:
        assert _about_the_wall(memory) == []
        assert memory.doctor() == ()


def test_a_superuser_without_a_role_is_told(server: Server) -> None:
    with _opened(server.fresh(), role="") as memory:
        _insist_on_a_whole_life(memory)
        (advice,) = _about_the_wall(memory)
        assert advice.startswith("postgres bypasses row-level security")
        assert [problem.check for problem in memory.doctor()] == ["wall_between_users"]


def test_a_plain_owner_goes_on_behind_the_wall(server: Server) -> None:
    url = owned_by(server, "owner_of_tables")
    with _opened(url) as memory:
        _insist_on_a_whole_life(memory)
        (advice,) = _about_the_wall(memory)
        assert advice.startswith("owner_of_tables owns the tables and cannot take on the role recollect_app")
        assert memory.doctor() == ()
        assert "refreshed the planner's statistics" in memory.maintain().notes
    assert _unguarded(url) == []
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchall() == [(0,)]


def test_an_owner_who_may_makes_the_roles(server: Server) -> None:
    url = owned_by(server, "maker_of_roles", "CREATEROLE")
    with _opened(url, role="made_by_owner") as memory:
        _insist_on_a_whole_life(memory)
        assert _about_the_wall(memory) == []
    with plain(url) as store:
        owners = store.rows("SELECT DISTINCT proowner::regrole::text FROM pg_proc WHERE proname = 'recollect_ranked'")
        reads_all = store.rows("SELECT pg_has_role('maker_of_roles', 'made_by_owner_search', 'USAGE')")
    assert owners == [("made_by_owner_search",)]
    assert reads_all == [(False,)]


def test_the_application_logs_in_itself(server: Server) -> None:
    url = server.fresh()
    login(server, "application", f"IN ROLE {_APPLICATION}")
    mine = logged_in(url, "application")
    for role in (_APPLICATION, ""):
        with _opened(mine, role=role) as memory:
            _insist_on_a_whole_life(memory)
            assert _about_the_wall(memory) == []
            (note,) = [note for note in memory.maintain().notes if "application" in note]
            assert "run `recollect maintain` with that login" in note
            memory.user("you").forget(everything=True)
            assert memory.doctor() == ()


def test_as_the_manual_sets_it_up(server: Server) -> None:
    """An administrator makes the roles, an owner who may not make any the tables, and a service works in them."""
    for role, rights in (("by_hand", ""), ("by_hand_search", ""), ("service", "IN ROLE by_hand")):
        login(server, role, rights)
    url = owned_by(server, "owner_by_hand")
    with _opened(url, role="by_hand") as memory:
        assert len(_about_the_wall(memory)) == 1
    with plain(logged_in(url, "postgres", "owner_by_hand")) as store:
        store.rows("SELECT recollect_admit('by_hand', 'by_hand_search')")
    service = logged_in(url, "service", "owner_by_hand")
    for role in ("by_hand", ""):
        with _opened(service, role=role) as memory:
            _insist_on_a_whole_life(memory)
            assert _about_the_wall(memory) == []
            assert _rights(memory).searches
            memory.user("you").forget(everything=True)
    with _opened(url, role="by_hand") as memory:  # the owner comes again, and changes nothing about it
        assert _rights(memory).searches


def _rights(memory: Memory) -> LoginRights:
    store = memory._engine.store
    assert isinstance(store, PostgresStore)
    return store._rights


def test_the_application_cannot_bring_the_schema_up_to_date(server: Server, tmp_path: Path) -> None:
    url = server.fresh()
    login(server, "application", f"IN ROLE {_APPLICATION}")
    with (
        as_version(later_version(tmp_path)),
        pytest.raises(StoreError, match=r"does not let this login.*docs/postgresql\.md"),
    ):
        Memory.open(logged_in(url, "application"))


def test_the_application_may_add_a_secret(server: Server) -> None:
    url = server.fresh()
    with _opened(url, role=_APPLICATION) as memory:
        assert _rights(memory).role == _APPLICATION
        secret = b"of another store"
        memory._engine.store.add_secrets({secret_name(secret): secret})
    with _opened(url, role=_APPLICATION) as memory, memory._engine.store.snapshot(None) as snapshot:
        assert secret in snapshot.secrets().values()


def _waiting(url: str, role: str) -> Program:
    """Start a process that opens a store when it is sent a line."""
    pipe = subprocess.PIPE
    return Program(url, role, env=os.environ, module="tests.storage.opening", stdin=pipe, stdout=pipe, text=True)


def test_many_open_new_databases_at_once(server: Server) -> None:
    """Roles belong to the whole server: who opens another database at the same moment makes the same ones."""
    for attempt in range(sized(1, 4)):
        addresses = [server.fresh(empty=True) for _ in range(2)] * 2
        children = [_waiting(url, f"crowd_{attempt}") for url in addresses]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        told = []
        for child in children:
            said, _ = child.communicate(timeout=PATIENCE_S)
            told.append((child.returncode, said))
        assert told == [(0, "[]\n")] * len(addresses)


def test_a_giant_keeps_the_index(server: Server) -> None:
    """Behind the wall the nearest rows of a giant still come from the giant's own index."""
    url = server.fresh()
    vectors = np.random.default_rng(7).standard_normal((600, 384)).astype(np.float32)
    settings = {"database": url, "postgres.giant_user_rows": 500, "embedding.worker": False}
    with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=settings)) as memory:
        memory.user("giant").remember_many(NewMemory(f"Row {row}", vector=vectors[row]) for row in range(600))
        memory.maintain()
    with _as_application(url, "giant", "user") as connection:
        connection.execute("SET LOCAL enable_sort = off")
        nearest = (
            "EXPLAIN SELECT item_id FROM vectors_1 WHERE user_id = 'giant' ORDER BY embedding <=> %s::vector LIMIT 5"
        )
        plan = connection.execute(nearest.encode(), (str(vectors[3].tolist()),)).fetchall()
    assert any(index_name(1, "giant") in line for (line,) in plan)
