"""Originals are kept under the hash of their bytes, whole or not at all, and nothing else can be asked for."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.errors import InvalidInput, NotFound, StoreFull
from recollect.originals import LocalOriginals

DATA = b"the original bytes"
DIGEST = hashlib.sha256(DATA).hexdigest()
HOURS_AGO = 2 * 3_600


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "originals"


@pytest.fixture
def originals(folder: Path) -> LocalOriginals:
    return LocalOriginals(folder)


def age(path: Path) -> None:
    then = path.stat().st_mtime - HOURS_AGO
    os.utime(path, (then, then))


def files(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())


def test_an_original_comes_back_and_is_kept_once(originals: LocalOriginals, folder: Path) -> None:
    name = originals.keep("anna", DIGEST, DATA)
    assert originals.keep("anna", DIGEST, DATA) == name
    assert originals.original(name) == DATA
    assert list(files(folder)) == [name]
    user, shelf, last = name.split("/")
    assert (len(user), shelf, last) == (16, DIGEST[:2], DIGEST)


def test_only_the_owner_of_the_folder_may_look(originals: LocalOriginals, folder: Path) -> None:
    path = folder / originals.keep("anna", DIGEST, DATA)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(parent.stat().st_mode) for parent in list(path.parents)[:3]} == {0o700}


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o277])
def test_whatever_the_umask(folder: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        path = folder / LocalOriginals(folder).keep("anna", DIGEST, DATA)
    finally:
        os.umask(before)
    made = [parent for parent in path.parents if parent.is_relative_to(folder.parent)]
    assert [stat.S_IMODE(parent.stat().st_mode) for parent in made] == [0o700] * 4


def test_new_folders_are_made_durable_from_the_top(
    originals: LocalOriginals, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[Path] = []

    def note(file: int) -> None:
        settled.append(Path(f"/proc/self/fd/{file}").resolve())

    monkeypatch.setattr(os, "fsync", note)
    path = folder / originals.keep("anna", DIGEST, DATA)
    root = folder.parent.parent
    above = [root, folder.parent, folder, path.parent.parent, path.parent]
    assert [entry for entry in settled if entry.is_dir()] == above
    assert settled.index(path.parent) > max(settled.index(entry) for entry in above[:-1])


def test_a_full_disk_is_told(originals: LocalOriginals, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    folder.mkdir(parents=True)
    with pytest.raises(StoreFull, match="The disk is full: the document was not kept in"):
        originals.keep("anna", DIGEST, DATA)
    assert list(files(folder)) == []


def test_users_do_not_share_an_original(originals: LocalOriginals) -> None:
    annas, bobs = originals.keep("anna", DIGEST, DATA), originals.keep("bob", DIGEST, DATA)
    originals.discard([annas])
    assert originals.original(bobs) == DATA
    with pytest.raises(NotFound):
        originals.original(annas)


def test_a_damaged_original_is_told_and_mended(originals: LocalOriginals, folder: Path) -> None:
    name = originals.keep("anna", DIGEST, DATA)
    (folder / name).write_bytes(b"the original bytez")
    with pytest.raises(NotFound, match="damaged"):
        originals.original(name)
    assert originals.keep("anna", DIGEST, DATA) == name
    assert originals.original(name) == DATA


def test_discarding_leaves_nothing_and_may_be_repeated(originals: LocalOriginals, folder: Path) -> None:
    name = originals.keep("anna", DIGEST, DATA)
    originals.discard([name, "", "../x", name])
    originals.discard([name])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../secret",
        "/etc/passwd",
        f"{'0' * 16}/../{'0' * 64}",
        f"{'0' * 16}/{DIGEST[:2]}/../../secret",
        f"{'0' * 16}/ff/{'0' * 64}",
        f"{'0' * 16}/00/{'0' * 64}\n",
        f"{'0' * 16}/00/{'0' * 63}\u0660",
        f"{'0' * 16}/00/{'0' * 64}",
    ],
)
def test_no_name_leads_out_of_the_folder(originals: LocalOriginals, folder: Path, name: str) -> None:
    originals.keep("anna", DIGEST, DATA)
    secret = folder.parent / "secret"
    secret.write_text("secret", encoding="utf-8")
    with pytest.raises(NotFound):
        originals.original(name)
    originals.discard([name])
    assert secret.exists()


def test_a_link_is_not_followed(originals: LocalOriginals, folder: Path, tmp_path: Path) -> None:
    path = folder / originals.keep("anna", DIGEST, DATA)
    outside = tmp_path / "outside"
    path.rename(outside)
    path.symlink_to(outside)
    with pytest.raises(NotFound):
        originals.original(path.relative_to(folder).as_posix())


def test_a_hash_that_is_none_is_refused(originals: LocalOriginals, folder: Path) -> None:
    with pytest.raises(InvalidInput, match="64 hex digits"):
        originals.keep("anna", "../../x", DATA)
    assert not folder.exists()


def test_sweeping_removes_what_is_old_and_unknown(originals: LocalOriginals, folder: Path) -> None:
    contents = {word: hashlib.sha256(word.encode()).hexdigest() for word in ("known", "lost", "recent", "again")}
    names = {word: originals.keep("anna", digest, word.encode()) for word, digest in contents.items()}
    unfinished = (folder / names["known"]).with_name(".unfinished-x")
    unfinished.write_bytes(b"half")
    probe = folder / ".unfinished-y"
    probe.write_bytes(b"")
    stranger = folder / "read me"
    stranger.write_bytes(b"not ours")
    for path in (*(folder / names[word] for word in ("known", "lost", "again")), unfinished, probe, stranger):
        age(path)
    originals.keep("anna", contents["again"], b"again")
    assert originals.sweep({names["known"]}.__contains__) == 3
    assert set(files(folder)) == {"read me", names["known"], names["recent"], names["again"]}
    assert originals.sweep({names["known"]}.__contains__) == 0


def test_without_a_folder_none_are_kept() -> None:
    originals = LocalOriginals(None)
    assert originals.keep("anna", DIGEST, DATA) == ""
    originals.discard([""])
    assert originals.sweep(lambda _name: False) == 0
    with pytest.raises(NotFound):
        originals.original("")


def test_a_folder_that_was_never_made_is_empty(originals: LocalOriginals, folder: Path) -> None:
    originals.discard([f"{'0' * 16}/00/{'0' * 64}"])
    assert originals.sweep(lambda _name: False) == 0
    assert not folder.exists()
