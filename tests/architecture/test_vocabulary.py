"""Names and prose an engineer can search: no paraphrases of people, and one meaning for each class name."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.sources import outline, place, source_files

PARAPHRASES = ("somebody", "whoever", "nobody", "everybody", "anybody")
AS_A_WORD = re.compile(rf"\b(?:{'|'.join(PARAPHRASES)})\b", re.IGNORECASE)

# What people say, in their languages, is data.
LANGUAGE_DATA = ("text/tables/", *(f"text/capture/{name}/" for name in ("czech", "english", "german", "russian")))
TWINS = ("storage/sqlite/", "storage/postgres/")
KINDS = next(path for path in source_files() if place(path) == "model/kinds.py")
AT_A_DOOR = re.compile(r"/(cli|service)/[\w/]+\.py$")  # which has a type of its own for a kind of parameter
PROSE = (".py", ".sql", ".md", ".html", ".json", ".toml")
MODEL_FILES = ("tokenizer.json",)


def sources() -> Iterator[Path]:
    """List the files of the package that engineers read."""
    for path in source_files("*"):
        if path.suffix in PROSE and path.name not in MODEL_FILES and not place(path).startswith(LANGUAGE_DATA):
            yield path


def paraphrased(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    lowered = text.lower()
    if any(paraphrase in lowered for paraphrase in PARAPHRASES):  # which is quick, and mostly all
        for number, line in enumerate(text.splitlines(), 1):
            if AS_A_WORD.search(line):
                yield f"{place(path)}:{number}: {line.strip()}"


def test_the_subject_of_a_sentence_is_the_code_a_user_a_caller_or_a_client() -> None:
    found = [line for path in sources() for line in paraphrased(path)]
    assert not found, "\n".join(found)


def test_a_class_name_has_one_meaning() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for path in source_files():
        home = str(path)
        kinds = outline(KINDS).types if AT_A_DOOR.search(home) else ()
        for twin in TWINS:  # the two stores have classes of the same name on purpose
            home = home.replace(twin, "storage/*/")
        for name in outline(path).types:
            homes[name.lstrip("_")].add(str(KINDS) if name in kinds else home)
    several = {name: sorted(places) for name, places in homes.items() if len(places) > 1}
    assert not several, "\n".join(f"{name}: {', '.join(places)}" for name, places in sorted(several.items()))
