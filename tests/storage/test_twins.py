"""The two databases stay twins: common queries run on both, the others agree."""

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import apsw
import apsw.ext
import psycopg
import pytest

from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters
from recollect.model.geo import Circle
from recollect.storage.base.statements import COMMON, load_checks, load_common, load_own, parse_queries, sql_folder
from recollect.storage.base.tables import of_kind
from recollect.storage.postgres import session as postgres_session
from recollect.storage.sqlite import session as sqlite_session
from tests.fixtures import Server
from tests.reliability.worker import WITH_VECTORS, open_memory, vector_of
from tests.rows import every
from tests.storage.catalogue import MOMENT, is_server, plain

SOME_ID = "01a1dea8-db60-7912-8e1b-f1c648661807"
_FROM_MESSAGES = re.compile(r"\bFROM messages\b")
_FROM_CHUNKS = re.compile(r"\bFROM chunks\b")
_SQLITE_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
_POSTGRES_PARAMETER = re.compile(r"%\((\w+)\)s")
_COMMON = load_common("sqlite")
_OTHER_COMMON = load_common("postgres")
_TWINS = load_own("sqlite", "twins.sql")
_OTHERS = load_own("postgres", "twins.sql")


_OWN = ("twins.sql", "dialect.sql")
_PLACES = {"near": Circle(0.0, 179.9, 50.0), "places": (SOME_ID, SOME_ID)}  # across the meridian: two boxes
_WORDS = {"holding": (("a", "b"),), "lacking": ("c", "d")}
_SEVERAL = re.compile(
    r"(f_(?:type|role|excluded|files|place|holding\d|lacking))(?:s|_?\d+)?"
)  # SQLite binds each value for itself


def _asking() -> Filters:
    """Every filter at once."""
    wanted: dict[str, object] = {"now": MOMENT, "types": ("fact", "event"), "min_importance": 0.1, "min_trust": 1}
    wanted |= dict.fromkeys(("subject", "key", "context", "session"), "x")
    wanted |= dict.fromkeys(("since", "until", "as_of"), MOMENT)
    wanted["unheld"] = True
    return Filters(**wanted, **_WORDS, **_PLACES)  # type: ignore[arg-type]


def _asking_for_messages() -> MessageFilters:
    """Every filter of messages at once."""
    wanted: dict[str, object] = {"roles": ("user", "tool"), "excluded": (SOME_ID,), "min_trust": 1}
    wanted |= dict.fromkeys(("conversation", "beyond"), "x") | dict.fromkeys(("since", "until"), MOMENT)
    return MessageFilters(**wanted, **_WORDS, **_PLACES)  # type: ignore[arg-type]


def _asking_for_chunks() -> ChunkFilters:
    """Every filter of chunks at once."""
    wanted: dict[str, object] = {"files": (SOME_ID,), "since": MOMENT, "until": MOMENT, "min_trust": 1}
    return ChunkFilters(**wanted, **_WORDS, near=_PLACES["near"])  # type: ignore[arg-type]


def test_the_same_twins() -> None:
    assert list(_TWINS) == list(_OTHERS)


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_every_query_has_a_name_of_its_own(backend: str) -> None:
    folders = [*((sql_folder(), name) for name in COMMON), *((sql_folder(backend), name) for name in _OWN)]
    names = [query for folder, name in folders for query, _ in parse_queries((folder / name).read_text("utf-8"))]
    assert len(names) == len(set(names))


@every("name", _COMMON)
def test_a_common_query_has_the_same_parameters(name: str) -> None:
    lite, server = _COMMON[name], _OTHER_COMMON[name]
    assert set(_SQLITE_PARAMETER.findall(lite)) == set(_POSTGRES_PARAMETER.findall(server))
    assert not re.search(r"::|%\(|\bANY\b|\bALL\(", lite)
    assert not _SQLITE_PARAMETER.search(server)


@every("name", _TWINS)
def test_twins_have_the_same_parameters(name: str) -> None:
    parameters = set(_SQLITE_PARAMETER.findall(_TWINS[name]))
    assert parameters == set(_POSTGRES_PARAMETER.findall(_OTHERS[name]))
    assert ("{filters}" in _TWINS[name]) == ("{filters}" in _OTHERS[name])


@pytest.mark.parametrize(
    "wanted", [_asking(), _asking_for_messages(), _asking_for_chunks()], ids=lambda wanted: wanted.kind
)
def test_every_filter_is_known_to_both(wanted: ItemFilters) -> None:
    assert all(getattr(wanted, field.name) for field in fields(wanted)), "a filter is not tried here"
    (_, lite), (_, server) = sqlite_session.filter_conditions(wanted), postgres_session.filter_conditions(wanted)
    assert {_SEVERAL.sub(r"\1", name) for name in lite} == {_SEVERAL.sub(r"\1", name) for name in server}


@pytest.fixture(scope="module")
def empty_stores(server: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A store of each kind without a memory, but with the tables of an embedding space."""
    databases = str(tmp_path_factory.mktemp("twins") / "memory.db"), server.fresh()
    for database in databases:
        with open_memory(database, **WITH_VECTORS) as memory:
            memory.user("me").remember("To be forgotten", vector=vector_of("To be forgotten"))
            memory.user("me").forget(everything=True)
    return databases


def _ready(sql: str, conditions: Callable[[ItemFilters], tuple[str, object]]) -> str:
    filtered = sql.partition("{filters}")[0]  # what comes after has filters of its own
    wanted: ItemFilters = _asking_for_messages() if _FROM_MESSAGES.search(filtered) else _asking()
    if _FROM_CHUNKS.search(filtered):
        wanted = _asking_for_chunks()
    return (
        of_kind(sql.replace("{filters}", conditions(wanted)[0]), wanted.kind)
        .replace("{space}", "1")
        .replace("{type}", "vector")
    )


def _sqlite_columns(connection: apsw.Connection, sql: str) -> list[str]:
    ready = _ready(sql, sqlite_session.filter_conditions)
    return [column[0] for column in apsw.ext.query_info(connection, ready).description]


def _postgres_columns(connection: psycopg.Connection[tuple[object, ...]], sql: str) -> list[str]:
    """Let the server describe a query without running it. It wants numbers in place of names."""
    ready = _ready(sql, postgres_session.filter_conditions)
    names = list(dict.fromkeys(_POSTGRES_PARAMETER.findall(ready)))
    numbered = _POSTGRES_PARAMETER.sub(lambda match: f"${names.index(match[1]) + 1}", ready).replace("%%", "%")
    for step in (connection.pgconn.prepare(b"", numbered.encode()), connection.pgconn.describe_prepared(b"")):
        assert step.status == psycopg.pq.ExecStatus.COMMAND_OK, f"{step.error_message.decode()} in {numbered}"
    return [(step.fname(position) or b"").decode() for position in range(step.nfields)]


def test_the_same_result_columns(empty_stores: tuple[str, str]) -> None:
    file, url = empty_stores
    with closing(apsw.Connection(file)) as lite, psycopg.connect(url) as server:
        others = _OTHER_COMMON | _OTHERS
        for name, sql in (_COMMON | _TWINS).items():
            assert _sqlite_columns(lite, sql) == _postgres_columns(server, others[name]), name


def test_every_query_of_a_dialect_is_valid(empty_stores: tuple[str, str]) -> None:
    file, url = empty_stores
    with closing(apsw.Connection(file)) as lite:
        for sql in load_own("sqlite", "dialect.sql").values():
            _sqlite_columns(lite, sql)
    with psycopg.connect(url) as server:
        for sql in load_own("postgres", "dialect.sql").values():
            _postgres_columns(server, sql)


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_every_check_runs_and_says_what_to_do(empty_stores: tuple[str, str], backend: str) -> None:
    database = next(store for store in empty_stores if is_server(store) == (backend == "postgres"))
    checks = list(load_checks(backend, {1: "memory"}))
    assert any(check.name.endswith("_1") for check in checks)
    with plain(database) as store:
        for check in checks:
            assert store.rows(check.sql) == [(0,)], check.name
            assert check.advice.endswith("."), check.name


def test_the_holders_of_a_slot_are_found_by_their_index(empty_file: Path) -> None:
    """Without looking through all rows of the user."""
    values = {"user_id": "me", "subject": "lamp", "key": "colour", "context": "", "preference": False}
    with closing(apsw.Connection(str(empty_file))) as connection:
        (step,) = connection.execute(f"EXPLAIN QUERY PLAN {sqlite_session.statement('current_memory')}", values)
    assert "memories_slot (user_id=? AND subject=? AND key=? AND context=?)" in step[3]
