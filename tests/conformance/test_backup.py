"""What a backup promises, on both stores: all of it comes back, what is damaged is told, and nothing is half done."""

import asyncio
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import AsyncMemory, InvalidInput, Memory, NotFound, Settings, load_settings
from recollect.encryption import make_key
from recollect.engine.carry.folders import UNFINISHED
from recollect.errors import BackupDamaged
from recollect.model.backups import Backup
from tests.archives import member, signed
from tests.fixtures import OpenMemory, Server, SteppingClock
from tests.postgres_server import TOOLS

WORDS = "correct horse battery staple"
NewPlace = Callable[[], Settings]


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(postgres__tools_folder=str(TOOLS))


@pytest.fixture
def new_place(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[NewPlace]:
    """Places that hold nothing yet, of the same kind as the test's store."""
    made: list[str] = []

    def make() -> Settings:
        number = len(made)
        if "://" in database:
            server: Server = request.getfixturevalue("server")
            made.append(server.fresh(empty=True))
        else:
            made.append(str(tmp_path / f"restored-{number}" / "memory.db"))
        overrides = {
            "database": made[-1],
            "files.originals": str(tmp_path / f"originals-{number}"),
            "postgres.tools_folder": str(TOOLS),
            "embedding.worker": False,
        }
        return load_settings(os.devnull, environ={}, overrides=overrides)

    yield make
    for address in made:
        if "://" in address:
            request.getfixturevalue("server").drop(address)


def fill(memory: Memory) -> None:
    for user in ("anna", "ben"):
        memory.user(user).remember_many([f"{user} keeps key {number} in drawer {number}" for number in range(5)])
        memory.user(user).files.add(f"The manual of {user}.".encode(), name="manual.txt")
        memory.user(user).conversation("c").append("user", "Where is the ladder?")


def contents(memory: Memory) -> dict[str, object]:
    return {
        user: (
            sorted((record.id, record.content) for record in memory.user(user).list(limit=100).items),
            sorted(
                (file.path, memory.user(user).files.original(file.id)) for file in memory.user(user).files.list().items
            ),
            memory.user(user).stats().messages,
        )
        for user in ("anna", "ben")
    }


def files_of(folder: str | Path) -> list[Path]:
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def originals_in(backup: str | Path) -> list[Path]:
    return files_of(Path(backup) / "originals")


def test_everything_comes_back(memory: Memory, new_place: NewPlace, tmp_path: Path) -> None:
    fill(memory)
    made = memory.backup(tmp_path / "backups")
    assert (made.users, made.originals, made.missing, made.encrypted) == (2, 2, 0, False)
    assert made.tables["memories"] == 10
    said = (Path(made.folder) / "manifest.json").read_text()
    assert (json.loads(said)["format"], json.loads(said)["version"]) == ("recollect-archive", 5)
    assert "drawer" not in said
    assert {stat.S_IMODE(path.stat().st_mode) for path in files_of(made.folder)} == {0o600}
    folders = [Path(path) for path, _, _ in os.walk(tmp_path / "backups")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}
    memory.user("anna").remember("Said after the backup")
    place = new_place()
    restored = Memory.restore(tmp_path / "backups", settings=place)
    assert restored.backup.folder == made.folder
    with Memory.open(settings=place) as other:
        assert other.doctor() == ()
        found = contents(other)
        assert other.user("anna").recall("key in drawer 3").hits
        other.user("anna").remember("It can be written to")
    memory.user("anna").forget(query="Said after the backup")
    assert found == contents(memory)
    with pytest.raises(InvalidInput, match="already"):
        Memory.restore(made.folder, settings=place)


def test_an_encrypted_backup_shows_nothing_and_comes_back(memory: Memory, new_place: NewPlace, tmp_path: Path) -> None:
    """For a key; a passphrase takes a second each time, and tests/test_encryption tries it."""
    fill(memory)
    public = make_key(tmp_path / "key")
    first = memory.backup(tmp_path / "backups", encrypt_to=[public])
    second = memory.backup(tmp_path / "backups", encrypt_to=[public])
    assert (second.encrypted, second.reused, second.originals) == (True, 2, 2)
    kept = [path.name for path in files_of(tmp_path / "originals")]
    assert len(kept) == 2
    for path in files_of(second.folder):
        assert b"drawer" not in path.read_bytes()
        assert not any(digest in str(path) or digest.encode() in path.read_bytes() for digest in kept)
    place = new_place()
    with pytest.raises(InvalidInput, match=r"passphrase|key"):
        Memory.restore(second.folder, settings=place)
    Memory.restore(second.folder, settings=place, identity=tmp_path / "key")
    with Memory.open(settings=place) as other:
        assert contents(other) == contents(memory)
    assert Path(first.folder).is_dir()


def test_originals_take_room_once_and_leave_with_the_last_backup_that_has_them(
    memory: Memory, clock: SteppingClock, new_place: NewPlace, tmp_path: Path
) -> None:
    anna = memory.user("anna")
    kept = anna.files.add(b"The manual that stays.", name="kept.txt")
    gone = anna.files.add(b"The manual that is forgotten.", name="gone.txt")
    backups: list[Backup] = []
    for number in range(4):
        backups.append(memory.backup(tmp_path / "backups", keep=2))
        clock.advance(hours=1)
        if number == 1:
            anna.forget(gone.file.id)
    originals = [originals_in(backup.folder) for backup in backups[2:]]
    assert [backup.reused for backup in backups] == [0, 2, 1, 1]
    assert [len(paths) for paths in originals] == [1, 1]
    assert originals[0][0].samefile(originals[1][0])
    assert [len(backup.removed) for backup in backups] == [0, 0, 1, 1]
    assert sorted(path.name for path in (tmp_path / "backups").iterdir()) == [Path(b.folder).name for b in backups[2:]]
    raw = b"".join(path.read_bytes() for path in files_of(tmp_path / "backups"))
    assert b"The manual that stays." in raw
    assert b"The manual that is forgotten." not in raw
    assert kept.file.original


def test_what_differs_is_told_and_nothing_is_restored(memory: Memory, new_place: NewPlace, tmp_path: Path) -> None:
    fill(memory)
    folder = Path(memory.backup(tmp_path / "backups").folder)
    place = new_place()
    original = originals_in(folder)[0]
    database = next(folder.glob("database.*"))

    def flip(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)

    damages: list[tuple[Path, Callable[[Path], object], str]] = [
        (original, flip, "another SHA-256"),
        (original, lambda path: path.write_bytes(b""), "0 bytes instead of"),
        (original, Path.unlink, "missing"),
        (database, flip, "database.*another SHA-256"),
        (folder / "manifest.json", flip, "manifest.json"),
    ]
    for path, damage, words in damages:
        before = path.read_bytes()
        damage(path)
        with pytest.raises(BackupDamaged, match=words):
            Memory.restore(folder, settings=place)
        path.write_bytes(before)
    Memory.restore(folder, settings=place)
    (folder / "manifest.json").unlink()
    with pytest.raises(NotFound, match="not a backup"):
        Memory.restore(folder, settings=new_place())


def describe(backup: str | Path, **said: object) -> Path:
    """Let a backup say something else of its database."""
    path = Path(backup, "manifest.json")
    manifest = json.loads(path.read_text())
    path.write_bytes(signed({**manifest, "database": {**manifest["database"], **said}}))
    return path.parent


def test_a_database_that_the_manifest_describes_wrongly_is_refused(
    memory: Memory, new_place: NewPlace, tmp_path: Path
) -> None:
    fill(memory)
    made = memory.backup(tmp_path / "backups")
    folder = describe(made.folder, tables={**made.tables, "memories": 11})
    place = new_place()
    with pytest.raises(BackupDamaged, match="10 rows in memories"):
        Memory.restore(folder, settings=place)
    assert not list(Path(str(place.files.originals)).glob("*"))
    with Memory.open(settings=place) as other:
        assert other.stats().memories == 0


def test_a_manifest_that_leads_out_of_the_backup_is_refused(
    memory: Memory, tmp_path: Path, new_place: NewPlace
) -> None:
    fill(memory)
    made = memory.backup(tmp_path / "backups")
    place = new_place()
    path = Path(made.folder, "manifest.json")
    said = json.loads(path.read_text())
    for name, wrong in (
        ("store", "../../elsewhere"),
        ("store", "/elsewhere"),
        ("file", "../memory.db"),
        ("tables", []),
    ):
        with pytest.raises(BackupDamaged, match="in a way that none is called"):
            Memory.restore(describe(made.folder, **{name: wrong}), settings=place)
        path.write_bytes(signed(said))
    (tmp_path / "outside").write_bytes(b"x")
    Path(made.folder, "inside").symlink_to(tmp_path / "outside")
    for name in ("../../outside", str(tmp_path / "outside"), "inside"):
        path.write_bytes(signed({**said, "members": [*said["members"], member(name, b"x")]}))
        with pytest.raises(BackupDamaged, match=f"{name} lies outside"):
            Memory.restore(made.folder, settings=place)


def test_a_lost_original_is_counted_and_a_damaged_link_is_written_anew(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    first = memory.backup(tmp_path / "backups")
    originals_in(first.folder)[0].write_bytes(b"damaged")
    second = memory.backup(tmp_path / "backups")
    assert (second.reused, second.missing) == (1, 0)
    for path in files_of(tmp_path / "originals"):
        path.unlink()
    for path in originals_in(second.folder):
        path.write_bytes(b"damaged too")
    assert memory.backup(tmp_path / "backups").missing == 2


def test_what_a_killed_backup_left_goes_and_looks_like_none(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    left = tmp_path / "backups" / f"{UNFINISHED}abc"
    left.mkdir(parents=True)
    (left / "database.sqlite").write_bytes(b"half")
    with pytest.raises(NotFound):
        Memory.restore(tmp_path / "backups", tmp_path / "nowhere.db")
    memory.backup(tmp_path / "backups")
    assert [path.name.startswith(UNFINISHED) for path in (tmp_path / "backups").iterdir()] == [False]


def test_progress_is_told_and_requests_that_make_no_sense_are_refused(memory: Memory, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    async def run() -> Backup:
        return await AsyncMemory(memory).backup(tmp_path / "backups", tell=lambda *step: told.append(step))

    asyncio.run(run())
    assert {doing for doing, _, _ in told} >= {"Copying the database", "Checking the copy", "Verifying"}
    assert all(done <= total for _, done, total in told)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="keep"):
        memory.backup(tmp_path / "backups", keep=0)
    with pytest.raises(InvalidInput, match="not both"):
        memory.backup(tmp_path / "backups", passphrase=WORDS, encrypt_to=["age1"])
    with pytest.raises(InvalidInput, match="not a folder"):
        memory.backup(tmp_path / "file")


def test_what_was_forgotten_after_the_backup_is_forgotten_again(
    memory: Memory, new_place: NewPlace, database: str, tmp_path: Path
) -> None:
    anna = memory.user("anna")
    (kept, gone) = (anna.remember(text).id for text in ("The ladder is behind the shed", "The code is 4711"))
    anna.files.add(b"The manual that stays.", name="kept.txt")
    paper = anna.files.add(b"The manual that is forgotten.", name="gone.txt").file.id
    talk = anna.conversation("c")
    talk.append("user", "My locker has the number 88. My boat is blue.")
    talk.append("user", "The cat is called Minka.")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("The safe opens with 1234.\n\nThe garden is large.\n")
    anna.files.sync(tmp_path / "notes")
    memory.user("ben").remember("Everything of Ben")
    made = memory.backup(tmp_path / "backups")
    anna.forget(gone)
    anna.forget(paper)
    anna.forget(query="My locker has the number 88", all=True)
    anna.forget(query="The safe opens with 1234", all=True)
    memory.user("ben").forget(everything=True)
    later = anna.remember("Forgotten and never in the backup").id
    anna.forget(later)
    place = new_place()
    note = Memory.restore(made.folder, settings=place, forgotten_since=database).notes[-1]
    assert "forgotten again" in note
    with Memory.open(settings=place) as other:
        assert other.doctor() == ()
        again = other.user("anna")
        assert [record.id for record in again.list().items] == [kept]
        assert {file.path for file in again.files.list().items} == {"kept.txt", "a.md"}
        said = [message.content for message in again.conversation("c").messages()]
        assert said == [message.content for message in talk.messages()]
        assert not any("88" in text for text in said)
        for words in ("4711", "88", "1234", "manual that is forgotten"):
            found = again.search_context(words)
            assert not [hit for hit in found.hits if words in hit.content]
        assert other.user("ben").count() == 0
        brought = again.import_memories([{"content": "Forgotten and never in the backup"}])
        assert again.count() == 1, brought
    with pytest.raises(NotFound, match="is not there"):
        Memory.restore(made.folder, settings=new_place(), forgotten_since=tmp_path / "nowhere.db")
