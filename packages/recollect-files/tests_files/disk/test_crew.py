"""Processes that read beside this one: they give the same answers, none is lost when they die, and they never stay."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.waiting import until

from recollect.model.files import SkippedFile
from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.disk import LocalDisk, skip_reasons
from recollect_files.disk.safe_open import named
from recollect_files.documents import detect
from recollect_files.ports import ReadFile, ReadRequest

LONG_AGO_NS = 1_700_000_000_123_456_789
FILES = 200

# No `if __name__ == "__main__"` protects this program, as none protects those of users.
STARTS_READING = """
import sys, time
import psutil
from recollect_files.disk import LocalDisk
from recollect_files.disk.safe_open import named
from recollect_files.documents import detect
from recollect.ports import ChunkingRecipe
from recollect_files.ports import ReadRequest
disk = LocalDisk(detect=detect, extract=print, hands=1, worth_bytes=0)
wishes = [ReadRequest(f"{number}.md") for number in range(int(sys.argv[2]))]
answers = disk.read(named(sys.argv[1]), wishes, ChunkingRecipe())
for _ in range(3):
    next(answers)
while not (children := psutil.Process().children()):
    time.sleep(0.01)
print(children[0].pid, flush=True)
time.sleep(600)
"""


def extracted(data: bytes, name: str, recipe: ChunkingRecipe) -> FileReading:
    return FileReading("pdf", "application/pdf", (), 1, {"name": name})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with some notes, a document and something that is none."""
    folder = tmp_path_factory.mktemp("notes")
    for number in range(FILES):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Line {number} of a note.\n\n" * 100)
    (folder / "paper.pdf").write_bytes(b"%PDF-1.7 ...")
    (folder / "program.md").write_bytes(b"\x7fELF" + bytes(range(32)) * 300)
    for file in folder.iterdir():
        os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))
    (folder / "just.md").write_text("just now")
    return folder


def wishes(*more: str) -> list[ReadRequest]:
    return [ReadRequest(f"{number}.md") for number in range(FILES)] + [ReadRequest(name) for name in more]


def reading_disk(hands: int) -> LocalDisk:
    """Give a disk that asks for help at once."""
    return LocalDisk(detect=detect, extract=extracted, hands=hands, worth_bytes=0)


def by_path(answers: list[ReadFile | SkippedFile]) -> dict[str, ReadFile | SkippedFile]:
    """Give answers by what they are about, which must be a different file each."""
    found = {answer.path: answer for answer in answers}
    assert len(found) == len(answers)
    return found


def helpers() -> list[psutil.Process]:
    """Give the processes that read for this one."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):  # it may have ended already
            found += [child] if "recollect_files.disk.reader_process" in child.cmdline() else []
    return found


def test_help_does_not_change_an_answer(root: Path) -> None:
    """Alone or with two processes: the same contents, the same trouble, each once."""
    odd = ("paper.pdf", "program.md", "missing.md", "just.md")
    alone = by_path(list(reading_disk(0).read(named(str(root)), wishes(*odd), ChunkingRecipe())))
    helped = by_path(list(reading_disk(2).read(named(str(root)), wishes(*odd), ChunkingRecipe())))
    assert helped.keys() == alone.keys()
    for path, answer in alone.items():
        other = helped[path]
        if isinstance(answer, ReadFile) and isinstance(other, ReadFile) and answer.reading and other.reading:
            assert list(other.reading.pieces) == list(answer.reading.pieces)
            assert other.reading.metadata == answer.reading.metadata
            assert (other.digest, other.size, other.mtime_ns) == (answer.digest, answer.size, answer.mtime_ns)
        else:
            assert other == answer
    assert helped["program.md"] == SkippedFile("program.md", skip_reasons.NO_TEXT)
    assert helped["missing.md"] == SkippedFile("missing.md", skip_reasons.VANISHED)
    assert not helpers()


def test_what_a_process_had_when_it_died_is_read_here(root: Path) -> None:
    """One that is killed again and again takes no file with it."""
    answers = []
    killed = 0
    for answer in reading_disk(2).read(named(str(root)), wishes(), ChunkingRecipe()):
        answers.append(answer)
        for process in helpers():
            process.kill()
            killed += 1
    assert killed
    assert len(by_path(answers)) == FILES
    assert all(isinstance(answer, ReadFile) for answer in answers)


def test_a_detector_that_no_other_process_knows_means_reading_alone(root: Path) -> None:
    """It is no reason to fail."""
    disk = LocalDisk(detect=lambda _, __: ("text", "text/odd"), extract=extracted, hands=1, worth_bytes=0)
    answers = by_path(list(disk.read(named(str(root)), wishes()[:5], ChunkingRecipe())))
    assert {answer.reading.mime for answer in answers.values() if isinstance(answer, ReadFile) and answer.reading} == {
        "text/odd"
    }


def test_processes_end_with_whoever_loses_interest(root: Path) -> None:
    """Closing the iterator is enough."""
    answers = reading_disk(1).read(named(str(root)), wishes(), ChunkingRecipe())
    for _ in range(5):
        next(answers)
    close = answers.close  # type: ignore[attr-defined]
    close()
    assert not helpers()


def test_a_process_ends_when_the_one_it_reads_for_is_killed(root: Path) -> None:
    """Its pipe breaks, and that is its end."""
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_READING, root, str(FILES)], stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout
        helper = psutil.Process(int(reader.stdout.readline()))
        reader.send_signal(signal.SIGKILL)
    until(lambda: not helper.is_running() or helper.status() == psutil.STATUS_ZOMBIE, "its end")


def test_a_helping_process_imports_little() -> None:
    """No database, no model, no network: it would pay for them each time."""
    asked = "import recollect_files.disk.reader_process, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    heavy = {
        "apsw", "onnxruntime", "tokenizers", "psycopg", "httpx2", "fastapi", "mcp", "watchfiles", "typer", "rich",
        "recollect.api.memory", "recollect.engine", "recollect.storage", "recollect.embedding",
        "recollect_files.documents.extract",
    }  # fmt: skip
    assert loaded.isdisjoint(heavy), loaded & heavy
