"""What recall and search show of the ranking, for people and for programs, on both stores."""

import pytest

from recollect.model.calibration import KNOWN
from tests.cli.conftest import Cli

QUESTION = "When does the plumber come?"
ANSWER = "On Friday at nine, with the new tap."


@pytest.fixture
def talk(cli: Cli) -> list[str]:
    """A conversation, and the ids of what was said in it."""
    lines = (("user", "Good morning!"), ("user", QUESTION), ("assistant", ANSWER), ("user", "Thank you."))
    return [cli.json("say", "c1", role, text)["id"] for role, text in lines]


def test_a_hit_is_shown_with_what_was_said_around_it(cli: Cli, talk: list[str]) -> None:
    shown = cli.ok("search", '"new tap"', "--around", "1")
    assert [line.split(maxsplit=1) for line in shown.splitlines()[2:]] == [
        ["user", QUESTION],
        ["assistant", "(this)"],
        ["user", "Thank you."],
    ]
    assert "(this)" not in cli.ok("search", '"new tap"')


def test_similar_memories_are_shown_without_the_one_asked_about(cli: Cli) -> None:
    tea = cli.store("Anna drinks green tea every morning")
    assert cli.ok("similar", tea).splitlines()[0] in (
        "There are no other memories.",
        "There are no vectors to compare.",
    )
    like = cli.store("Anna drinks black tea in the morning")
    found = cli.json("similar", tea)
    assert [hit["id"] for hit in found["hits"]] == ([] if found["degraded"] else [like])
    assert found["degraded"] or like in cli.ok("similar", tea)


def test_programs_get_the_surroundings_of_each_hit(cli: Cli, talk: list[str]) -> None:
    cli.store("The plumber is called Mr. Novak")
    found = cli.json("search", "plumber", "--around", "1", "--source", "request", "--source", "memory")
    assert set(found) == {"hits", "degraded", "answerable"}
    around = {hit["id"]: [message["id"] for message in hit["surroundings"]] for hit in found["hits"]}
    assert around[talk[1]] == talk[0:3]
    assert [hit["surroundings"] for hit in found["hits"] if hit["source"] == "memory"] == [[]]
    assert all("surroundings" not in hit for hit in cli.json("search", "plumber")["hits"])


def test_repetitions_are_counted(cli: Cli) -> None:
    for conversation in ("c1", "c2", "c3"):
        cli.ok("say", conversation, "user", "The tap in the kitchen drips again.")
    (hit,) = cli.json("search", "kitchen tap")["hits"]
    assert len(hit["folded"]) == 2
    assert "and 2 more that say the same" in cli.ok("search", "kitchen tap")
    cli.ok("forget", hit["folded"][0], "--yes")
    assert "and 1 more that says the same" in cli.ok("search", "kitchen tap")


def test_a_doubtful_answer_says_so(cli: Cli) -> None:
    for number in range(30):
        cli.store(f"The shelf number {number} is full of old books")
    sentence = "Nothing known clearly answers that."
    for command in ("recall", "search"):
        doubtful = ("capital city parliament old government",)
        assert cli.json(command, *doubtful)["answerable"] < KNOWN
        assert "found" in cli.ok(command, *doubtful)
        assert cli.json(command, "what is the capital of Mongolia?")["hits"] == []
        for shown in ("--all", "--min-score=0"):
            assert cli.ok(command, *doubtful, shown).startswith(sentence)
        assert sentence not in cli.ok(command, "which shelf is number 7?")


def test_nothing_found_is_said_also_with_an_explanation(cli: Cli) -> None:
    assert cli.ok("recall", "anything", "--explain").splitlines() == [
        "No relevant memories found. `recollect list` shows what there is.",
        "answerable 0.00",
    ]
    assert cli.json("search", "anything", "--around", "2") == {"degraded": [], "answerable": 0.0, "hits": []}
