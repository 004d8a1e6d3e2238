"""What is made to do harm is refused, says which limit it hit, and leaves nothing behind."""

import os
import signal
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from tests.rows import every

from recollect.errors import InvalidDocument
from recollect.ports import ChunkingRecipe
from recollect_files.documents import LocalDocuments
from recollect_files.documents.extract import ExtractionLimits, _checked, _ChildOutput, _environment, _reason
from recollect_files.documents.extract_process import READERS
from recollect_files.documents.extracted import MOST_CHARACTERS, TEXT_WAS_CUT, shortened
from recollect_files.documents.formats.web import read_page
from tests_files.documents.building import archive, docx, endless_pdf, paragraph, png, words_of

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
    '<w:document xmlns:w="x"><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:document>'
)
SLOW = b"<html>" + b"<a b='" * 60_000
PARTS = b"--x\r\n\r\nhi\r\n"
MAIL = b"From: a@b\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"


def nested_mail(depth: int) -> bytes:
    levels = (
        b"Content-Type: multipart/mixed; boundary=x%d\r\n\r\n--x%d\r\n" % (level, level) for level in range(depth)
    )
    return b"From: a@b\r\nMIME-Version: 1.0\r\n" + b"".join(levels)


def declaring(archived: bytes, size: int) -> bytes:
    """Give an archive whose directory says that the last of its parts has so many bytes."""
    entry = archived.rindex(b"PK\x01\x02")
    return archived[: entry + 24] + struct.pack("<I", size) + archived[entry + 28 :]


def children() -> set[str]:
    """Give the processes that this one has started and that are not gone, not even as zombies."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(docx("", {"word/document.xml": LAUGHS}), "declares a document type", id="billion laughs"),
        pytest.param(docx("<w:p>" * 5_000), "nested more than 2,000 deep", id="deep XML"),
        pytest.param(endless_pdf(), "1,000,000 pages; at most 20,000", id="a million pages"),
        pytest.param(MAIL + PARTS * 10_000 + b"--x--", "more than 1,000 parts", id="10,000 parts"),
        pytest.param(nested_mail(60), "nested more than 20 deep", id="deep mail"),
        pytest.param(nested_mail(1_000), "nested too deeply", id="very deep mail"),
        pytest.param(b"%PDF-1.4 nothing else", "The PDF is damaged", id="no PDF"),
        pytest.param(archive({"word/document.xml": "<a><b></a>"}), "Its XML is damaged", id="bad XML"),
        pytest.param(docx(paragraph("x"))[:150], "damaged DOCX", id="half a zip"),
        pytest.param(b"\xff\xd8\xff\xe0nothing", "The picture is damaged", id="no JPEG"),
        pytest.param(b"\x89PNG\r\n\x1a\nnothing", "The PNG is damaged", id="no PNG"),
    ],
)
def test_bombs_are_refused(data: bytes, said: str) -> None:
    before = children()
    with pytest.raises(InvalidDocument) as refused:
        LocalDocuments(timeout_s=300).read(data, "bomb", ChunkingRecipe())
    assert said in str(refused.value)
    assert str(refused.value).startswith("'bomb' was not read")
    assert children() == before


@every(("declared", "said"), [(200 * 2**20, "more than 128 MiB"), (1_000, "damaged")])
def test_a_zip_bomb_is_unpacked_no_further_than_it_declares(declared: int, said: str) -> None:
    bomb = declaring(docx(paragraph("a" * 5_000_000)), declared)
    with pytest.raises(InvalidDocument, match=said):
        LocalDocuments(memory_mb=128).read(bomb, "a.docx", ChunkingRecipe())


def test_what_takes_too_long_is_ended() -> None:
    before = children()
    with pytest.raises(InvalidDocument, match=r"longer than 0\.5 s.*files\.extract_s"):
        LocalDocuments(timeout_s=0.5).read(SLOW, "slow.html", ChunkingRecipe())
    assert children() == before


def test_what_needs_too_much_memory_is_ended() -> None:
    page = b"<html>" + b"a" * 31_000_000
    with pytest.raises(InvalidDocument, match=r"more than 128 MiB of memory.*files\.extract_mb"):
        LocalDocuments(memory_mb=128).read(page, "large.html", ChunkingRecipe())


def test_no_pixel_of_a_picture_is_decoded() -> None:
    bomb = png(
        60_000, 60_000, [(b"zTXt", b"Bomb\0\0" + zlib.compress(b"word\n" * 2_000_000)), (b"tEXt", b"Title\0A cat")]
    )
    reading = LocalDocuments(memory_mb=256).read(bomb, "a.png", ChunkingRecipe())
    assert (reading.metadata["width"], reading.metadata["height"]) == (60_000, 60_000)
    assert "Title: A cat" in words_of(reading)
    assert sum(len(indexed.piece.content) for indexed in reading.pieces) < 500_000


def test_text_without_end_is_cut_and_noted() -> None:
    endless = read_page("<html>" + "<p>" + "a" * MOST_CHARACTERS + "<p>b")
    assert endless.notes == (TEXT_WAS_CUT,)
    assert len(endless.parts[0]) == MOST_CHARACTERS
    pages = (str(number) * 2**20 for number in range(10**6))
    parts, notes = shortened(pages)
    assert (sum(map(len, parts)), notes) == (MOST_CHARACTERS, (TEXT_WAS_CUT,))


def test_more_bytes_than_allowed_are_not_even_looked_at() -> None:
    with pytest.raises(InvalidDocument, match=r"has 11 bytes; a document has at most 10.*files\.document_mb"):
        LocalDocuments(most_bytes=10).read(b"01234567890", "a.txt", ChunkingRecipe())


@every(
    ("code", "said"),
    [
        (-signal.SIGSEGV, "crashed its reader (SIGSEGV)"),
        (-signal.SIGXCPU, "longer than 60 s"),
        (1, "ended with code 1"),
        (0, ""),
    ],
)
def test_how_a_child_ended_is_told(code: int, said: str) -> None:
    reason = _reason(_ChildOutput(b"{}", code, too_slow=False), ExtractionLimits())
    assert said in reason
    assert bool(reason) == bool(said)


def test_of_an_answer_only_what_can_be_checked_is_believed() -> None:
    found = _checked(
        {
            "parts": ["a\0b\ud800", 7, None],
            "metadata": {"title": "x\ny", "deep": {"a": [1]}, "number": float("inf"), "list": ["a", "b"], "n": 3},
            "notes": "no list",
            "dated_at": ["no text"],
        }
    )
    assert found.parts == ("ab\ufffd",)
    assert found.metadata == {"title": "x y", "list": ["a", "b"], "n": 3}
    assert found.notes == ()
    assert _checked({}).parts == ("",)
    assert set(READERS) == {"pdf", "html", "docx", "email", "image"}


CAPTIVE = """
import os, socket, sys
from recollect_files.documents.extract_process import forbid, limit
limit(256, 5)
sys.addaudithook(forbid)
def tried(deed):
    try:
        deed()
    except (OSError, MemoryError) as error:
        return type(error).__name__
    return "done"
print(tried(lambda: socket.socket()))
print(tried(lambda: os.system("true")))
print(tried(lambda: os.fork()))
print(tried(lambda: bytearray(300 << 20)))
print(tried(lambda: os.write(os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), b"x")))
print(tried(lambda: [os.open("/", os.O_RDONLY) for _ in range(100)]))
"""


def test_a_child_can_neither_grow_nor_write_nor_call_out(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CAPTIVE, str(tmp_path / "written")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert said == ["PermissionError"] * 3 + ["MemoryError", "OSError", "OSError"]
    assert (tmp_path / "written").stat().st_size == 0


def test_a_child_that_cannot_start_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InvalidDocument, match="ended with code 1"):
        LocalDocuments().read(b"<html>" + b"x" * 2**20, "a.html", ChunkingRecipe())


def test_an_answer_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/echo")
    with pytest.raises(InvalidDocument, match="is no answer"):
        LocalDocuments().read(b"<html>x", "a.html", ChunkingRecipe())


def test_a_child_finds_nothing_of_its_parents_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_KEY", "secret")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert _environment().keys() <= {"PYTHONPATH", "PYTHONUTF8", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
