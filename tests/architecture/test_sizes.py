"""Small rooms: a file or a function that outgrows these has more than one job."""

from collections.abc import Iterator
from pathlib import Path

from tests.sources import outline, place, source_files

MOST_LINES_OF_A_FILE = 500
MOST_LINES_OF_A_FUNCTION = 60


def long_functions(path: Path) -> Iterator[str]:
    for name, line, lines in outline(path).functions:
        if lines > MOST_LINES_OF_A_FUNCTION:
            yield f"{place(path)}:{line} {name} has {lines} lines"


def test_no_file_is_too_long() -> None:
    everything = [path for ending in ("*.py", "*.sql") for path in source_files(ending)]
    files = [path for path in everything if path.parent.name != "migrations"]  # one has one checksum, so it stays whole
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES_OF_A_FILE} == {}


def test_no_function_is_too_long() -> None:
    assert [found for path in source_files() for found in long_functions(path)] == []
