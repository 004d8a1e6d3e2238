"""`search --nodes`: nothing leaves the machine unless asked, and every hit says where it is from."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

from tests_connect.federation.server import NodeServer, answer, closed_port, hit, says, sends

KEY = "rk_0123456789_GEHEIM"


@pytest.fixture
def node() -> Iterator[Callable[..., NodeServer]]:
    with ExitStack() as running:
        yield lambda *contents: running.enter_context(NodeServer(*contents))


@pytest.fixture
def database(tmp_path_factory: pytest.TempPathFactory, empty_file: Path) -> str:
    """One store is enough: the other nodes are what this is about."""
    return str(shutil.copy(empty_file, tmp_path_factory.mktemp("nodes") / "memory.db"))


def connect(cli: Cli, users: str = "default", **nodes: NodeServer | str) -> None:
    lines = [
        f"{name} url={other if isinstance(other, str) else other.url} key={KEY} users={users}"
        for name, other in nodes.items()
    ]
    cli.environment |= {"RECOLLECT_FEDERATION_NODES": "\n".join(lines), "RECOLLECT_FEDERATION_BUDGET_S": "20"}


def test_nothing_is_sent_unless_asked(cli: Cli, node: Callable[..., NodeServer]) -> None:
    office = node("Tea in the office")
    connect(cli, office=office)
    cli.store("Tea at home")
    plain = cli.json("search", "tea")
    assert [hit["content"] for hit in plain["hits"]] == ["Tea at home"]
    assert cli.json("search", "tea", "--nodes", "none") == plain
    assert cli.ok("search", "tea", "--nodes", "none", "--explain") == cli.ok("search", "tea", "--explain")
    cli.ok("recall", "tea")
    assert office.requests == []


def test_programs_get_hits_labelled_by_node(cli: Cli, node: Callable[..., NodeServer]) -> None:
    office, attic = node("Tea in the office", "tea AT home."), node("Tea in the attic")
    connect(cli, office=office, attic=attic, dead=closed_port())
    mine = cli.store("Tea at home", "--type", "fact")
    found = cli.json("search", "tea", "--nodes", "all")
    assert set(found) == {"hits", "degraded", "nodes"}
    assert [(hit["node"], hit["rank"], hit["content"], hit["trust"], hit["also_in"]) for hit in found["hits"]] == [
        ("local", 1, "Tea at home", 3, ["office"]),
        ("attic", 1, "Tea in the attic", 0, []),
        ("office", 1, "Tea in the office", 0, []),
    ]
    assert found["hits"][0]["id"] == mine
    assert set(found["hits"][1]) == {
        "node", "rank", "id", "source", "type", "content", "score", "created_at", "occurred_at", "trust", "also_in",
        "where", "place",
    }  # fmt: skip
    assert found["hits"][1]["created_at"] == "2026-02-27T10:00:00Z"
    assert found["degraded"] == ["node:dead"]
    assert [(told["name"], told["state"], told["hits"]) for told in found["nodes"]] == [
        ("attic", "answered", 1),
        ("dead", "failed", 0),
        ("office", "answered", 2),
    ]
    assert KEY not in str(found)


def test_people_see_where_in_the_world_a_hit_was(cli: Cli, node: Callable[..., NodeServer]) -> None:
    connect(cli, office=node("Tea in the office"))
    cli.store("Tea in Vienna", "--lat", "48.2082", "--lng", "16.3738", "--place", "café")
    shown = [line.strip() for line in cli.ok("search", "tea", "--nodes", "all").splitlines()]
    assert [line for line in shown if line.startswith("at ")] == ["at café (48.2082, 16.3738)"]


@pytest.mark.usefixtures("steady_clock")
def test_people_see_where_each_hit_is_from_and_who_is_missing(cli: Cli, node: Callable[..., NodeServer]) -> None:
    office, attic = node(), node("Tea at home", "Tea in the attic")
    office.behave(sends(b"{}", 401))
    attic.behave(says(answer([hit("Tea at home"), hit("Tea\x1b[2J \x9b2Jupstairs")], degraded=["vector"])))
    connect(cli, office=office, attic=attic)
    mine = cli.store("Tea at home", "--type", "fact")
    shown = cli.ok("search", "tea", "--nodes", "attic,office").splitlines()
    assert shown[0] == "1.  Tea at home"
    text = " ".join(" ".join(shown).split())
    assert (
        "2. Tea[2J 2Jupstairs 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 attic · memory · fact · 2026-02-27 · 50 % there"
        in text
    )
    assert re.search(rf"{mine} local · memory · fact · just now · \d+ % · also in attic 2\.", text)
    assert "The node attic searched without vector." in text
    assert "Without the node office: it does not accept the key (status 401)." in text
    assert "\x1b" not in text
    assert "\x9b" not in text


def test_only_the_named_nodes_are_asked(cli: Cli, node: Callable[..., NodeServer]) -> None:
    office, attic = node("Tea in the office"), node("Tea in the attic")
    connect(cli, office=office, attic=attic)
    assert [hit["node"] for hit in cli.json("search", "tea", "--nodes", " attic ")["hits"]] == ["attic"]
    assert (len(office.requests), len(attic.requests)) == (0, 1)
    assert attic.requests[0].body == {"query": "tea", "limit": 10}


def test_what_cannot_be_asked_is_refused_before_anything_is_sent(cli: Cli, node: Callable[..., NodeServer]) -> None:
    office = node("Tea in the office")
    connect(cli, users="anna", office=office)
    refused = cli("search", "tea", "--nodes", "office")
    assert refused.exit_code == 1
    assert "The node office is not enabled for the user 'default', so nothing was sent." in refused.stderr
    unknown = cli("--user", "anna", "search", "tea", "--nodes", "offic,office", "--json")
    assert (unknown.exit_code, unknown.document["error"]["type"]) == (2, "InvalidInput")
    assert unknown.document["error"]["message"] == "Unknown node 'offic'. Nodes for this user: office."
    for wrong in ("", "office,", "all,office", "none,office"):
        assert cli("--user", "anna", "search", "tea", "--nodes", wrong).exit_code == 2
    assert "No other node was asked" in cli.ok("search", "tea", "--nodes", "all")
    assert office.requests == []


@pytest.mark.parametrize(
    "option",
    [
        ("--since", "7d"), ("--until", "today"), ("--source", "memory"), ("--session", "s"), ("--current", "c"),
        ("--prefer", "fact"), ("--diverse",), ("--around", "1"), ("--min-score", "0.5"), ("--explain",),
    ],
)  # fmt: skip
def test_what_other_nodes_are_not_told_is_not_dropped_silently(
    cli: Cli, node: Callable[..., NodeServer], option: tuple[str, ...]
) -> None:
    office = node("Tea in the office")
    connect(cli, office=office)
    outcome = cli("search", "tea", "--nodes", "all", *option)
    assert outcome.exit_code == 2
    assert f"{option[0]} does not go with --nodes" in outcome.stderr
    assert office.requests == []


def test_keys_of_nodes_are_not_shown(cli: Cli, node: Callable[..., NodeServer]) -> None:
    connect(cli, office=node(), dead=closed_port())
    everything = [
        cli.ok("status"),
        str(cli.json("status")),
        cli.ok("search", "tea", "--nodes", "all"),
        str(cli.json("search", "tea", "--nodes", "all")),
    ]
    assert all(KEY not in shown for shown in everything)
    assert "office url=http://127.0.0.1:" in everything[1]
    cli.environment["RECOLLECT_FEDERATION_NODES"] = f"office url=https://h key={KEY} {KEY}"
    wrong = cli("search", "tea")
    assert wrong.exit_code == 2
    assert KEY not in wrong.stdout + wrong.stderr
