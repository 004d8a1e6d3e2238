"""What people are told about secrets that are left out."""

import json

import pytest

from tests.cli.conftest import Cli

CODE = "The gate code is 58203917"
WITHOUT = "It was kept without the access code: secrets are left out."

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # what is said does not depend on the store


def test_what_was_left_out_is_said(cli: Cli) -> None:
    turn = json.dumps([{"role": "user", "content": CODE}])
    shown = [
        cli.ok("store", CODE),
        cli.ok("store", "The gate code is 58203918"),
        cli.ok("say", "c1", "user", CODE),
        cli.ok("after-turn", "--session", "s1", standard_input=turn),
        cli.ok("add", "-", "--name", "house.md", standard_input=CODE),
        cli.ok("update", cli.json("list")["items"][0]["id"], "--content", "The door code is 58203919"),
    ]
    assert all(WITHOUT in " ".join(text.split()) and "582039" not in text for text in shown), shown
    assert cli.json("store", "The PIN is 4714")["left_out"] == ["PIN"]


def test_a_person_keeps_a_secret_and_sees_it(cli: Cli) -> None:
    shown = " ".join(cli.ok("store", CODE, "--keep-secret").split())
    assert "Remembered. It was kept with the access code, encrypted: `recollect get " in shown
    assert WITHOUT not in shown
    (kept,) = cli.json("list")["items"]
    pages = [
        cli.ok("get", kept["id"]),
        cli.ok("recall", "gate code"),
        cli.ok("list"),
        cli.ok("--json", "get", kept["id"]),
    ]
    assert all("[kept secret: access code]" in page and "58203917" not in page for page in pages)
    assert "sealed" not in pages[0]
    assert CODE in cli.ok("get", kept["id"], "--reveal")
    assert cli.json("get", kept["id"], "--reveal")["content"] == CODE
    cli.ok("update", kept["id"], "--content", "The gate code is 58203918", "--keep-secret")
    assert "58203918" in cli.ok("get", kept["id"], "--reveal")
    cli.ok("fact", "safe", "pin", "9981", "--keep-secret")
    assert cli.json("facts", "safe")["items"][0]["value"] == "[kept secret: credential]"
    assert "To keep it, say it again with --keep-secret." in " ".join(cli.ok("store", "The PIN is 4714").split())
