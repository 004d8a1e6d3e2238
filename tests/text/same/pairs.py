"""Pairs of statements that differ in meaning by little, and pairs that say the same in the same words, from the tables.

Every other pair was held back while the rules were made.
"""

from collections.abc import Iterator
from pathlib import Path

LANGUAGES = ("en", "de", "cs", "ru")
_FOLDER = Path(__file__).parent

# Messages from which the bundled reader captures one memory with all of their words.
MESSAGES = tuple((_FOLDER / "messages.txt").read_text(encoding="utf-8").splitlines())


def read(language: str, kind: str) -> list[tuple[str, str]]:
    """Read a table: two statements a line, or one with a gap and the two words that go there."""
    rows = ((_FOLDER / f"{language}_{kind}.tsv").read_text(encoding="utf-8")).splitlines()
    return [_pair(*row.split("\t")) for row in rows]


def _pair(one: str, other: str, third: str | None = None) -> tuple[str, str]:
    return (one, other) if third is None else (one.replace("_", other), one.replace("_", third))


def differing() -> Iterator[tuple[str, str]]:
    """Give all pairs that mean different things."""
    for language in LANGUAGES:
        yield from read(language, "differ")


def styled() -> Iterator[tuple[str, str]]:
    """Give all pairs that say the same in the same words."""
    for language in LANGUAGES:
        yield from read(language, "same")
