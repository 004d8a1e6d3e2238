"""Row-level security: it holds although a query forgets to ask for its user.

Every query of the package is tried without its user, through the store, by a user who means the neighbour's rows.
Under row-level security it must do exactly what it did before. Without it must not: otherwise this would prove nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import psycopg
import pytest

from recollect import RecollectError
from recollect.settings import PostgresSettings
from recollect.storage.postgres import reader, session, writer
from recollect.storage.postgres.session import QUERIES, PostgresSession
from recollect.storage.postgres.store import PostgresStore
from tests.fixtures import Server, SteppingClock
from tests.rows import every
from tests.sizes import ALL, sized
from tests.storage.crossings import READS, WRITES, Crossing
from tests.storage.logins import owned_by
from tests.storage.neighbours import OTHER, OUR_SCOPE, THEIR_SCOPE, furnish

_ASKING = (session, writer)
_MOST_TRIED = sized(6, 10_000)
_PREDICATE = re.compile(r"(?:\w+\.)?(?:user|scope)_id = %\((?:user_id|only_user)\)s")
_CROSSINGS: Mapping[str, Crossing] = {**READS, **WRITES}


def _without(sql: str, which: int | None) -> str:
    """Take a predicate out of a query, or all of them."""
    matches = list(_PREDICATE.finditer(sql))
    for match in reversed(matches if which is None else matches[which : which + 1]):
        sql = f"{sql[: match.start()]}true{sql[match.end() :]}"
    return sql


def _mutants() -> Iterator[tuple[str, int | None]]:
    for name, sql in QUERIES.items():
        found = len(_PREDICATE.findall(sql))
        if found:
            yield name, None
        if found > 1:
            yield from ((name, which) for which in range(found))


_MUTANTS = list(_mutants())
_FORGED = [name for name, sql in QUERIES.items() if "INSERT" in sql and "%(user_id)s" in sql and name != "insert_key"]


class Outcome(NamedTuple):
    """What a user was answered, and what was in all tables afterwards: the table, whose it is, the row."""

    answer: object
    rows: frozenset[tuple[str, str, str]]


class _Used(dict[str, str]):
    """The queries of the package, and which of them were asked for."""

    def __init__(self, queries: Mapping[str, str]) -> None:
        super().__init__(queries)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return super().__getitem__(name)


@contextmanager
def _asking(**changed: str) -> Iterator[_Used]:
    """Let the package ask in other words."""
    used = _Used({**QUERIES, **changed})
    with pytest.MonkeyPatch.context() as patch:
        for module in _ASKING:
            if hasattr(module, "QUERIES"):
                patch.setattr(module, "QUERIES", used)
        yield used


_TABLES = """
SELECT relname,
       EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'user_id'),
       pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid)
         + pg_stat_get_xact_tuples_deleted(oid) > 0
  FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""
_Rows = Mapping[str, set[tuple[str, str, str]]]  # by table


def _rows(connection: psycopg.Connection[tuple[Any, ...]], *, changed: bool) -> _Rows:
    """Read all tables, or those that this transaction has changed."""
    PostgresSession(connection).act_for(None)
    tables = connection.execute(_TABLES, prepare=True).fetchall()
    found: _Rows = {table: set() for table, _, touched in tables if touched or not changed}
    rows = " UNION ALL ".join(
        f"SELECT '{table}', {'user_id' if owned else 'NULL'}, t::text FROM {table} t"  # noqa: S608 - of the catalogue
        for table, owned, _ in sorted(tables)
        if table in found
    )
    for table, user, row in connection.execute(rows.encode()) if rows else ():
        found[table].add((table, user or "", row))
    return found


def _told(crossing: Crossing, opened: PostgresStore) -> object:
    """Give the answer in a form that can be compared: the order of rows does not count."""
    try:
        answer = crossing(opened)
    except (psycopg.Error, RecollectError, IndexError) as error:  # the last: what was written went elsewhere
        return type(error).__name__
    parts = answer if isinstance(answer, list | tuple) else [answer]
    return sorted(map(repr, parts))


class Side:
    """A store on one side of the wall: what everything does there when it is asked as it should be."""

    def __init__(self, address: str, **settings: Any) -> None:
        self.store = PostgresStore(address, PostgresSettings(**settings), SteppingClock(), analyser=1, geocodes=True)
        self.expected: dict[str, Outcome] = {}
        self.used: dict[str, set[str]] = {}
        self._before: _Rows = {}

    def look_around(self) -> None:
        """Do everything once."""
        with self.store._connected() as connection, connection.transaction():
            self._before = _rows(connection, changed=False)
        for name in _CROSSINGS:
            with _asking() as used:
                self.expected[name] = self._outcome(name)
            self.used[name] = used.names

    def _outcome(self, name: str) -> Outcome:
        """Try something, and undo it."""
        if name in READS:
            return Outcome(_told(READS[name], self.store), frozenset())
        with self.store._connected() as connection, connection.transaction(force_rollback=True):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(self.store, "_connected", partial(nullcontext, connection))
                answer = _told(WRITES[name], self.store)
            rows = {**self._before, **_rows(connection, changed=True)}
            return Outcome(answer, frozenset[tuple[str, str, str]]().union(*rows.values()))

    def surprises(self, query: str, **changed: str) -> dict[str, Outcome]:
        """Say what comes out otherwise when a query is put in other words; by what was tried."""
        tried = self._tried(query)
        with _asking(**changed):  # by day, a query that nearly all ask is tried with some of them
            outcomes = {name: self._outcome(name) for name in tried[:: -(-len(tried) // _MOST_TRIED)]}
        return {name: outcome for name, outcome in outcomes.items() if outcome != self.expected[name]}

    def is_surprised(self, query: str, differ: Callable[[Outcome, Outcome], bool], **changed: str) -> bool:
        """Say whether anything comes out so that it differs, and look no further."""
        tried = self._tried(query)
        with _asking(**changed):
            return any(differ(self._outcome(name), self.expected[name]) for name in tried)

    def _tried(self, query: str) -> list[str]:
        tried = [name for name, used in self.used.items() if query in used]
        assert tried, f"no crossing here asks {query}: add it to what neighbours try"
        return tried


@pytest.fixture(scope="module", autouse=True)
def _everybody_is_large() -> Iterator[None]:
    """Let words be looked up by way of the index, for however few rows, where there are functions for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_FEW_ROWS", -1)
        yield


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    """A database with both neighbours in it."""
    url = server.fresh()
    with_wall = Side(url)
    furnish(with_wall.store)
    with_wall.store.close()
    return url


@pytest.fixture(scope="module")
def walled(address: str) -> Iterator[Side]:
    """The usual setup: the login is mighty, the application's role is not."""
    side = Side(address)
    side.look_around()
    yield side
    side.store.close()


@pytest.fixture(scope="module")
def owned(server: Server) -> Iterator[Side]:
    """A login that owns the tables and has no role to take on."""
    side = Side(owned_by(server, "plain_owner"))
    assert (side.store._rights.role, side.store._rights.holds) == ("", True)
    furnish(side.store)
    side.look_around()
    yield side
    side.store.close()


@pytest.fixture(scope="module")
def bare(address: str) -> Iterator[Side]:
    """No wall: a superuser who stays one."""
    side = Side(address, role="")
    side.look_around()
    yield side
    side.store.close()


def test_every_query_about_a_user_is_tried(walled: Side) -> None:
    tried = {name for used in walled.used.values() for name in used}
    assert {name for name, _ in _MUTANTS} - tried == set()
    assert set(_FORGED) - tried == set()
    assert len(_MUTANTS) > 80


def test_both_sides_answer_alike_when_asked_as_they_should_be(walled: Side, owned: Side, bare: Side) -> None:
    assert walled.expected == bare.expected
    assert {name: outcome.answer for name, outcome in owned.expected.items()} == {
        name: outcome.answer for name, outcome in bare.expected.items()
    }


# By day all of a query's predicates are gone at once: a part of a query lets out no more than the whole of it.
@every(("query", "which"), _MUTANTS if ALL else [(name, which) for name, which in _MUTANTS if which is None])
def test_a_query_without_its_user_reaches_nobody_else(walled: Side, owned: Side, query: str, which: int | None) -> None:
    careless = _without(QUERIES[query], which)
    assert careless != QUERIES[query]
    for side in (walled, owned):
        assert side.surprises(query, **{query: careless}) == {}


@every("query", [name for name, which in _MUTANTS if which is None])
def test_without_the_wall_it_would(bare: Side, query: str) -> None:
    assert bare.is_surprised(query, Outcome.__ne__, **{query: _without(QUERIES[query], None)})


@every("query", _FORGED)
def test_nobody_writes_in_the_name_of_another(walled: Side, owned: Side, bare: Side, query: str) -> None:
    owner = THEIR_SCOPE if query == "set_member" else OTHER
    forged = {query: QUERIES[query].replace("%(user_id)s", f"'{owner.user_id}'")}
    for side in (walled, owned):
        for name, outcome in side.surprises(query, **forged).items():
            assert _theirs(outcome) == _theirs(side.expected[name]), name
    assert bare.is_surprised(query, lambda outcome, usual: _theirs(outcome) != _theirs(usual), **forged)


def _theirs(outcome: Outcome) -> set[tuple[str, str, str]]:
    """Give the rows of the other user, but for their membership in our scope: that scope may end it."""
    found = {row for row in outcome.rows if row[1] == OTHER.user_id}
    return {row for row in found if row[0] != "scope_members" or f",{OUR_SCOPE.user_id}," not in row[2]}
