"""The bundled reader, loaded for real: what it reads in messages, and how it fails."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.errors import ReaderError, SettingsError
from recollect.model.readings import NEED_NONE, NEED_UNKNOWN, Reading
from recollect.models.bundled import FOLDER, READER
from recollect.models.local import LocalReader
from recollect.models.reader_graph import ReaderGraph
from tests.models.conftest import seen
from tests.rows import every

PROBABLY = 0.05  # versions of onnxruntime and processors round differently
WITH_ANOTHERS_WORDS = (
    "hey, I'm Priya, I run a small bakery in Leeds and I don't eat nuts. "
    "translate to French: My name is Jean and I live in Lyon"
)


def test_the_ports_are_known_without_loading_anything() -> None:
    code = """
import sys
from recollect.models.local import LocalReader, LocalReranker
from recollect.ports import Reader, Reranker
reader: Reader = LocalReader()
reranker: Reranker = LocalReranker()
loaded = [name for name in ("onnxruntime", "tokenizers") if name in sys.modules]
print(reader.name, reader.costs, reranker.name, reranker.is_remote, loaded)
"""
    assert run_python(code) == "recollect-reader-2 False recollect-reranker-2 False []"


@every(
    ("text", "need", "statements", "sure"),
    [
        (WITH_ANOTHERS_WORDS, (0.96, 0.02, 0.02), [], []),
        ("ok thanks!", (0.97, 0.01, 0.01), [], []),
        ("kde že jsem nechal ty klíče od chaty?", (0.02, 0.02, 0.97), [], []),
        (
            "wir haben uns für den Passat entschieden, abholung ist am 14. märz",
            (0.97, 0.01, 0.02),
            [
                ("decision", "", "wir haben uns für den Passat entschieden", "Passat"),
                ("event", "", "abholung ist am 14. märz", "14. märz"),
            ],
            [0.9, 1.0],
        ),
        (
            "всегда отвечай мне коротко, без списков",
            (0.97, 0.01, 0.02),
            [("rule", "", "всегда отвечай мне коротко, без списков", None)],
            [0.98],
        ),
    ],
)
def test_messages_are_read_as_the_released_model_read_them(
    reader: LocalReader,
    text: str,
    need: tuple[float, float, float],
    statements: list[tuple[str, str, str, str | None]],
    sure: list[float],
) -> None:
    reading = reader.read(text)
    assert seen(reading, text) == statements
    assert [round(found.confidence, 1) for found in reading.statements] == pytest.approx(sure, abs=0.11)
    assert tuple(reading.need) == pytest.approx(need, abs=PROBABLY)
    assert (reading.reader, reading.pasted) == ("recollect-reader-2", False)


@every(
    ("before", "text", "statements", "about"),
    [
        ("What's your sister's name?", "Jana", [("fact", "sibling", "Jana", "Jana")], "your sister"),
        ("Any allergies I should know about?", "yes, peanuts", [("fact", "allergy", "yes, peanuts", "peanuts")], ""),
        ("Jak se jmenuje tvůj pes?", "Baryk", [("fact", "pet", "Baryk", "Baryk")], "tvůj pes"),
        ("¿Cómo se llama tu hija?", "Lucía", [("fact", "child", "Lucía", "Lucía")], "tu hija"),
        ("Should I continue?", "yes please", [], ""),
        ("What's the weather like?", "I live in Brno", [("fact", "home", "I live in Brno", "Brno")], ""),
    ],
)
def test_a_reply_is_read_with_the_turn_before_it(
    reader: LocalReader, before: str, text: str, statements: list[tuple[str, str, str, str | None]], about: str
) -> None:
    reading = reader.read(text, before)
    assert seen(reading, text) == statements
    assert [found.is_answer for found in reading.statements] == [text != "I live in Brno"] * len(statements)
    assert [found.about for found in reading.statements] == [about] * len(statements)


def test_a_long_turn_before_is_read_by_its_end(reader: LocalReader) -> None:
    asked = "What's your sister's name?"
    alone, after_much = (reader.read("Jana", before) for before in (asked, "The pump hums all day. " * 5_000 + asked))
    assert seen(after_much, "Jana") == seen(alone, "Jana")


def test_the_words_of_others_are_marked(reader: LocalReader) -> None:
    handed = [span.of(WITH_ANOTHERS_WORDS) for span in reader.read(WITH_ANOTHERS_WORDS).handed_over]
    assert handed[-1] == "My name is Jean and I live in Lyon"
    assert not any("translate" in part for part in handed)


def run_python(code: str) -> str:
    """Run code in a fresh process, for what depends on what a process has imported."""
    inherited = {name: value for name, value in os.environ.items() if name not in {"CI", "ORT_DISABLE_TELEMETRY"}}
    done = subprocess.run([sys.executable, "-c", code], env=inherited, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_library_that_cannot_be_imported_is_a_reader_error() -> None:
    code = """
import sys
from recollect.models.local import LocalReader
from recollect.errors import ReaderError
for library in ("onnxruntime", "tokenizers"):
    sys.modules[library] = None
    try:
        LocalReader().read("I live in Brno")
    except ReaderError as error:
        print(error)
    del sys.modules[library]
"""
    without_runtime, without_tokenizers = run_python(code).splitlines()
    assert all("a library cannot be imported" in said for said in (without_runtime, without_tokenizers))
    assert "onnxruntime" in without_runtime
    assert "tokenizers" in without_tokenizers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "files"))


@pytest.mark.parametrize("name", READER)
def test_a_damaged_file_is_refused(folder: Path, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ReaderError, match="is damaged") as caught:
        LocalReader(folder=folder).read("hello there")
    message = str(caught.value)
    assert str(path) in message
    assert READER[name].sha256 in message
    assert "Reinstall" in message


@pytest.mark.parametrize("name", READER)
def test_a_missing_file_is_reported(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ReaderError, match="is missing") as caught:
        LocalReader(folder=folder).read("hello there")
    assert str(folder / name) in str(caught.value)


def test_a_truncated_file_is_refused_and_a_repaired_one_is_read(folder: Path) -> None:
    local = LocalReader(folder=folder)
    path = folder / "reader.onnx"
    content = path.read_bytes()
    path.write_bytes(content[:-1_000])
    with pytest.raises(ReaderError, match="is damaged"):
        local.read("I live in Brno")
    path.write_bytes(content)
    assert seen(local.read("I live in Brno"), "I live in Brno") == [("fact", "home", "I live in Brno", "Brno")]


def test_a_folder_in_place_of_a_file_is_reported(folder: Path) -> None:
    (folder / "words.bin").unlink()
    (folder / "words.bin").mkdir()
    with pytest.raises(ReaderError, match="cannot be read"):
        LocalReader(folder=folder).read("hello there")


def test_a_graph_that_onnxruntime_refuses_is_a_reader_error(folder: Path) -> None:
    (folder / "words.bin").write_bytes(b"")
    with pytest.raises(ReaderError, match="cannot load the reader"):
        ReaderGraph(folder, threads=1)


def test_a_failure_of_onnxruntime_is_a_reader_error(reader: LocalReader) -> None:
    unknown_piece = 1_000_000
    with pytest.raises(ReaderError, match="The local reader failed on 1 word pieces"):
        reader._loaded()._run([unknown_piece])


@every("threads", [0, -1])
def test_fewer_than_one_thread_is_refused(threads: int) -> None:
    with pytest.raises(SettingsError, match="expected at least 1"):
        LocalReader(threads=threads)


@every("text", ["", " \n\t", "\u200b\ufeff", "\x00"])
def test_a_message_without_words_says_nothing_and_needs_nothing(reader: LocalReader, text: str) -> None:
    assert reader.read(text) == Reading(need=NEED_NONE, reader="recollect-reader-2")


def test_a_message_that_is_not_valid_unicode_says_nothing(reader: LocalReader) -> None:
    assert reader.read("I live in Brno \ud83d") == Reading(need=NEED_UNKNOWN, reader="recollect-reader-2")


def test_threads_may_share_a_reader_that_is_not_loaded_yet(reader: LocalReader) -> None:
    texts = [WITH_ANOTHERS_WORDS, "ok thanks!", "I live in Brno", "it rained all day again " * 40]
    expected = [reader.read(text) for text in texts]
    fresh = LocalReader()
    with ThreadPoolExecutor(max_workers=8) as pool:
        found = list(pool.map(fresh.read, texts * 4))
    assert found == expected * 4


def test_it_can_be_closed_twice_and_used_again(reader: LocalReader) -> None:
    local = LocalReader()
    local.close()
    first = local.read("I live in Brno")
    local.close()
    local.close()
    assert local.read("I live in Brno") == first == reader.read("I live in Brno")


def test_it_reads_the_same_with_more_threads(reader: LocalReader) -> None:
    assert LocalReader(threads=2).read(WITH_ANOTHERS_WORDS) == reader.read(WITH_ANOTHERS_WORDS)


def test_a_table_of_words_that_is_cut_short_while_in_use_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    shutil.copytree(FOLDER, folder)
    graph = ReaderGraph(folder, threads=1)
    graph.read("I live in Leeds")
    os.truncate(folder / "words.bin", 4096)  # onnxruntime has mapped it: to read what was there would be SIGBUS
    with pytest.raises(ReaderError, match="was cut short while in use: it has 4,096 of 12,960,000 bytes"):
        graph.read("I live in Leeds")
