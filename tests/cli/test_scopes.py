"""Shared scopes on the command line: members by an admin, and a scope that is named before a command."""

import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def family(cli: Cli) -> Cli:
    """A scope that Anna writes and Ben reads."""
    cli.ok("scope", "add", "family", "anna", "--role", "writer")
    cli.ok("scope", "add", "family", "ben")
    cli.ok("--user", "anna", "--scope", "family", "store", "The family cooks a roast on Sundays")
    return cli


def test_members_store_and_find_what_is_shared(family: Cli) -> None:
    assert "shared in family by anna" in family.ok("--user", "ben", "recall", "roast")
    (hit,) = family.json("--user", "anna", "recall", "roast")["hits"]
    assert (hit["scope"], hit["author"]) == ("family", "anna")
    assert family.json("--user", "anna", "list")["items"] == []
    assert len(family.json("--user", "ben", "--scope", "family", "list")["items"]) == 1
    for command in ("recall", "search"):
        found = {
            scopes: len(family.json("--user", "ben", command, "roast", "--scopes", scopes)["hits"])
            for scopes in ("all", "none", "family")
        }
        assert found == {"all": 1, "none": 0, "family": 1}
        assert family("--user", "ben", command, "roast", "--scopes", "team").exit_code == 3
    assert family.ok("--user", "ben", "scope", "mine").split() == ["family", "reader"]
    assert family.ok("--user", "eve", "scope", "mine") == "No shared scopes.\n"


def test_all_others_are_refused(family: Cli) -> None:
    reader = family("--user", "ben", "--scope", "family", "store", "The roast is burnt")
    assert (reader.exit_code, "writer" in reader.stderr) == (1, True)
    for name in ("family", "nothing"):
        other = family("--user", "eve", "--scope", name, "list")
        assert other.exit_code != 0
        assert f"You are a member of no shared scope '{name}'" in other.stderr
    assert family.json("--user", "eve", "recall", "roast")["hits"] == []
    assert "scope:" in family("--user", "scope:family", "list").stderr
    assert "--scope means nothing" in family("--user", "anna", "--scope", "family", "keys", "list").stderr
    family.ok("scope", "remove", "family", "ben")
    assert family("--user", "ben", "--scope", "family", "list").exit_code != 0
    assert family.json("--user", "ben", "recall", "roast")["hits"] == []


def test_an_admin_lists_and_deletes_scopes(family: Cli) -> None:
    assert "anna (writer), ben (reader)" in family.ok("scope", "list")
    assert [member["user_id"] for member in family.json("scope", "members", "family")["members"]] == ["anna", "ben"]
    assert "reader" in family.ok("scope", "members", "family")
    assert family("scope", "members", "nothing").exit_code != 0
    assert "--yes" in family("scope", "delete", "family").stderr
    assert family.ok("scope", "delete", "family", "--yes") == "Deleted family, with 1 item.\n"
    assert "No shared scopes yet" in family.ok("scope", "list")
    assert family("scope", "add", "two words", "anna").exit_code != 0
    assert family("scope", "add", "family", "anna", "--role", "owner").exit_code != 0
