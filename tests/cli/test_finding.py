"""What recall and search show of the ranking, for people and for programs, on both stores."""

import re

import pytest

from recollect.model.calibration import KNOWN
from tests.cli.conftest import Cli
from tests.rows import every

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


def test_groups_and_duplicates_are_shown_and_merged(cli: Cli) -> None:
    assert cli.ok("clusters").splitlines()[0] == "There are no groups of similar memories."
    kept = cli.store("Our dog Bruno limps after long walks")
    again = cli.store("Our dog Bruno limps after long walks", "--context", "winter")
    cli.store("The vet gave our dog Bruno tablets")
    found = cli.json("clusters")
    if not found["degraded"]:
        assert [group["size"] for group in found["clusters"]] == [3]
        assert "Bruno" in cli.ok("clusters")
    assert cli.json("merge", again, "--into", kept)["id"] == kept
    assert [version["id"] for version in cli.json("history", kept)["versions"]] == [again, kept]
    assert cli.ok("clusters", "--duplicates").splitlines()[0] == "No two memories say the same."


def test_programs_get_the_surroundings_of_each_hit(cli: Cli, talk: list[str]) -> None:
    cli.store("The plumber is called Mr. Novak")
    found = cli.json("search", "plumber", "--around", "1")
    assert set(found) == {"hits", "degraded", "answerable"}
    around = {hit["id"]: [message["id"] for message in hit["surroundings"]] for hit in found["hits"]}
    assert around[talk[1]] == talk[0:3]
    assert [hit["surroundings"] for hit in found["hits"] if hit["source"] == "memory"] == [[]]
    assert all("surroundings" not in hit for hit in cli.json("search", "plumber")["hits"])


def test_how_far_one_looks_around_is_bounded(cli: Cli) -> None:
    for wrong in ("51", "-1", "many"):
        assert cli("search", "plumber", "--around", wrong).exit_code == 2


def test_what_surrounds_a_message_has_no_rank(cli: Cli, talk: list[str]) -> None:
    shown = cli.ok("search", "plumber", "--explain")
    assert re.search(r"^ +text +1 +[\d.]+ +[\d.]+ \S [\d.]+ +=", shown, re.MULTILINE)
    assert re.search(r"^ +text +not found +[\d.]+ \S [\d.]+ +=", shown, re.MULTILINE)
    for name in ("neighbours", "conversation"):
        assert re.search(rf"^ +{name} +[\d.]+ \S [\d.]+ +=", shown, re.MULTILINE)
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.splitlines()[-1] == "answerable 1.00"
    channels = cli.json("search", "plumber")["hits"][0]["parts"]["channels"]
    assert list(channels) == ["text", "neighbours", "conversation"]
    assert channels["neighbours"]["rank"] is None


def test_repetitions_are_counted(cli: Cli) -> None:
    for conversation in ("c1", "c2", "c3"):
        cli.ok("say", conversation, "user", "The tap in the kitchen drips again.")
    (hit,) = cli.json("search", "kitchen tap")["hits"]
    assert len(hit["folded"]) == 2
    assert "and 2 more that say the same" in cli.ok("search", "kitchen tap")
    cli.ok("forget", hit["folded"][0], "--yes")
    assert "and 1 more that says the same" in cli.ok("search", "kitchen tap")


def test_a_type_may_be_preferred(cli: Cli) -> None:
    cli.store("Tea is in the cellar", "--type", "fact")
    cli.store("Tea is a pleasure", "--type", "preference")
    for kind in ("fact", "preference"):
        for command in ("recall", "search"):
            hits = cli.json(command, "tea", "--prefer", kind)["hits"]
            assert hits[0]["type"] == kind
            assert hits[0]["parts"]["factors"]["type"] == 1.2
            assert "type" not in hits[1]["parts"]["factors"]
    both = cli.json("recall", "tea", "--prefer", "fact", "--prefer", "preference")["hits"]
    assert all(hit["parts"]["factors"]["type"] == 1.2 for hit in both)
    assert "Unknown memory type 'foo'" in cli("recall", "tea", "--prefer", "foo").stderr


def test_various_hits_may_be_wished_for(cli: Cli) -> None:
    for text in ("Jana likes green tea", "Jana likes cold green tea", "Petr has a cupboard full of black tea"):
        cli.store(text, "--type", "preference")
    for command in ("recall", "search"):
        plain = cli.json(command, "tea", "--limit", "2")["hits"]
        various = cli.json(command, "tea", "--limit", "2", "--diverse")["hits"]
        assert ["Jana" in hit["content"] for hit in plain] == [True, True]
        assert ["Jana" in hit["content"] for hit in various] == [True, False]


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


@every("command", ["recall", "search"])
def test_the_help_says_how_a_query_is_read(cli: Cli, command: str) -> None:
    told = " ".join(re.sub("[│─╭╮╰╯]", " ", cli.ok(command, "--help")).split())
    assert '"Quoted phrases", -excluded words and times like "last week" are understood.' in told
