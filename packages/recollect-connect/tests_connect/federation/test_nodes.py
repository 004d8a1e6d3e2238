"""Which nodes there are, and for whom."""

import pytest
from tests.rows import every

from recollect.errors import InvalidInput, NotPermitted, SettingsError
from recollect_connect.federation import FederationNode, parse_nodes
from recollect_connect.federation.nodes import choose_nodes

LINES = (
    "office url=https://memory.example/ key=rk_office users=anna,ben",
    "home url=http://127.0.0.1:8787/base key=rk_home= users=*",
    "attic url=https://attic.example key=rk_attic",
)


def names(nodes: tuple[FederationNode, ...]) -> list[str]:
    return [node.name for node in nodes]


def test_lines_are_read() -> None:
    office, home, attic = parse_nodes(LINES)
    assert (office.name, office.address, office.key.value) == ("office", "https://memory.example", "rk_office")
    assert office.users == {"anna", "ben"}
    assert (home.address, home.key.value, home.users) == ("http://127.0.0.1:8787/base", "rk_home=", frozenset("*"))
    assert attic.users == frozenset()
    assert parse_nodes(()) == ()


def test_keys_are_not_shown() -> None:
    assert "rk_" not in repr(parse_nodes(LINES))


@every("name", ["local", "all", "none", "-x", "a,b", "a/b", "x" * 65, "node:office"])
def test_names_that_mean_something_else_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=r"federation\.nodes"):
        parse_nodes([f"{name} url=https://memory.example key=rk_secret users=*"])


@every(
    "line",
    [
        "office url=ftp://memory.example key=rk_secret",
        "office url=memory.example key=rk_secret",
        "office url=https://anna:rk_secret@memory.example key=rk_secret",
        "office url=https://memory.example?key=rk_secret key=rk_secret",
        "office url=https://memory.example:0 key=rk_secret",
        "office url=https://memory.example key=rk_secretý",
    ],
)
def test_addresses_and_keys_that_cannot_be_used_are_refused(line: str) -> None:
    with pytest.raises(SettingsError, match="office") as caught:
        parse_nodes([line])
    assert "rk_secret" not in str(caught.value)


def test_two_nodes_of_one_name_are_refused() -> None:
    with pytest.raises(SettingsError, match="two nodes that are called office"):
        parse_nodes([LINES[0], LINES[0]])


@every(
    ("user", "enabled"),
    [("anna", ["home", "office"]), ("ben", ["home", "office"]), ("Anna", ["home"]), ("*", ["home"]), ("an", ["home"])],
)
def test_a_node_is_for_the_users_that_are_named(user: str, enabled: list[str]) -> None:
    assert names(choose_nodes(parse_nodes(LINES), user, None)) == enabled


def test_nodes_are_chosen_by_name() -> None:
    nodes = parse_nodes(LINES)
    assert names(choose_nodes(nodes, "anna", ("office", "home", "office"))) == ["home", "office"]
    assert names(choose_nodes(nodes, "anna", ["local", "office"])) == ["office"]
    assert choose_nodes(nodes, "anna", ()) == choose_nodes(nodes, "anna", ("local",)) == ()


@every("wrong", [("offic",), ("office", "nowhere"), (3,), ("*",), ("",)])
def test_an_unknown_node_is_said_with_the_known_ones(wrong: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match="Nodes for this user: home, office"):
        choose_nodes(parse_nodes(LINES), "anna", wrong)
    with pytest.raises(InvalidInput, match=r"none; federation\.nodes"):
        choose_nodes((), "anna", wrong)


def test_one_text_is_not_several_names() -> None:
    with pytest.raises(InvalidInput, match=r"\('office',\)"):
        choose_nodes(parse_nodes(LINES), "anna", "office")


@every(("user", "name"), [("carl", "office"), ("anna", "attic"), ("*", "office")])
def test_a_node_that_is_not_for_this_user_is_refused(user: str, name: str) -> None:
    with pytest.raises(NotPermitted, match=f"{name} is not enabled"):
        choose_nodes(parse_nodes(LINES), user, (name,))
