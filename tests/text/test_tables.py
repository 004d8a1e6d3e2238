"""Language tables: every file can be read, and what cannot is refused by file and line."""

import json
from importlib.resources import files

import pytest

from recollect.models.bundled import FOLDER
from recollect.text import tables
from recollect.text.language import languages_in
from recollect.text.tables import (
    COMMON,
    LANGUAGES,
    TAUGHT,
    TableError,
    load_sections,
    parse_sections,
    read_lines,
    read_pairs,
    read_words,
)
from tests.rows import every

FILES = sorted(
    (folder.name, file.name.removesuffix(".txt"))
    for folder in files(tables).iterdir()
    if folder.is_dir() and not folder.name.startswith("_")
    for file in folder.iterdir()
)


@every(("language", "table"), FILES)
def test_every_table_can_be_read(language: str, table: str) -> None:
    assert all(section.lines for section in load_sections(language, table))


def test_the_four_languages_have_the_same_tables_and_the_others_those_that_tell_them_apart() -> None:
    by_language = {name: {table for language, table in FILES if language == name} for name, _ in FILES}
    common = by_language.pop(COMMON)
    assert common == {"languages", "past", "secret_shapes", "secret_patterns", "wrappers"}
    complete = {"capture", "language", "query", "secrets", "summary", "time_phrases", "time_points", "time_words"}
    complete |= {"assistant", "kinds", "replies"}
    taught = {language for language, names in by_language.items() if "replies" in names}
    assert taught == set(TAUGHT)
    for table in ("assistant", "kinds"):
        assert {language for language, names in by_language.items() if table in names} == set(TAUGHT)
    assert {language for language, names in by_language.items() if names == complete} == set(LANGUAGES)
    assert set(by_language) == set(languages_in("latin", "cyrillic"))
    assert all(
        names in (complete, {"language"}, {"language", "assistant", "kinds", "replies"})
        for names in by_language.values()
    )


def test_kinds_are_those_that_the_reader_knows_in_every_language() -> None:
    named = [
        {word for line in read_lines("kinds", "kinds", one) for word in line.partition(": ")[0].split()}
        for one in TAUGHT
    ]
    keys = json.loads((FOLDER / "reader.json").read_text(encoding="utf-8"))["keys"]
    assert all(one == named[0] for one in named)
    assert named[0] <= set(keys)


def test_readme_explains_every_table() -> None:
    text = files(tables).joinpath("README.md").read_text(encoding="utf-8")
    assert not {f"{table}.txt" for _, table in FILES if f"`{table}.txt`" not in text}


def test_comments_blank_lines_and_margins_do_not_count() -> None:
    (section,) = parse_sections("x.txt", "# a comment\n\n[ you ]\n  du\n\n# another\n dein  deine \r\n")
    assert section.heading == "you"
    assert [line.text for line in section.lines] == ["du", "dein  deine"]
    assert section.lines[1].place == "x.txt, line 7"


@every(
    ("text", "message"),
    [
        ("hello\n[a]\nb", r"x.txt, line 1: expected a \[heading\], found 'hello'"),
        ("[a]\nb\n[c\nd", r"x.txt, line 3: expected a \[heading\], found '\[c'"),
        ("[a]\nb\n[c]\n# d\n", "x.txt, line 3: the section is empty"),
        ("[a]\nb\n[d]\ne", r"x.txt, line 3: unknown section \[d\]. Choose one of: a; c"),
        ("", "x.txt: the section is empty"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        list(parse_sections("x.txt", text, "a; c"))


def test_a_pair_without_a_value_is_named() -> None:
    (section,) = parse_sections("x.txt", "[a]\nkey:\n")
    with pytest.raises(TableError, match=r"x.txt, line 2: expected `key: value`, found 'key:'"):
        tables.split_pair(section.lines[0])


def test_words_and_pairs_of_a_section() -> None:
    assert {"ano", "prosím"} <= read_words("language", "fillers", "cs")
    assert read_words("summary", "after an ordinal", "en") == frozenset()
    assert ("0400", "Cyrillic") in read_pairs("languages", "scripts")
