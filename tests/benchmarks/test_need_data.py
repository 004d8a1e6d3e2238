"""The need set is whole: its ids resolve, no line is there twice, and all parts have every kind of message."""

import json
from collections import Counter
from pathlib import Path
from typing import TypedDict

import pytest
from benchmarks.need import NEWEST, requests

from tests.rows import every

FOLDER = Path(__file__).parents[2] / "benchmarks" / "data" / "need"
USERS = ("en", "ru", "cs", "de")
TYPES = {"fact", "preference", "decision", "event", "instruction"}
SILENT = ("small talk", "general", "near", "command")
FEWEST = {"memory": 55, "unknown": 15}
PARTS = ("calibrate", "held-back", NEWEST)
ANSWERED = ("memory", "keywords")


class Known(TypedDict):
    """A memory of the set; `subject` is left out when it is about the user."""

    id: str
    user: str
    type: str
    text: str


class Asked(TypedDict):
    """A message of the set."""

    id: str
    user: str
    part: str
    kind: str
    text: str
    answers: list[str]


def lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def memories() -> list[Known]:
    return [json.loads(line) for line in lines("memories.jsonl")]


@pytest.fixture(scope="module")
def messages() -> list[Asked]:
    return [json.loads(line) for name in ("messages.jsonl", f"{NEWEST}.jsonl") for line in lines(name)]


def test_lines_have_the_stated_fields(memories: list[Known], messages: list[Asked]) -> None:
    assert {frozenset(memory) - {"subject"} for memory in memories} == {Known.__required_keys__}
    assert {frozenset(message) for message in messages} == {Asked.__required_keys__}
    assert {memory["type"] for memory in memories} == TYPES
    assert all(line["text"] == line["text"].strip() != "" for line in (*memories, *messages))


@every("user", USERS)
def test_every_user_has_forty_memories_and_three_instructions(user: str, memories: list[Known]) -> None:
    kinds = Counter(memory["type"] == "instruction" for memory in memories if memory["user"] == user)

    assert kinds == {False: 40, True: 3}


@every("user", USERS)
def test_every_user_has_enough_messages_of_each_kind(user: str, messages: list[Asked]) -> None:
    kinds = Counter(message["kind"] for message in messages if message["user"] == user)

    assert set(kinds) == {*SILENT, *FEWEST, "keywords"}
    assert sum(kinds[kind] for kind in SILENT) >= 85
    assert all(kinds[kind] >= fewest for kind, fewest in FEWEST.items())


def test_answers_are_memories_of_the_same_user(memories: list[Known], messages: list[Asked]) -> None:
    owners = {memory["id"]: memory["user"] for memory in memories if memory["type"] != "instruction"}

    assert [
        message for message in messages for known in message["answers"] if owners.get(known) != message["user"]
    ] == []


def test_only_questions_for_memory_are_answered(messages: list[Asked]) -> None:
    assert [message for message in messages if (message["kind"] in ANSWERED) != bool(message["answers"])] == []


def test_every_memory_answers_a_message(memories: list[Known], messages: list[Asked]) -> None:
    answering = {known for message in messages for known in message["answers"]}

    assert answering == {memory["id"] for memory in memories if memory["type"] != "instruction"}


def test_no_line_is_there_twice(memories: list[Known], messages: list[Asked]) -> None:
    ids = Counter(line["id"] for line in (*memories, *messages))
    texts = Counter((line["user"], line["text"].casefold().strip("?!. ")) for line in (*memories, *messages))

    assert [line_id for line_id, times in ids.items() if times > 1] == []
    assert [text for text, times in texts.items() if times > 1] == []


@every("user", USERS)
def test_all_parts_have_every_kind(user: str, messages: list[Asked]) -> None:
    kinds = Counter((message["kind"], message["part"]) for message in messages if message["user"] == user)

    assert {part for _, part in kinds} == set(PARTS)
    assert all(kinds[kind, part] >= 3 for kind in (*SILENT, *FEWEST) for part in PARTS)


@every("part", PARTS)
def test_a_part_is_chosen_by_its_name(part: str, messages: list[Asked]) -> None:
    chosen = Counter(request.text for request in requests(part))

    assert chosen == Counter(message["text"] for message in messages if message["part"] == part) != Counter()


def test_the_newest_part_has_a_file_of_its_own() -> None:
    assert {json.loads(line)["part"] for line in lines(f"{NEWEST}.jsonl")} == {NEWEST}
