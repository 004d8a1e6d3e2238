"""What is made of a file's bytes, when it is read at all, and what of one that changes meanwhile."""

import os
import threading
import time
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from tests.rows import every

from recollect.errors import InvalidDocument
from recollect.model.files import TURN_BREAK, KnownFile, SkippedFile
from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.disk import LocalDisk, skip_reasons
from recollect_files.disk.file_reader import day_of
from recollect_files.disk.safe_open import named, read_bytes, youth_s
from recollect_files.documents import detect
from recollect_files.ports import Disk, ReadFile, ReadRequest, SyncRules

LONG_AGO_NS = 1_700_000_000_123_456_789


def extracted(data: bytes, name: str, recipe: ChunkingRecipe) -> FileReading:
    if b"damaged" in data:
        raise InvalidDocument("It is damaged.")
    return FileReading("pdf", "application/pdf", (), 1, {"name": name})


DISK: Disk = LocalDisk(detect=detect, extract=extracted, hands=0)


def seen(path: str) -> KnownFile:
    """Give a file as a store has it whose last sync saw it."""
    return KnownFile(path, "", 0, 0, 1, 1, "", 0)


def written(folder: Path, name: str, data: bytes | str) -> Path:
    """Write a file that has not changed for long."""
    file = folder / name
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))
    return file


def reading_of(folder: Path, name: str, data: bytes | str, recipe: ChunkingRecipe | None = None) -> FileReading:
    written(folder, name, data)
    (answer,) = DISK.read(named(str(folder)), [ReadRequest(name)], recipe or ChunkingRecipe())
    assert isinstance(answer, ReadFile)
    assert answer.reading
    return answer.reading


def test_a_file_is_told_with_its_digest_size_and_time(tmp_path: Path) -> None:
    """And with what stands in it, cut and analysed."""
    data = b"# Plan\r\n\r\nBuy a lighthouse.\r\n"
    written(tmp_path, "plan.md", data)
    (answer,) = DISK.read(named(str(tmp_path)), [ReadRequest("plan.md")], ChunkingRecipe())
    assert isinstance(answer, ReadFile)
    assert (answer.size, answer.mtime_ns, answer.digest) == (len(data), LONG_AGO_NS, sha256(data).hexdigest())
    assert answer.reading
    assert answer.reading.kind == "markdown"
    assert answer.reading.lines == 4
    assert "Buy a lighthouse." in answer.reading.pieces[0].piece.content
    assert "lighthous" in answer.reading.pieces[0].terms


def test_bytes_that_are_known_are_not_cut_again(tmp_path: Path) -> None:
    """Their digest is enough."""
    written(tmp_path, "a.md", "same")
    (answer,) = DISK.read(
        named(str(tmp_path)), [ReadRequest("a.md", frozenset({sha256(b"same").hexdigest()}))], ChunkingRecipe()
    )
    assert isinstance(answer, ReadFile)
    assert answer.reading is None


@every(
    ("data", "text", "notes"),
    [
        (b"\xef\xbb\xbfplain", "plain", ()),
        ("w\u00efde \u20ac".encode("utf-16"), "w\u00efde \u20ac", ()),
        (b"broken \xff byte", "broken \ufffd byte", ("invalid UTF-8",)),
        (b"a nul \0 in it", "a nul \ufffd in it", ("NUL characters",)),
        (b"one\r\ntwo\rthree", "one\ntwo\rthree", ()),
    ],
)
def test_how_texts_are_decoded(tmp_path: Path, data: bytes, text: str, notes: tuple[str, ...]) -> None:
    """What is wrong is replaced and noted; what is read back is what was cut."""
    reading = reading_of(tmp_path, "a.txt", data)
    assert reading.notes == notes
    assert "\n".join(piece.piece.content for piece in reading.pieces) == text
    assert DISK.text(named(str(tmp_path)), seen("a.txt"), ChunkingRecipe(), frozenset()) == (
        text,
        sha256(data).hexdigest(),
    )


def test_private_parts_are_taken_out_before_anything_is_cut(tmp_path: Path) -> None:
    """The lines stay where they were."""
    reading = reading_of(tmp_path, "a.md", "one\n<private>two\nthree</private>\nfour\n")
    assert "two" not in repr(reading)
    text, _ = DISK.text(named(str(tmp_path)), seen("a.md"), ChunkingRecipe(), frozenset())
    assert text.split("\n")[3] == "four"


def test_a_session_log_is_cut_by_turns_and_shown_line_by_line(tmp_path: Path) -> None:
    """A turn of several lines stays on the line it has in the log."""
    log = (
        '{"type":"session","id":"s1"}\n'
        '{"role":"user","content":"first\\nsecond","timestamp":"2026-03-01T10:00:00Z"}\n'
        "no turn\n"
        '{"role":"assistant","content":"<private>hush</private> third"}\n'
    )
    reading = reading_of(tmp_path, "log.jsonl", log)
    assert reading.kind == "session"
    assert [(one.piece.role, one.piece.start_line) for one in reading.pieces] == [("user", 2), ("assistant", 4)]
    text, _ = DISK.text(named(str(tmp_path)), seen("log.jsonl"), ChunkingRecipe(), frozenset())
    lines = text.split("\n")
    assert len(lines) == reading.lines == 5
    assert lines[1].replace(TURN_BREAK, "\n") == reading.pieces[0].piece.content == "first\nsecond"
    assert lines[3].strip() == "third"


def test_other_kinds_are_read_by_others_and_have_no_lines(tmp_path: Path) -> None:
    """A PDF goes to whoever reads documents."""
    assert reading_of(tmp_path, "paper.pdf", b"%PDF-1.7 ...").metadata == {"name": "paper.pdf"}
    written(tmp_path, "damaged.pdf", b"%PDF-1.7 damaged")
    assert list(DISK.read(named(str(tmp_path)), [ReadRequest("damaged.pdf")], ChunkingRecipe())) == [
        SkippedFile("damaged.pdf", skip_reasons.DAMAGED)
    ]
    with pytest.raises(InvalidDocument, match="store"):
        DISK.text(named(str(tmp_path)), seen("paper.pdf"), ChunkingRecipe(), frozenset())


@every(
    ("name", "day"),
    [
        ("2026-03-01.md", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01-standup.md", datetime(2026, 3, 1, tzinfo=UTC)),
        ("20260301.md", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-13-01.md", None),
        ("2026-0301.md", None),
        ("202603011.md", None),
        ("notes-2026-03-01.md", None),
    ],
)
def test_the_day_a_note_is_named_after(name: str, day: datetime | None) -> None:
    """Dates that are none, or stand elsewhere, say nothing."""
    assert day_of(name) == day


def test_what_a_note_says_of_its_day_counts_more_than_its_name(tmp_path: Path) -> None:
    """Front matter first."""
    reading = reading_of(tmp_path, "2026-03-01.md", "---\ndate: 2025-12-24\n---\n\ntext\n")
    assert reading.dated_at == datetime(2025, 12, 24, tzinfo=UTC)
    assert reading_of(tmp_path, "2026-03-02.md", "text").dated_at == datetime(2026, 3, 2, tzinfo=UTC)


def test_a_file_that_has_just_changed_is_read_when_its_next_change_would_show(tmp_path: Path) -> None:
    """However often it changes before, the size and time that are told belong to the bytes."""
    file = tmp_path / "a.md"
    file.write_text("first")
    old = written(tmp_path, "old.md", "old")
    answers = list(DISK.read(named(str(tmp_path)), [ReadRequest("a.md"), ReadRequest("old.md")], ChunkingRecipe()))
    assert [answer.path for answer in answers] == ["old.md", "a.md"]
    young = answers[1]
    assert isinstance(young, ReadFile)
    assert young.mtime_ns == file.stat().st_mtime_ns
    assert not youth_s(young.mtime_ns, time.time_ns())
    assert old.stat().st_mtime_ns == LONG_AGO_NS


@every(
    ("age_ns", "mtime_ns", "wait_s"),
    [
        (5_000_000, LONG_AGO_NS, 0.015),
        (25_000_000, LONG_AGO_NS, 0.0),
        (1_500_000_000, 1_700_000_000_000_000_000, 0.5),
        (2_500_000_000, 1_700_000_000_000_000_000, 0.0),
        (-(10**18), LONG_AGO_NS, 0.0),
    ],
)
def test_how_long_a_file_is_young(age_ns: int, mtime_ns: int, wait_s: float) -> None:
    """A time of whole seconds may come from a disk that knows no others; one far ahead says nothing."""
    assert youth_s(mtime_ns, mtime_ns + age_ns) == wait_s


def test_a_file_that_stays_young_is_told_all_the_same(tmp_path: Path) -> None:
    """Or given up, if it changes while it is read; nobody waits for it for ever."""
    file = written(tmp_path, "a.md", "x")
    ended = threading.Event()

    def touch() -> None:
        while not ended.is_set():
            os.utime(file)

    thread = threading.Thread(target=touch)
    thread.start()
    try:
        outcomes = [
            answer
            for _ in range(3)
            for answer in DISK.read(named(str(tmp_path)), [ReadRequest("a.md")], ChunkingRecipe())
        ]
    finally:
        ended.set()
        thread.join()
    assert len(outcomes) == 3
    for outcome in outcomes:
        assert isinstance(outcome, ReadFile) or outcome == SkippedFile("a.md", skip_reasons.CHANGING)


def test_a_file_that_never_stays_the_same_is_given_up_or_told_as_it_was_once(tmp_path: Path) -> None:
    """While a thread rewrites it, no answer ever mixes two states."""
    file = tmp_path / "a.md"
    file.write_text("0" * 50_000)
    ended = threading.Event()

    def rewrite() -> None:
        digit = 0
        while not ended.is_set():
            digit = (digit + 1) % 10
            file.write_text(str(digit) * 50_000)

    thread = threading.Thread(target=rewrite)
    thread.start()
    outcomes = set()
    try:
        for _ in range(20):
            try:
                data = read_bytes(named(str(tmp_path)), "a.md", 10**6).data
                assert len(data) <= 50_000  # a file that is being written grows page by page
                outcomes.add("read")
            except OSError as error:
                outcomes.add(skip_reasons.reason_for(error))
    finally:
        ended.set()
        thread.join()
    assert outcomes <= {"read", skip_reasons.CHANGING}


def test_a_file_that_grew_too_large_since_the_walk_is_refused(tmp_path: Path) -> None:
    """The recipe has the limit too."""
    written(tmp_path, "a.md", "x" * 101)
    assert list(DISK.read(named(str(tmp_path)), [ReadRequest("a.md")], ChunkingRecipe(most_bytes=100))) == [
        SkippedFile("a.md", skip_reasons.TOO_LARGE)
    ]
    written(tmp_path, "a.md", "x" * 100)
    (answer,) = DISK.read(named(str(tmp_path)), [ReadRequest("a.md")], ChunkingRecipe(most_bytes=100))
    assert isinstance(answer, ReadFile)


def test_a_root_is_given_with_links_and_home_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a folder has one name."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert DISK.name("~/link/../link/") == os.path.realpath(tmp_path / "real")
    assert DISK.walk(DISK.name("~/link"), SyncRules(), frozenset()).exists


def test_what_escapes_hide_in_front_matter_is_masked_once_it_is_read(tmp_path: Path) -> None:
    hidden = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    note = f"""---
title: "Plan \\x3cprivate>diary\\x3c/private>"
about: "ghp\\x5f{hidden}"
deep: {{"ghp\\x5f{hidden}": [1]}}
---
Words.
"""
    metadata = reading_of(tmp_path, "plan.md", note).metadata
    assert hidden not in str(metadata)
    assert "diary" not in str(metadata)
    assert str(metadata["about"]).startswith("[redacted")
    assert str(metadata["title"]).strip() == "Plan"
