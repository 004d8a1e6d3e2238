"""Rules without which tables could not be distributed over servers by user. They hold on one server as well."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import psycopg
import pytest

from recollect.storage.base.statements import load_migrations
from recollect.storage.postgres.cluster import CLUSTER_QUERIES
from recollect.storage.postgres.session import QUERIES
from tests.fixtures import Server
from tests.reliability.worker import WITH_VECTORS, open_memory, vector_of

_OWNED = (
    "users", "memories", "jobs", "embedding_cache", "embedding_cache_uses", "conversations", "messages", "derivations",
    "tombstones", "spending", "answers", "changes", "audit_log", "search_log", "files", "chunks", "folders", "places",
    "named_places", "geocodes", "scope_members", "media_originals",
)  # fmt: skip
_TABLE = re.compile(
    rf"\b(?P<verb>FROM|JOIN|UPDATE|INTO) (?P<name>{'|'.join(_OWNED)}|vectors_\{{space\}}|\{{rows\}})\b"
    r"(?: (?!ON\b|SET\b|WHERE\b|GROUP\b|ORDER\b|LIMIT\b|CROSS\b|JOIN\b|UNION\b|FOR\b)(?P<alias>[a-z]\w*))?"
)
_USER = r"%\((?:user_id|only_user|member)\)s"
_NAMED = re.compile(rf"\b(?P<place>\w+)\.user_id = {_USER}|(?<![.\w])(?P<bare>user_id) = {_USER}")

_REACHED = re.compile(r"\s+(?:AND|WHERE) (?:\w+\.)?user_id = ANY\(%\(reached\)s::text\[\]\)")
_SPACE_IN_USE = "EXISTS (SELECT 1 FROM embedding_spaces s WHERE s.number = {space} AND s.state <> 'kept') AND "

# A scope asks for its members, who are users of their own.
_ACROSS_USERS = {"remove_members"}


class TableUse(NamedTuple):
    """A table in a query, by the name that its columns have there; '' where it has none of its own."""

    query: str
    alias: str


def _is_about_a_user(sql: str) -> bool:
    return bool(re.search(_USER, sql)) and "%(only_user)s = ''" not in sql


def _unnamed(name: str, sql: str) -> Iterator[TableUse]:
    """Give the tables of a query at which the user is not named."""
    named = [match["place"] or "" for match in _NAMED.finditer(sql)]
    for match in _TABLE.finditer(sql):
        if match["verb"] == "INTO":
            continue
        alias = match["alias"] or ""
        known = alias if alias in named else match["name"] if match["name"] in named else ""
        if known in named:
            named.remove(known)
        else:
            yield TableUse(name, alias or match["name"])


def test_every_query_about_a_user_names_the_user_at_each_table() -> None:
    asking = {name: sql for name, sql in QUERIES.items() if _is_about_a_user(sql) and name not in _ACROSS_USERS}
    assert len(asking) > 150
    assert [use for name, sql in asking.items() for use in _unnamed(name, sql)] == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM memories WHERE id = %(id)s AND %(user_id)s = ''",
        "SELECT 1 FROM memories m JOIN messages n ON n.user_id = m.user_id WHERE m.user_id = %(user_id)s",
        "SELECT (SELECT count(*) FROM chunks) FROM users WHERE user_id = %(user_id)s",
    ],
)
def test_a_table_without_its_user_is_noticed(sql: str) -> None:
    assert list(_unnamed("mine", sql))


def test_rows_are_locked_of_one_user_alone() -> None:
    locking = {name: sql for name, sql in QUERIES.items() if re.search(r"\bFOR (UPDATE|SHARE)\b", sql)}
    assert locking
    assert [name for name, sql in locking.items() if "user_id = %(user_id)s" not in sql] == []


def test_settings_of_our_own_reach_the_other_servers() -> None:
    """`SET LOCAL` is passed on; `set_config` is not, and is good for the role alone."""
    changed = [name for sql in QUERIES.values() for name in re.findall(r"set_config\('([^']+)'", sql)]
    assert set(changed) == {"role"}


@pytest.fixture(scope="module")
def furnished(server: Server) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A store with the table of an embedding space."""
    address = server.fresh()
    with open_memory(address, **WITH_VECTORS) as memory:
        memory.user("me").remember("Something", vector=vector_of("Something"))
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection
    server.drop(address)


def test_every_key_of_a_table_of_users_contains_the_user(furnished: psycopg.Connection[tuple[object, ...]]) -> None:
    rows = furnished.execute(
        "SELECT c.relname, i.indexrelid::regclass::text, EXISTS (SELECT 1 FROM pg_attribute a"
        "  WHERE a.attrelid = c.oid AND a.attname = 'user_id' AND a.attnum = ANY(i.indkey::int2[]))"
        "  FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique"
        "  JOIN pg_policy p ON p.polrelid = c.oid AND p.polname IN ('recollect_own', 'recollect_member')"
    ).fetchall()
    assert {str(table) for table, _, _ in rows} == {*_OWNED, "vectors_1"}
    assert [row for row in rows if not row[2]] == []


def test_no_policy_has_a_sub_select(furnished: psycopg.Connection[tuple[object, ...]]) -> None:
    rows = furnished.execute(
        "SELECT tablename, policyname, concat(qual, with_check) FROM pg_policies WHERE schemaname = 'public'"
    ).fetchall()
    assert len(rows) > len(_OWNED)
    assert [row for row in rows if "select" in str(row[2]).lower()] == []


def test_no_function_changes_a_setting_of_ours_for_this_server_alone(
    furnished: psycopg.Connection[tuple[object, ...]],
) -> None:
    found = furnished.execute(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        "   AND coalesce(prosrc, '') LIKE '%set_config(''recollect.%'"
    ).fetchall()
    assert found == []


def test_no_function_searches_inside_a_query_of_rows_of_users(
    furnished: psycopg.Connection[tuple[object, ...]],
) -> None:
    """Such a query runs where these rows are, and the search would begin there anew."""
    found = furnished.execute(
        "SELECT proname, regexp_split_to_table(prosrc, ';') FROM pg_proc"
        " WHERE pronamespace = 'public'::regnamespace AND proname ~ '^(recollect|search)_'"
    ).fetchall()
    asking = [(name, text) for name, text in found if re.search(r"\b(FROM|JOIN) (recollect|search)_\w+\(", str(text))]
    assert {name for name, _ in asking} == {"recollect_near", "search_context"}
    assert [name for name, text in asking if _TABLE.search(str(text))] == []


def test_new_columns_come_without_conditions() -> None:
    """A condition on a new column is a statement of its own."""
    for migration in load_migrations("postgres"):
        for statement in migration.sql.split(";"):
            assert not re.search(r"\bADD COLUMN\b.*\bCHECK\b", statement, re.DOTALL), statement


@pytest.mark.parametrize("name", sorted(CLUSTER_QUERIES.keys() & QUERIES.keys()))
def test_a_statement_for_the_users_who_are_reached_is_the_same_otherwise(name: str) -> None:
    """No space is put away while a worker is, so that `owe_jobs` does not ask for that."""
    everyone, reached = QUERIES[name], CLUSTER_QUERIES[name]
    assert "%(reached)s" in reached
    assert _in_one_line(_REACHED.sub("", reached)) == _in_one_line(everyone).replace(_SPACE_IN_USE, "")


def _in_one_line(sql: str) -> str:
    return " ".join(sql.split())
