"""Numbers, times and how folders stand in the words of people."""

from datetime import UTC, datetime, timedelta

from recollect.cli.formatting import (
    ago,
    amounts,
    counted,
    excerpt,
    folder_errors,
    folder_state,
    listing,
    named,
    percent,
    shortened,
    size,
    skipped_files,
)
from recollect.model.files import Folder, FolderStatus, NamedRoot
from tests.rows import every

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@every(
    ("age", "expected"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=119), "1 h ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=6, hours=23), "6 d ago"),
        (timedelta(days=7), "2026-11-08"),
        (timedelta(days=-20), "2026-12-05"),
    ],
)
def test_ages(age: timedelta, expected: str) -> None:
    assert ago(NOW - age, NOW) == expected


def test_numbers() -> None:
    assert [percent(0), percent(-0.0), percent(0.856), percent(1)] == ["0 %", "0 %", "86 %", "100 %"]
    assert [counted(1, "memory", "memories"), counted(1200, "memory", "memories")] == ["1 memory", "1,200 memories"]
    assert [size(0), size(2048), size(5 * 1024**2), size(3 * 1024**4)] == ["0 bytes", "2 KiB", "5 MiB", "3072.0 GiB"]


@every(
    ("text", "expected"),
    [
        ("short", "short"),
        ("two\n lines", "two lines"),
        ("words that do not fit", "words that do…"),
        ("x" * 30, "x" * 15 + "…"),
    ],
)
def test_long_texts_are_cut_at_a_word(text: str, expected: str) -> None:
    assert shortened(text, 16) == expected
    assert len(shortened(text, 16)) <= 16


def test_several_things_are_listed_as_one_would_say_them() -> None:
    assert [listing([]), listing(["a"]), listing(["a", "b"]), listing(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert amounts((2, "memory", "memories"), (0, "version", "versions"), (1, "message", "messages")) == (
        "2 memories and 1 message"
    )


@every(
    ("text", "expected"),
    [
        ("two\nlines", "two\nlines"),
        ("1\n2\n3\n4", "1\n2\n3…"),
        ("words that do not fit", "words that do…"),
        ("x" * 30, "x" * 15 + "…"),
    ],
)
def test_excerpts_keep_lines_and_are_cut(text: str, expected: str) -> None:
    assert excerpt(text, 16, 3) == expected


def test_the_name_of_a_file_stays_on_one_line() -> None:
    assert named("a\nb\u2028c\r\n.md") == "a\ufffdb\ufffdc\ufffd\ufffd.md"
    assert named("Příliš žluťoučký 👩‍🌾.md") == "Příliš žluťoučký 👩‍🌾.md"


def test_what_the_rules_leave_out_is_told_last_and_is_no_error() -> None:
    skipped = {"ignored": 2_000, "hidden": 1, "fifo": 1, "symlink": 3}
    assert skipped_files(skipped) == "symlink 3, fifo 1, not wanted by the rules 2,000, hidden 1"
    folder = Folder(NamedRoot("/n"), "memory", {}, NOW, None, skipped)
    assert folder_errors(FolderStatus(folder, 1, 2, 0)) == "not read: symlink 3, fifo 1"
    assert folder_errors(FolderStatus(folder._replace(trouble={"ignored": 2}), 1, 2, 0)) == ""
    told = {drift: folder_state(FolderStatus(folder, 1, 2, drift), NOW, looked=True) for drift in (0, 1, 2, None)}
    assert [told[drift].rpartition(" · ")[2] for drift in told] == [
        "in step",
        "1 file differs now",
        "2 files differ now",
        "not there now",
    ]
    assert folder_state(FolderStatus(folder, 1, 2, None), NOW, looked=False) == (
        "1 file and 2 chunks · synced just now · not seen whole"
    )
