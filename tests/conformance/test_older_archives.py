"""Archives and backups of versions before are read: genuine ones, and new ones rewritten as older ones had it."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from recollect import Memory
from recollect.api import backups
from recollect.embedding import LocalEmbedder
from recollect.embedding.known_models import ENCODERS
from recollect.encryption import make_key
from recollect.engine.carry.archive import FILE
from recollect.errors import BackupDamaged
from tests.archives import older_backup, older_export
from tests.conformance.test_backup import NewPlace, contents, fill, new_place
from tests.fixtures import OpenMemory
from tests.postgres_server import TOOLS

__all__ = ["new_place"]

OLDER = Path(__file__).parent / "older"


def test_a_genuine_export_of_the_fourth_version_is_brought_whole(open_memory: OpenMemory, tmp_path: Path) -> None:
    (encoder,) = (one for one in ENCODERS if one.name == "encoder-3")  # which made its vectors
    memory = open_memory(LocalEmbedder(threads=1, encoder=encoder))
    brought = memory.import_archive(OLDER / "export.zip")
    assert not brought.skipped
    assert {what: amount for what, amount in brought.brought.items() if amount} == {
        "conversations": 1, "messages": 30, "memories": 12, "derivations": 13, "files": 2, "chunks": 2, "folders": 1,
        "named_places": 1, "spending": 1, "search_log": 1, "tombstones": 2, "originals": 2, "vectors": 73,
    }  # fmt: skip
    assert memory.user("anna").recall("what do I drink?").hits[0].content.startswith("Prefers tea")
    assert memory.stats().pending_jobs == 0
    document = memory.user("anna").files.list(source="document").items[0].id
    assert memory.user("anna").files.original(document) == b"# Manual\n\nPress the red button."
    assert memory.user("anna").import_memories([{"content": "The code of the alarm is 4711"}])[0].action == "forgotten"
    assert memory.doctor() == ()
    memory.export(tmp_path / "new.zip", vectors=True)
    again = memory.import_archive(tmp_path / "new.zip")
    assert not +again.brought


def test_each_version_of_exports_is_read(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory(serve__search_log="queries")
    memory.user("anna").remember("Likes the sea", wait=True)
    memory.user("anna").files.add(b"The manual of anna.", name="manual.txt")
    memory.user("anna").recall("sea")
    memory.embed_waiting(thorough=False)
    report = memory.export(tmp_path / "new.zip", vectors=True)
    for version in (1, 2, 3, 4):
        (tmp_path / "old.zip").write_bytes(older_export((tmp_path / "new.zip").read_bytes(), version))
        me = memory.user(f"user{version}")
        brought = me.import_archive(tmp_path / "old.zip").brought
        assert +brought == +Counter({**report.rows, "search_log": report.rows["search_log"] if version > 2 else 0})
        assert me.recall("What do I like?").hits[0].content == "Likes the sea"


def test_a_genuine_backup_of_before_is_verified(tmp_path: Path) -> None:
    folder = tmp_path / "20260301T090000Z"
    shutil.unpack_archive(OLDER / "backup.zip", folder)
    found = backups.check(tmp_path)
    assert (found.version, found.backend, found.users, found.originals, found.missing) == ("0.1.0", "sqlite", 2, 1, 0)
    assert (found.tables["memories"], found.encrypted, found.size_bytes) == (2, False, 729107)
    database = folder / "database.sqlite"
    database.write_bytes(database.read_bytes()[:-1])
    with pytest.raises(BackupDamaged, match=r"database\.sqlite has 729,087 bytes instead of 729,088"):
        backups.check(folder)
    (folder / FILE).write_bytes((folder / FILE).read_bytes().replace(b'"users": 2', b'"users": 3'))
    with pytest.raises(BackupDamaged, match="was changed"):
        backups.check(folder)


def test_a_backup_of_before_is_restored(open_memory: OpenMemory, new_place: NewPlace, tmp_path: Path) -> None:
    memory = open_memory(postgres__tools_folder=str(TOOLS))
    fill(memory)
    key = tmp_path / "key"
    public = make_key(key)
    for name, keys in (("plain", []), ("encrypted", [public])):
        made = memory.backup(tmp_path / name, encrypt_to=keys)
        said = Path(made.folder, FILE)
        said.write_bytes(older_backup(said.read_bytes()))
        assert memory.backup(tmp_path / name, encrypt_to=keys).reused == 2
        place = new_place()
        Memory.restore(made.folder, settings=place, identity=key if keys else None)
        with Memory.open(settings=place) as other:
            assert contents(other) == contents(memory)
