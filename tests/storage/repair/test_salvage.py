"""Whatever page is damaged: the rows of all others are saved as they were, and nothing else is."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import Memory
from recollect.errors import StoreDamaged
from recollect.model.backups import Repaired
from tests.sizes import sized
from tests.storage.repair.damaging import PAGE, beside, damage, fill, kept_aside, opened, pages_of, rows_of

# What `doctor` says after a repair: the worker and `maintain` make the names of places and lost vectors again, and the
# index of words when the mark is lost that tells how it was made.
_EXPECTED = {"repaired", "places_without_name", "vectors_of_passages", "texts_without_passages", "index_of_words"}
_PAGES = sized(14, 10_000)  # how many are damaged, one after the other


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    fill(path)
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "memory.db"))


def _overwrite(content: bytearray, start: int, new: bytes) -> None:
    content[start : start + len(new)] = new


_HEADERS: dict[str, Callable[[bytearray], None]] = {
    "magic": lambda content: _overwrite(content, 0, b"SQLite format 4"),
    "header": lambda content: _overwrite(content, 0, bytes(100)),
    "first page": lambda content: _overwrite(content, 0, bytes(PAGE)),
    "page size": lambda content: _overwrite(content, 16, b"\x10\x00"),
    "reserved bytes": lambda content: _overwrite(content, 20, b"\x00"),
    "free pages": lambda content: _overwrite(content, 32, b"\x00\x00\x00\x07"),
}


@pytest.mark.parametrize("what", _HEADERS)
def test_a_damaged_header_costs_no_row(sound: Path, path: Path, what: str) -> None:
    content = bytearray(path.read_bytes())
    _HEADERS[what](content)
    path.write_bytes(content)
    with opened(path) as memory:
        repaired = memory.repaired
        assert repaired is not None
        assert repaired.lost_rows == 0
        assert [problem.check for problem in memory.doctor()] == ["repaired"]
    assert rows_of(path) == rows_of(sound)
    assert [file.read_bytes() for file in kept_aside(path)] == [content]


def test_every_page_in_turn(sound: Path, path: Path) -> None:
    before, content = rows_of(sound), sound.read_bytes()
    amount = len(content) // PAGE
    for number in range(1, amount + 1, max(1, amount // _PAGES)):
        path.write_bytes(content)
        damage(path, [number], zeros=number % 3 == 0, seed=number)
        repaired = Memory.repair(path)
        after = rows_of(path)
        _insist_subset(before, after, repaired)
        with opened(path) as memory:
            problems = memory.doctor()
            assert {problem.check.rstrip("_0123456789") for problem in problems} <= _EXPECTED, number
            assert not any("earlier version" in told.advice or " older " in told.advice for told in problems), number
        for left in path.parent.glob("memory.db.damaged*"):
            left.unlink()


def _insist_subset(
    before: dict[str, set[tuple[object, ...]]], after: dict[str, set[tuple[object, ...]]], repaired: Repaired | None
) -> None:
    """No row is there that was not; a table that lacks rows is said to have lost some. A lost secret is a new one."""
    lost = {table.table for table in repaired.tables if table.lost} if repaired else set()
    for table in ("memories", "messages", "tombstones", "api_keys", "audit_log", "chunks", "derivations"):
        assert after[table] <= before[table], table
        assert after[table] == before[table] or table in lost or table == "derivations", table
    notes = repaired.notes if repaired else ()
    new_secret = any("secret of the tombstones was lost" in note for note in notes)
    assert (after["store_secrets"] == before["store_secrets"]) is not new_secret
    assert len(after["store_secrets"]) == len(before["store_secrets"])


def test_damaged_inner_pages_cost_no_row(sound: Path, path: Path) -> None:
    inner = [number for table in ("memories", "messages", "vectors_1") for number in pages_of(path, 5, table)]
    assert inner
    damage(path, inner)
    repaired = Memory.repair(path)
    assert repaired is not None
    assert repaired.damaged_pages >= len(inner)
    after, before = rows_of(path), rows_of(sound)
    for table in ("memories", "messages", "vectors_1", "codes_1"):
        assert after[table] == before[table]


def test_a_damaged_leaf_costs_its_rows_and_their_vectors_wait(sound: Path, path: Path) -> None:
    damage(path, [pages_of(path, 13, "memories")[1], pages_of(path, 13, "vectors_1")[-1]])
    repaired = Memory.repair(path)
    assert repaired is not None
    after, before = rows_of(path), rows_of(sound)
    assert after["memories"] < before["memories"]
    assert repaired.lost("memories") == len(before["memories"]) - len(after["memories"])
    assert repaired.saved("memories") == len(after["memories"])
    with opened(path) as memory:
        waiting = memory.stats().pending_jobs
        assert waiting > 0
        assert memory.embed_waiting().embedded >= waiting  # with those of all long texts
        assert [problem.check for problem in memory.doctor()] == ["repaired"]
        assert f"{repaired.lost('memories')} lost" in memory.status().advice[0]
        assert str(kept_aside(path)[0]) in memory.status().advice[0]
    kept_aside(path)[0].unlink()
    with opened(path) as memory:
        assert memory.doctor() == ()
        assert not any("damaged" in advice for advice in memory.status().advice)


def test_a_file_that_is_cut_short(sound: Path, path: Path) -> None:
    content = sound.read_bytes()
    path.write_bytes(content[: len(content) // 2 + 100])
    with opened(path) as memory:
        assert memory.repaired is not None
        assert {problem.check.rstrip("_0123456789") for problem in memory.doctor()} <= _EXPECTED
    before, after = rows_of(sound), rows_of(path)
    assert after["memories"] <= before["memories"]
    assert after["tombstones"] <= before["tombstones"]


@pytest.mark.parametrize("content", [bytes(range(256)) * 300, b"A letter.\n" * 5000, bytes(50_000)])
def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(content)
    for attempt in (Memory.open, Memory.repair):
        with pytest.raises(StoreDamaged, match=r"nothing in it looks like a store.*left as it is"):
            attempt(path)
    assert path.read_bytes() == content
    assert beside(path) == ["letter.txt"]


def test_a_sound_file_stays_as_it_is(path: Path) -> None:
    content = path.read_bytes()
    assert Memory.repair(path) is None
    assert path.read_bytes() == content
    assert beside(path) == ["memory.db"]


def test_the_end_of_a_long_text_is_looked_at(path: Path) -> None:
    """A page of zeros may pass for the end of a text, and no checksum tells."""
    content = path.read_bytes()
    ends = [
        number
        for number in range(2, len(content) // PAGE + 1)
        if (page := content[(number - 1) * PAGE : number * PAGE])[:4] == bytes(4) and b"It drips. It drips." in page
    ]
    assert ends
    damage(path, ends[-1:], zeros=True)
    repaired = Memory.repair(path)
    assert repaired is not None
    assert repaired.lost("messages") == 1
