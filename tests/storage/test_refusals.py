"""What a store says when it cannot be opened or used: what was found, what to do, and never a password."""

import stat
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from recollect import Memory, StoreError
from recollect.errors import StoreDamaged, StoreTooOld, StoreUnavailable
from recollect.storage.sqlite.connection import check_version
from tests.fixtures import Server
from tests.reliability.worker import open_memory
from tests.storage.catalogue import plain
from tests.waiting import until

_PASSWORD = "correct horse/battery@staple"  # noqa: S105 - of a role that lives as long as the test
_WRONG = "Tr0ub4dor&3"
_ROLE = "clerk"

_IMPATIENT: dict[str, Any] = {"postgres.pool_size": 1, "postgres.connect_timeout_s": 5}
_HASTY: dict[str, Any] = {"sqlite.busy_timeout_s": 1}


@pytest.fixture(scope="module")
def guarded(server: Server) -> Iterator[Server]:
    """The server, with a role that is no superuser and must give its password."""
    with server.admin() as admin:
        admin.execute(f"CREATE ROLE {_ROLE} LOGIN PASSWORD '{_PASSWORD}'")
        rules = Path(_one(admin, "SHOW hba_file"))
        before = rules.read_text()
        rules.write_text(f"local all {_ROLE} scram-sha-256\n{before}")
        admin.execute("SELECT pg_reload_conf()")
        yield server
        rules.write_text(before)
        admin.execute("SELECT pg_reload_conf()")


def _one(connection: psycopg.Connection[tuple[object, ...]], query: str) -> str:
    row = connection.execute(query.encode()).fetchone()
    assert row
    return str(row[0])


def _as_clerk(url: str, password: str | None) -> str:
    login = _ROLE if password is None else f"{_ROLE}:{quote(password, safe='')}"
    return url.replace("//postgres:@", f"//{login}@")


def _refused(url: str, error: type[StoreError] = StoreUnavailable) -> str:
    """Open a database that must be refused; gives what was said, after a look for passwords in all of it."""
    with pytest.raises(error) as caught:
        Memory.open(url)
    trail = "".join(traceback.format_exception(caught.value))
    for secret in (_PASSWORD, _WRONG):
        assert secret not in trail
        assert quote(secret, safe="") not in trail
    return str(caught.value)


def test_a_wrong_password(guarded: Server) -> None:
    url = _as_clerk(guarded.fresh(), _WRONG)
    _wait_until_guarded(url)
    said = _refused(url)
    assert "clerk:***@" in said
    assert "The password is wrong. Check the URL, or set PGPASSWORD." in said


def _wait_until_guarded(url: str) -> None:
    """The server reads its rules anew in its own time."""

    def is_refused() -> bool:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            return True
        return False

    until(is_refused)


def test_no_password(guarded: Server) -> None:
    url = _as_clerk(guarded.fresh(), None)
    _wait_until_guarded(url)
    assert "A password is needed." in _refused(url)


def test_an_unknown_database(server: Server) -> None:
    said = _refused(server.url("nowhere"))
    assert 'database "nowhere" does not exist' in said
    assert "Create it first, for example with `createdb`" in said


def test_an_unknown_role(server: Server) -> None:
    said = _refused(server.fresh().replace("//postgres:@", "//nobody:@"))
    assert 'role "nobody" does not exist' in said
    assert "`createuser`" in said


@pytest.mark.parametrize("place", ["127.0.0.1:1", "nowhere.invalid", "%2Ftmp%2Fno-socket-here"])
def test_nobody_answers(place: str) -> None:
    said = _refused(f"postgresql://{_ROLE}:{quote(_PASSWORD, safe='')}@{place}/memories")
    assert f"Cannot connect to postgresql://clerk:***@{place}/memories. " in said
    assert "Check that the server runs, and the host and port in the URL." in said


def test_the_extension_is_missing_and_only_an_administrator_may_create_it(guarded: Server) -> None:
    url = guarded.fresh(empty=True)
    with plain(url) as database:
        database.rows(f"GRANT CREATE ON SCHEMA public TO {_ROLE}")
    said = _refused(_as_clerk(url, _PASSWORD), StoreTooOld)
    assert "lacks the extension vector, and clerk may not create it" in said
    assert "run: CREATE EXTENSION vector;" in said
    with plain(url) as database:
        assert database.rows("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace") == [(0,)]
        database.rows("CREATE EXTENSION vector")
    with open_memory(_as_clerk(url, _PASSWORD)) as memory:  # the advice was good
        assert memory.doctor() == ()


def test_the_pool_is_exhausted(server: Server) -> None:
    url = server.fresh()
    with (
        open_memory(url, **_IMPATIENT) as memory,
        memory._engine.store._connected(),  # type: ignore[attr-defined]
        pytest.raises(StoreUnavailable, match=r"No connection to .* in time"),
    ):
        memory.user("me").count()


def test_a_file_that_is_no_database_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "holiday.jpg"
    content = bytes(range(256)) * 64
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match=r"holiday\.jpg is not a sound SQLite database.*restore a backup"):
        Memory.open(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["holiday.jpg"]


def test_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match=r"cannot be opened for writing.*Check that its folder exists"):
        Memory.open(tmp_path / "file" / "memory.db")


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be opened for writing"):
        Memory.open(tmp_path)


def test_memory_is_no_place_to_keep_memories() -> None:
    with pytest.raises(StoreUnavailable, match=r"keeps memories in a file.*Name a path"):
        Memory.open(":memory:")


@pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.51.2"])
def test_an_sqlite_that_may_corrupt_data_is_refused(version: str) -> None:
    with pytest.raises(StoreTooOld, match=rf"SQLite {version}.*3\.51\.3 or newer.*Upgrade the package apsw"):
        check_version(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.54.1", "4.0.0"])
def test_a_sound_sqlite_is_accepted(version: str) -> None:
    check_version(version)


def _modes(path: Path) -> dict[str, str]:
    return {file.name: oct(stat.S_IMODE(file.stat().st_mode)) for file in sorted(path.parent.iterdir())}


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "memory.db"
    with open_memory(str(path)) as memory:
        memory.user("me").remember("Something private")
        memory.user("me").count()
        names = ("memory.db", "memory.db-reserve", "memory.db-shm", "memory.db-wal")
        assert _modes(path) == dict.fromkeys(names, "0o600")
        assert memory.doctor() == ()
    assert _modes(path) == {"memory.db": "0o600", "memory.db-reserve": "0o600"}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_may_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_memory(str(path)).close()
    path.chmod(0o644)
    with open_memory(str(path)) as memory:
        (problem,) = memory.doctor()
    assert (problem.check, problem.advice) == ("file_mode", f"Others may read {path}: run chmod 600 on it.")


def test_a_database_that_stays_locked(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with open_memory(path, **_HASTY) as memory:
        me = memory.user("me")
        known = me.remember("Known before")
        with plain(path) as other:
            other.rows("UPDATE users SET generation = generation + 1")  # it may write from here to the end of the block
            with pytest.raises(StoreUnavailable, match=r"stayed locked by another process.*sqlite\.busy_timeout_s"):
                me.remember("Not kept")
            assert me.get(known.id).content == "Known before", "readers do not wait"
        assert me.remember("Kept").action == "created"
        assert me.count() == 2
