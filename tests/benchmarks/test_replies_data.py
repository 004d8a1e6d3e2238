"""The labelled replies are whole: labels are known, and each points at words of the reply."""

import json
from collections import Counter
from pathlib import Path
from typing import TypedDict

from tests.benchmarks.test_messages_data import KEYS, LANGUAGES, TAUGHT, TYPES
from tests.rows import every

FOLDER = Path(__file__).parents[2] / "benchmarks" / "data" / "replies"


class Label(TypedDict):
    """One lasting thing that a reply says."""

    type: str
    key: str
    span: str
    value: str
    who: str
    needs: bool


class Labelled(TypedDict):
    """One line of a file."""

    before: str
    message: str
    facts: list[Label]
    need: str


def load(language: str) -> list[Labelled]:
    lines = (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@every("language", LANGUAGES)
def test_there_are_enough_replies_of_each_sort(language: str) -> None:
    lines = load(language)
    assert len(lines) >= (9 if language in TAUGHT else 5)
    assert 0.4 <= sum(not line["facts"] for line in lines) / len(lines) <= 0.5
    labels = [label["needs"] for line in lines for label in line["facts"]]
    assert set(labels) == {True, False}


@every("language", LANGUAGES)
def test_labels_are_words_of_the_reply(language: str) -> None:
    for line in load(language):
        assert line.keys() == {"before", "message", "facts", "need"}, line
        assert line["before"], line
        assert line["need"] in {"no", "maybe", "yes"}, line
        for label in line["facts"]:
            assert label.keys() == {"type", "key", "span", "value", "who", "needs"}, line
            assert label["type"] in TYPES, line
            assert label["key"] in KEYS, line
            assert label["span"], line
            assert label["span"] in line["message"], line
            assert label["value"] in label["span"], line
            assert label["who"] == "me" or label["who"] in f"{line['before']} {line['message']}", line


def test_no_reply_is_there_twice() -> None:
    counts = Counter((line["before"], line["message"]) for language in LANGUAGES for line in load(language))
    assert [reply for reply, count in counts.items() if count > 1] == []
