"""The test of isolation can fail: each wall that is taken down is noticed, or another one stands behind it."""

import re
from collections.abc import Iterator, MutableMapping
from typing import Final, cast

import psycopg
import pytest

from recollect.authorization import Principal, authorize
from recollect.mcp import dispatch
from recollect.model.literals import Permission
from recollect.service import request_context
from recollect.storage.postgres.session import QUERIES as POSTGRES
from recollect.storage.postgres.session import PostgresSession
from recollect.storage.sqlite.session import QUERIES as SQLITE
from tests.reliability.figures import figure
from tests.service.conftest import Serve
from tests.service.isolation.machine import live
from tests.service.isolation.world import Leaked, World
from tests.sizes import ALL, sized

ENOUGH: Final = 6_000  # calls in which a gap must show; most show within a hundred
_PREDICATE: Final = re.compile(r"([\w{}]+\.)?user_id = (:user_id|%\(user_id\)s)")
_WORDS: Final = "'user_token:\"' || hex(:user_id) || '\" AND terms:('"

READ: Final = (
    "get_memories",
    "select_memories",
    "timeline",
    "memory_chain",
    "get_messages",
    "last_messages",
    "list_conversations",
    "get_file",
    "list_files",
    "document_with",
    "sightings",
    "list_named_places",
)
FAST: Final = ("get_memories", "last_messages", "current_memory")
CHANGED: Final = ("all_memory_ids", "current_memory", "delete_named_place")


def without_the_user(sql: str) -> str:
    """Drop the user from a query."""
    dropped = _PREDICATE.sub("true", sql).replace(_WORDS, "'terms:('")
    assert dropped != sql
    return dropped


@pytest.fixture
def world(serve: Serve) -> Iterator[World]:
    made = World(serve(embedding__provider="none"))
    yield made
    made.close()


ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
ON_POSTGRESQL = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


@ON_SQLITE
@pytest.mark.parametrize("query", [*READ, *CHANGED] if ALL else FAST)
def test_a_query_without_its_user_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    held = cast("MutableMapping[str, str]", SQLITE)
    monkeypatch.setitem(held, query, without_the_user(held[query]))
    with pytest.raises(Leaked):
        live(world, ENOUGH)
    figure(8, f"{query} without its user", mutants_noticed=1)


@ON_SQLITE
@pytest.mark.parametrize("door", [request_context, dispatch])
def test_a_lock_that_lets_in_the_wrong_one_is_noticed(
    world: World, monkeypatch: pytest.MonkeyPatch, door: object
) -> None:
    seen: list[str] = []

    def confused(who: Principal, needs: Permission, *, user: str = "", default: str = "") -> str:
        seen.append(authorize(who, needs, user=user, default=default))
        return seen[-2] if len(seen) % 5 == 0 else seen[-1]

    monkeypatch.setattr(door, "authorize", confused)
    with pytest.raises(AssertionError):  # somebody saw what is not theirs, or missed what is
        live(world, ENOUGH)
    figure(8, "a lock that lets in the wrong one", mutants_noticed=1)


@pytest.fixture
def users_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """No query of a user's says any more whose rows it is about."""
    held = cast("MutableMapping[str, str]", POSTGRES)
    named = [name for name, sql in held.items() if _PREDICATE.search(sql)]
    assert {*READ, *CHANGED, "text_candidates", "delete_memories"} <= {*named}
    for name in named:
        monkeypatch.setitem(held, name, without_the_user(held[name]))


@ON_POSTGRESQL
@pytest.mark.usefixtures("users_dropped")
def test_behind_queries_without_their_user_stands_the_second_wall(world: World, database: str) -> None:
    with psycopg.connect(database) as connection:
        forced = connection.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = 'memories'").fetchone()
    assert forced == (True,)
    live(world, sized(120, 800))
    figure(8, "behind queries without their user", calls=world.calls, foreign_rows=0)


@ON_POSTGRESQL
@pytest.mark.usefixtures("users_dropped")
def test_without_both_walls_it_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    act_for = PostgresSession.act_for
    monkeypatch.setattr(PostgresSession, "act_for", lambda session, _: act_for(session, None))
    with pytest.raises(Leaked):
        live(world, ENOUGH)
    figure(8, "no wall at all", mutants_noticed=1)
