"""Plain files are read as they are: decoded, masked and cut without a process of their own."""

import codecs
import subprocess
import sys

import pytest
from tests.rows import every

from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.documents import LocalDocuments
from recollect_files.documents.decode_text import decode_plain
from tests_files.documents.building import pieces_of, words_of

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def read(data: bytes, name: str, recipe: ChunkingRecipe | None = None) -> FileReading:
    return LocalDocuments().read(data, name, recipe or ChunkingRecipe())


@every("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marks_tell_the_encoding(encoding: str) -> None:
    assert decode_plain("žába\r\nzpívá".encode(encoding)) == ("žába\nzpívá", ())


@every(
    ("data", "text", "notes"),
    [
        ("žluť ".encode() * 9 + b"\xe8", "žluť " * 9 + "\ufffd", ("invalid UTF-8",)),
        (b"broken \xff byte", "broken \ufffd byte", ("invalid UTF-8",)),
        (b"a\0b", "a\ufffdb", ()),
        (codecs.BOM_UTF16_LE + b"a\0b", "a\ufffd", ("invalid UTF-8",)),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", ("invalid UTF-8",)),
        (b"", "", ()),
    ],
)
def test_what_is_no_text_is_replaced(data: bytes, text: str, notes: tuple[str, ...]) -> None:
    assert decode_plain(data) == (text, notes)


@every(
    ("encoding", "text"),
    [
        ("cp1250", "Kotel v koupelně opravuje pan Novák, zaplatili jsme příliš.\n"),
        ("iso8859_2", "Spotkanie z lekarzem we wtorek, zabrać dowód i wyniki badań. Klucze są u sąsiadki.\n"),
        ("cp1251", "Встреча врача во вторник, взять паспорт и анализы.\n"),
        ("koi8_r", "Купить молоко и хлеб, ключи под ковром.\n"),
        ("cp1252", "Réunion à l'école mardi, ça a été déplacé à cause des élèves.\n"),
    ],
)
def test_older_encodings_are_recognised(encoding: str, text: str) -> None:
    for size in (1, 3_000):
        assert decode_plain((text * size).encode(encoding)) == (text * size, (f"read as {encoding}",))


def test_markdown_keeps_its_headings_lines_and_front_matter() -> None:
    front = "---\ntitle: Setup\npassword: hunter2hunter2\n---\n"
    note = f"{front}# Server\n\ntoken {SECRET}\n\n<private>\nx\n</private>\n\n## Disk\n\nlarge\n"
    reading = read(note.encode(), "setup.md")
    assert (reading.kind, reading.mime, reading.external) == ("markdown", "text/markdown", False)
    assert reading.metadata["title"] == "Setup"
    assert "hunter2" not in str(reading)
    assert SECRET not in str(reading)
    assert reading.lines == note.count("\n") + 1
    disk = next(piece for piece in pieces_of(reading) if "large" in piece.content)
    assert disk.end_line == 15


def test_a_table_tells_its_columns() -> None:
    reading = read(b'name;"home; town"\r\nAnna;Brno\r\n', "people.csv")
    assert reading.kind == "csv"
    assert reading.metadata == {"delimiter": "semicolon", "columns": ["name", "home; town"]}
    assert "Anna;Brno" in words_of(reading)
    assert "name" in pieces_of(reading)[0].heading
    assert read(b"one column\nx\n", "a.csv").metadata == {}


def test_sessions_are_cut_by_turn() -> None:
    log = b'{"type":"session","id":"1"}\n{"type":"message","message":{"role":"user","content":"my token is %b"}}\n'
    reading = read(log % SECRET.encode(), "log.jsonl")
    assert reading.kind == "session"
    assert [(piece.role, piece.start_line) for piece in pieces_of(reading)] == [("user", 2)]
    assert SECRET not in str(reading)


def test_code_and_text_and_nothing() -> None:
    assert read(b"def f():\n    return 1\n", "a.py").kind == "code"
    empty = read(b"\n \n", "empty.txt")
    assert (words_of(empty), empty.lines) == ("empty.txt", 1)


def test_secrets_stay_when_nobody_wants_them_out() -> None:
    assert SECRET in words_of(read(f"token {SECRET}".encode(), "a.txt", ChunkingRecipe(redact=False)))


@pytest.mark.parametrize("kind", ["html", "email"])
def test_a_child_loads_no_more_than_it_needs(kind: str) -> None:
    program = (
        "import sys; from recollect_files.documents.extract_process import answer; "
        "answer(sys.argv[1], b'x'); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program, kind], capture_output=True, text=True, check=True).stdout
    assert {"numpy", "PIL", "pypdfium2", "re2"}.isdisjoint(loaded.split())
