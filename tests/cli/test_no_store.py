"""Where no store is: a command that has nothing to add says so and makes nothing, neither folders nor tables."""

import sqlite3
from pathlib import Path

import psycopg
import pytest

from recollect import Memory, NotFound, load_settings
from recollect.cli.permissions import require_permission
from tests.cli.conftest import Cli
from tests.cli.test_access import DECLARED, FREE, TYPED
from tests.fixtures import Server
from tests.rows import every

BEGINNERS = {command for command, rule in DECLARED.items() if rule.makes_store({})}


def test_what_adds_something_begins_a_store_and_nothing_else_does() -> None:
    adding = {"store", "fact", "prefer", "event", "lesson", "instruct", "say", "sync", "add", "import", "load"}
    turns = {"before-prompt", "after-turn", "end-session", "capture", "import-openclaw"}
    serving = {"worker", "slack", "keys create", "scope add", "install"}
    assert adding | turns | serving == BEGINNERS


def test_an_option_that_writes_begins_a_store() -> None:
    assert DECLARED["place"].makes_store({"spot": "49.1,16.6"})
    assert not DECLARED["place"].makes_store({"spot": None})


@every("command", sorted(set(TYPED) - BEGINNERS - FREE))
def test_a_command_without_a_store_makes_nothing(command: str, tmp_path: Path) -> None:
    database = tmp_path / "missing" / "deep" / "memory.db"
    outcome = Cli("--database", str(database))(*command.split(), *TYPED[command], "--json")
    assert (outcome.exit_code, outcome.document["error"]["type"]) == (3, "NotFound")
    assert f"no memory yet at {database}" in outcome.document["error"]["message"]
    assert [*tmp_path.iterdir()] == []


def test_on_a_new_machine_a_search_says_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    outcome = Cli()("recall", "tea")
    assert (outcome.exit_code, outcome.stdout) == (3, "")
    assert "recollect store" in outcome.stderr
    assert [*tmp_path.iterdir()] == []
    Cli().ok("store", "I drink tea")
    assert "I drink tea" in Cli().ok("recall", "tea")


def test_a_file_that_is_no_store_stays_as_it_is(tmp_path: Path) -> None:
    empty, foreign = tmp_path / "empty.db", tmp_path / "foreign.db"
    empty.touch()
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    before = foreign.read_bytes()
    for path in (empty, foreign):
        assert Cli("--database", str(path))("status").exit_code == 3
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"empty.db": b"", "foreign.db": before}


def test_a_key_is_not_looked_up_where_no_store_is(tmp_path: Path) -> None:
    settings = load_settings(overrides={"database": str(tmp_path / "new" / "memory.db"), "key": "rk_unknown"})
    with pytest.raises(NotFound):
        require_permission(settings, "admin")
    assert [*tmp_path.iterdir()] == []


def test_an_empty_database_of_a_server_stays_empty(server: Server) -> None:
    address = server.fresh(empty=True)
    outcome = Cli("--database", address)("recall", "tea")
    assert outcome.exit_code == 3
    assert "no memory yet at postgresql://" in outcome.stderr
    with psycopg.connect(address) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        extensions = connection.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'").fetchone()
    assert (tables, extensions) == ((0,), (0,))
    server.drop(address)


def test_python_asks_for_a_store_that_is_there(database: str, tmp_path: Path) -> None:
    with Memory.open(database, create=False) as memory:
        assert memory.me.count() == 0
    with pytest.raises(NotFound, match="no memory yet"):
        Memory.open(tmp_path / "other.db", create=False)
    assert not (tmp_path / "other.db").exists()
