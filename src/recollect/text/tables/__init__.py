"""Language tables: the one loader of the text files beside it, which README.md explains to the people who edit them.

The invariant: a table is read once, at first use, and what cannot be read is refused with its file and line.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

LANGUAGES: Final = ("en", "ru", "cs", "de")  # those that have every table, in the order in which they are tried
TAUGHT: Final = (*LANGUAGES, "pl", "uk", "fr", "es", "it", "pt", "nl", "ro")  # those that our models were taught
COMMON: Final = "common"  # the folder of what belongs to no language

# The sections of each table; those of the others are names of words and meanings, which their reader checks.
_SECTIONS: Final = {
    "language": "letters; function words; shared words; negations; fillers; decisive; negative prefixes; spellings; "
    "courtesy; bare courtesy; moments; leading to a time; before a list; after a comma; scope; dotted; asking about",
    "languages": "latin; cyrillic; persian letters; first names; greetings; acknowledgements; question words; "
    "also conjunctions; after no question word; scripts",
    "query": "anything; talk; own; general; how to; to me; asking; commands; deeds; "
    "advice; titles; user; lists; in common; joining; with; oneself; properties; "
    "one at a time; since then; as well",
    "capture": "openings; first person; i; third person; refers back; people; conditions; past; gone; given up; "
    "instead; for now; handed over; handed over phrases; remember; exact; located; units; inside names; "
    "other of several; one-off; injections",
    "kinds": "kinds",
    "assistant": "you; told; you told",
    "replies": "offers; choice; yes; no; yours; asks",
    "summary": "chatter; formula; decision; preference; identity; fact; wish; done; task; promise; request; unsure; "
    "failed; noted; generic; laughter; hedge; yes; no; if; negations; question words; pronouns; abbreviations; "
    "after an ordinal; nothing; key points; actions; open items",
    "secrets": "strong nouns; weak nouns; copulas; now; possessives; told; prepositions; access codes; seed phrases; "
    "recovery codes; about; other keys; changed; public; bare keys; qualifiers; leads; not a card; number words; "
    "endings; not a password",
    "secret_shapes": "telling; short; inner; inner hints",
    "wrappers": "cut the rest; cut nothing",
}
_HEADING: Final = re.compile(r"\[([^\[\]]+)\]")


class TableError(ValueError):
    """A line of a table that cannot be read; the message names the file, the line and what was expected."""


class TableLine(NamedTuple):
    """An entry, and where it stands, as in `en/summary.txt, line 12`."""

    text: str
    place: str


class TableSection(NamedTuple):
    """The entries under one heading."""

    heading: str
    lines: tuple[TableLine, ...]


@cache
def load_sections(language: str, table: str) -> tuple[TableSection, ...]:
    """Read a file; a heading may stand in it more than once."""
    path = f"{language}/{table}.txt"
    try:
        text = files(__name__).joinpath(language, f"{table}.txt").read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{path}, byte {error.start}: this is not UTF-8. Save the file as UTF-8.") from error
    return tuple(parse_sections(path, unicodedata.normalize("NFC", text), _SECTIONS.get(table, "")))


@cache
def read_lines(table: str, heading: str, *languages: str) -> tuple[str, ...]:
    """Give the entries under a heading, in the order of the languages; of all four if none is named."""
    return tuple(
        line.text
        for language in languages or LANGUAGES
        for section in load_sections(language, table)
        if section.heading == heading
        for line in section.lines
    )


@cache
def read_words(table: str, heading: str, *languages: str) -> frozenset[str]:
    """Give the words under a heading: a line may hold several, with blanks between them."""
    return frozenset(" ".join(read_lines(table, heading, *languages)).split())


@cache
def read_pairs(table: str, heading: str) -> tuple[tuple[str, str], ...]:
    """Give the `key: value` lines under a heading of a common table."""
    sections = (section for section in load_sections(COMMON, table) if section.heading == heading)
    return tuple(split_pair(line) for section in sections for line in section.lines)


def parse_sections(path: str, text: str, known: str = "") -> Iterator[TableSection]:
    """Take the text of a table apart; `known` are the headings it may have, any if empty."""
    heading, place, lines = "", path, list[TableLine]()
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        if found := _HEADING.fullmatch(line):
            if heading:
                yield _section(heading, place, lines)
            heading, place, lines = found[1].strip(), f"{path}, line {number}", []
            if known and heading not in known.split("; "):
                raise TableError(f"{place}: unknown section [{heading}]. Choose one of: {known}.")
        elif not heading or (line.startswith("[") and "]" not in line):
            raise TableError(f"{path}, line {number}: expected a [heading], found {line!r}.")
        else:
            lines.append(TableLine(line, f"{path}, line {number}"))
    yield _section(heading, place, lines)


def _section(heading: str, place: str, lines: list[TableLine]) -> TableSection:
    if not lines:
        raise TableError(f"{place}: the section is empty. Add an entry below its heading, one a line.")
    return TableSection(heading, tuple(lines))


def split_pair(line: TableLine) -> tuple[str, str]:
    """Take a `key: value` line apart."""
    key, colon, value = line.text.partition(": ")
    if not colon:
        raise TableError(f"{line.place}: expected `key: value`, found {line.text!r}.")
    return key.strip(), value.strip()
