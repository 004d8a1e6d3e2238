"""The labelled messages are whole: labels are known, and each points at words that the user said."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

from tests.rows import every

FOLDER = Path(__file__).parents[2] / "benchmarks" / "data" / "messages"
TAUGHT = ("en", "ru", "cs", "de")
OTHERS = ("pl", "uk", "fr", "es", "it", "nl", "pt", "ro")
LANGUAGES = (*TAUGHT, *OTHERS)
TYPES = {"fact", "pref", "decision", "event", "rule"}
KEYS = {
    "-", "name", "nickname", "birthday", "age", "origin", "home", "address", "phone", "email", "account",
    "employer", "job", "school", "language", "partner", "child", "parent", "sibling", "relative", "friend",
    "colleague", "pet", "health", "allergy", "diet", "medicine", "car", "device", "tool", "project", "finance",
    "possession", "hobby", "sport", "belief", "schedule", "habit", "goal", "size", "timezone", "code", "trait",
    "like", "dislike", "favourite", "prefer",
}  # fmt: skip
MARKS = re.compile("[⟪⟫]")
HANDED_OVER = re.compile("⟪[^⟪⟫]*⟫")


class Label(TypedDict):
    """One lasting thing that a message says."""

    type: str
    key: str
    span: str
    value: str
    who: str


class Labelled(TypedDict):
    """One line of a file."""

    message: str
    facts: list[Label]
    need: str


def load(language: str) -> list[Labelled]:
    lines = (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@every("language", LANGUAGES)
def test_there_are_enough_messages_of_each_sort(language: str) -> None:
    lines = load(language)
    assert len(lines) >= (60 if language in TAUGHT else 30)
    assert 0.5 <= sum(bool(line["facts"]) for line in lines) / len(lines) <= 0.65
    assert sum("⟪" in line["message"] for line in lines) >= len(lines) / 6
    assert {line["need"] for line in lines} == {"no", "maybe", "yes"}


@every("language", LANGUAGES)
def test_lines_have_known_fields_types_and_keys(language: str) -> None:
    for line in load(language):
        assert line.keys() == {"message", "facts", "need"}, line
        for label in line["facts"]:
            assert label.keys() == {"type", "key", "span", "value", "who"}, line
            assert label["type"] in TYPES, line
            assert label["key"] in KEYS, line
            assert label["value"] or label["type"] in {"rule", "decision", "event"}, line


@every("language", LANGUAGES)
def test_labels_are_words_of_the_message(language: str) -> None:
    for line in load(language):
        said = MARKS.sub("", line["message"])
        for label in line["facts"]:
            assert label["span"], line
            assert label["span"] in said, line
            assert label["span"] in HANDED_OVER.sub("⟪⟫", line["message"]), f"handed over, not said: {line}"
            assert label["value"] in label["span"], line
            assert label["who"] == "me" or label["who"] in said, line


@every("language", LANGUAGES)
def test_labels_of_one_message_do_not_overlap(language: str) -> None:
    for line in load(language):
        said = MARKS.sub("", line["message"])
        starts = sorted((said.index(label["span"]), len(label["span"])) for label in line["facts"])
        for (start, length), (following, _) in pairwise(starts):
            assert start + length <= following, line


@every("language", LANGUAGES)
def test_marks_are_balanced(language: str) -> None:
    for line in load(language):
        assert not MARKS.search(HANDED_OVER.sub("", line["message"])), line


def test_no_message_is_there_twice() -> None:
    counts = Counter(
        " ".join(MARKS.sub("", line["message"]).casefold().split()) for language in LANGUAGES for line in load(language)
    )
    assert [message for message, count in counts.items() if count > 1] == []
