"""Where memories are kept: paths, URLs, and the parts of one."""

import os
from pathlib import Path
from urllib.parse import unquote

import psycopg
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from recollect.settings import (
    hide_password,
    load_settings,
)
from recollect.settings.database import _split
from tests.rows import every
from tests.settings.common import FILLED_TEXT, Write, escaped, refusal


def test_a_path_is_expanded_and_starts_from_the_file(write: Write, tmp_path: Path) -> None:
    environ = {"FOLDER": "sub"}
    for written, read in [
        ("a.db", str(tmp_path / "a.db")),
        ("${FOLDER}/a.db", str(tmp_path / "sub" / "a.db")),
        ("/var/a.db", "/var/a.db"),
        ("~/a.db", str(tmp_path / "home" / "a.db")),
        (":memory:", ":memory:"),
        ("user@host.db", str(tmp_path / "user@host.db")),
    ]:
        assert load_settings(write(f"database = '{written}'"), environ=environ).database == read
    assert load_settings(environ={"RECOLLECT_DATABASE": "a.db"}).database == "a.db"
    assert load_settings(environ={"RECOLLECT_DATABASE": " ~/a.db\n"}).database == str(tmp_path / "home" / "a.db")
    assert load_settings(environ={}, overrides={"database": Path("a.db")}).database == "a.db"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("postgresql://h/d", "postgresql://h/d"),
        ("postgres://u:p%40s@h:5/d?sslmode=require", "postgresql://u:p%40s@h:5/d?sslmode=require"),
        ("postgresql:///d?host=/run/postgresql", "postgresql:///d?host=/run/postgresql"),
        ("postgresql://u@[::1]:5432,h2,%2Frun/d", "postgresql://u@[::1]:5432,h2,%2Frun/d"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_a_url_is_kept(write: Write, written: str, read: str) -> None:
    assert load_settings(write(f"database = '{written}'"), environ={}).database == read


@every(
    "url",
    [
        "postgresql://u:p@ss@h/d",
        "postgresql://me@corp:pw@h/d",
        "postgresql://u:12/34@h/d",
        "postgresql://u:pa/ss@h/d",
        "postgresql://u:100%@h/d",
        "postgresql://u:%ff@h/d",
        "postgresql://u:%00@h/d",
        "postgresql://u:p w@h/d",
        "postgresql://u:p?w@h/d",
        "postgresql://h?options=a@b",
        "postgresql://h:port/d",
        "postgresql://h/d/e",
    ],
)
def test_a_url_that_could_be_misread_is_refused_without_being_shown(url: str) -> None:
    assert refusal(overrides={"database": url}) == (
        'database is "postgresql://***" (from an argument); expected postgresql://user:password@host:port/database '
        "with special characters percent-encoded (@ as %40, / as %2F), "
        "or a table with the parts, which may hold any character."
    )


def test_replicas_are_urls_with_spaces_between_them_or_a_list(write: Write) -> None:
    urls = ("postgresql://a,b/m", "postgresql://u:p@c/m")
    environ = {"RECOLLECT_POSTGRES_REPLICAS": " postgres://a,b/m  postgresql://u:p@c/m postgresql://a,b/m"}
    for loaded in (
        load_settings(environ=environ),
        load_settings(write(f"[postgres]\nreplicas = {list(urls)}"), environ={}),
    ):
        assert loaded.postgres.replicas == urls
    (shown,) = (row.value for row in loaded.describe() if row.name == "postgres.replicas")
    assert shown == "postgresql://a,b/m postgresql://u:***@c/m"


@every("replica", ["memory.db", "postgresql://u:p@s@h/d", "mysql://u:p@h/d", 5])
def test_a_replica_that_is_no_url_is_refused_without_its_password(replica: object) -> None:
    refused = refusal(overrides={"postgres.replicas": ["postgresql://h/d", replica]})
    assert "expected a list of postgresql://user:password@host:port/database with special" in refused
    assert "p@" not in refused


@every(
    ("parts", "url"),
    [
        ({"database": "m"}, "postgresql://localhost:5432/m"),
        ({"host": "h", "database": "m", "user": "u"}, "postgresql://u@h:5432/m"),
        (
            {"host": "h", "port": "6", "database": "m", "user": "u", "password": "p@s/s:w%?#[ ]ö", "ssl": True},
            "postgresql://u:p%40s%2Fs%3Aw%25%3F%23%5B%20%5D%C3%B6@h:6/m?sslmode=require",
        ),
        ({"host": "::1", "database": "m", "password": ""}, "postgresql://[::1]:5432/m"),
        ({"host": "/run/pg", "database": "a b", "ssl": "no"}, "postgresql://%2Frun%2Fpg:5432/a%20b"),
        ({"database": "m", "password": "p"}, "postgresql://:p@localhost:5432/m"),
    ],
)
def test_the_parts_make_a_url(parts: dict[str, object], url: str) -> None:
    assert load_settings(environ={}, overrides={"database": parts}).database == url


def test_a_table_replaces_a_path_and_a_path_a_table(write: Write) -> None:
    table = write("[database]\ndatabase = 'm'")
    assert load_settings(table, environ={}, overrides={"database": "a.db"}).database == "a.db"
    environ = {"RECOLLECT_DATABASE": "a.db"}
    loaded = load_settings(table, environ=environ, overrides={"database": {"database": "n"}})
    assert loaded.database == "postgresql://localhost:5432/n"


def test_a_server_needs_a_database(write: Write) -> None:
    path = write("[database]\nhost = 'h'")
    assert refusal(path) == f"database.database is missing (in {path}); it has no default."


@given(password=FILLED_TEXT, user=FILLED_TEXT, name=FILLED_TEXT, host=FILLED_TEXT.filter(lambda text: ":" not in text))
def test_postgresql_reads_the_parts_as_they_were_given(password: str, user: str, name: str, host: str) -> None:
    parts = {"host": host, "database": name, "user": user, "password": password}
    overrides = {"database": {key: escaped(value) for key, value in parts.items()}}
    url = load_settings(os.devnull, environ={}, overrides=overrides).database
    read = {"host": host, "dbname": name, "user": user, "password": password, "port": "5432"}
    assert conninfo_to_dict(url) == read
    assert conninfo_to_dict(hide_password(url)) == read | {"password": "***"}


@given(st.text(st.sampled_from("ab1:@/?&=%[],.# "), max_size=30))
def test_what_is_taken_for_the_password_is_the_password(rest: str) -> None:
    """Congruence with libpq on anything that is accepted, so that hiding never hides the wrong part."""
    url = f"postgresql://{rest}"
    match = _split(url)
    assume(match)
    assert match
    try:
        read = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return
    assert (read.get("password") or "") == unquote(match["password"] or "")
    assert (read.get("dbname") or "") == unquote(match["database"] or "")
