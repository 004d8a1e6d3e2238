"""What people are told about secrets that are left out."""

import json

import pytest

from tests.cli.conftest import Cli

CODE = "The gate code is 4711"
WITHOUT = "It was kept without the access code: secrets are left out."

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # what is said does not depend on the store


def test_what_was_left_out_is_said(cli: Cli) -> None:
    turn = json.dumps([{"role": "user", "content": CODE}])
    shown = [
        cli.ok("store", CODE),
        cli.ok("store", "The gate code is 4712"),
        cli.ok("say", "c1", "user", CODE),
        cli.ok("after-turn", "--session", "s1", standard_input=turn),
        cli.ok("add", "-", "--name", "house.md", standard_input=CODE),
        cli.ok("update", cli.json("list")["items"][0]["id"], "--content", "The door code is 4713"),
    ]
    assert all(WITHOUT in " ".join(text.split()) and "471" not in text for text in shown), shown
    assert cli.json("store", "The PIN is 4714")["left_out"] == ["PIN"]
