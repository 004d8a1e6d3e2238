"""The log of who did what, as the command line writes and shows it, on both stores."""

import re

import apsw
import psycopg

from tests.cli.conftest import Cli
from tests.rows import every


def change(database: str, statement: str) -> None:
    """Do to a store what nobody should."""
    if database.startswith("postgresql"):
        with psycopg.connect(database, autocommit=True) as connection:
            assert connection.execute(statement).rowcount == 1
        return
    connected = apsw.Connection(database)
    connected.execute(statement)
    assert connected.changes() == 1
    connected.close()


def noted(cli: Cli, *typed: str) -> list[tuple[object, ...]]:
    """Give who did what to how many items."""
    return [(line["actor"], line["action"], line["amount"]) for line in cli.json("audit", *typed)["lines"]]


def test_what_is_done_is_noted_with_who_did_it(cli: Cli) -> None:
    key = cli.json("keys", "create", "--user", "anna", "--name", "laptop")
    first = cli.json("--user", "anna", "store", "Anna drinks tea")["id"]
    cli.environment["RECOLLECT_KEY"] = key["secret"]
    second = cli.json("store", "Anna drinks coffee")["id"]
    cli.json("update", second, "--importance", "0.9")
    cli.json("recall", "coffee")
    cli.json("say", "c1", "user", "Hello")
    cli.json("forget", first)
    assert cli("get", first).exit_code == 3
    cli.environment["RECOLLECT_KEY"] = ""
    assert noted(cli, "--for", "anna") == [
        ("local", "store", 1),
        (key["id"], "store", 1),
        (key["id"], "update", 1),
        (key["id"], "say", 1),
        (key["id"], "forget", 1),
    ]
    log = cli.json("--user", "anna", "audit")
    assert log == cli.json("audit", "--for", "anna")
    assert [line["items"][0] for line in log["lines"][:3]] == [first, second, second]
    assert [line["number"] for line in log["lines"]] == [1, 2, 3, 4, 5]
    assert [line["key_name"] for line in log["lines"]] == ["", *["laptop"] * 4]
    assert noted(cli) == [], "nothing was done for the default user"
    assert noted(cli, "--for", "anna", "--last", "2") == noted(cli, "--for", "anna", "--last", "0")[-2:]


def test_people_see_the_same_and_never_what_was_said(cli: Cli) -> None:
    key = cli.json("keys", "create", "--name", "laptop")
    cli.environment["RECOLLECT_KEY"] = key["secret"]
    for number in range(5):
        cli.json("say", "c1", "user", f"Tea number {number}")
    cli.environment["RECOLLECT_KEY"] = ""
    cli.json("forget", "--session", "c1", "--yes")
    shown = cli.ok("audit")
    assert re.search(rf"^1  [\d-]{{10}} [\d:]{{8}}  say · 1 item · laptop \({key['id']}\)$", shown, re.MULTILINE)
    assert re.search(r"^6  .{19}  forget · 5 items · local$", shown, re.MULTILINE)
    assert re.search(r"^ +and 2 more$", shown, re.MULTILINE)
    assert shown.endswith(f"last hash {cli.json('audit')['lines'][-1]['hash']}\n")
    assert "Tea" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert cli.ok("audit", "--for", "ben") == "Nothing was done for ben yet.\n"


def test_what_is_done_with_keys_has_a_log_of_its_own(cli: Cli) -> None:
    assert cli.ok("audit", "--keys") == "Nothing was done with keys yet.\n"
    admin = cli.json("keys", "create", "--scope", "admin")
    cli.environment["RECOLLECT_KEY"] = admin["secret"]
    made = cli.json("keys", "create", "--user", "anna")
    cli.json("keys", "revoke", made["id"])
    log = cli.json("audit", "--keys")
    assert (log["user"], [line["items"] for line in log["lines"]]) == (
        None,
        [[admin["id"]], [made["id"]], [made["id"]]],
    )
    assert [(line["actor"], line["action"]) for line in log["lines"]] == [
        ("local", "keys.create"),
        (admin["id"], "keys.create"),
        (admin["id"], "keys.revoke"),
    ]


TAMPERED = {
    "another actor": ("UPDATE audit_log SET actor = 'nobody' WHERE user_id = '{user}' AND number = 2", 2),
    "another item": ("UPDATE audit_log SET items = '[]' WHERE user_id = '{user}' AND number = 1", 1),
    "a line taken out": ("DELETE FROM audit_log WHERE user_id = '{user}' AND number = 2", 2),
    "a line given to somebody": ("UPDATE audit_log SET user_id = 'ben' WHERE user_id = '{user}' AND number = 1", 1),
}


def test_a_log_that_was_changed_is_found_out(cli: Cli, database: str) -> None:
    cli.json("keys", "create", "--user", "anna")
    users = [f"anna{number}" for number, _ in enumerate(TAMPERED)]
    for user in users:
        for number in range(3):
            cli.json("--user", user, "store", f"Number {number}")
    assert cli.ok("audit", "--verify") == "Every log is as it was written.\n"
    assert cli.json("audit", "--verify") == {"intact": True, "problems": []}
    assert cli.json("doctor")["problems"] == []
    changes = [
        (statement.format(user=user), line, user)
        for user, (statement, line) in zip(users, TAMPERED.values(), strict=True)
    ]
    changes.append(("UPDATE audit_log SET action = 'x' WHERE user_id = '' AND number = 1", 1, "the keys"))
    for statement, line, whose in changes:
        change(database, statement)
        outcome = cli("audit", "--verify")
        assert (outcome.exit_code, outcome.stderr) == (1, "")
        assert f"From line {line} on, the log of {whose} is not as it was written.\n" in outcome.stdout
    document = cli("audit", "--verify", "--json").document
    assert document["intact"] is False
    assert "audit_log" in [problem["check"] for problem in document["problems"]]
    examined = cli("doctor", "--json")
    assert examined.exit_code == 1
    assert [found["advice"] for found in examined.document["problems"] if found["check"] == "audit_log"] == [
        found["advice"] for found in document["problems"]
    ]


def test_that_the_newest_line_is_missing_shows_only_in_a_hash_that_was_kept(cli: Cli, database: str) -> None:
    for number in range(3):
        cli.json("--user", "anna", "store", f"Number {number}")
    kept = cli.json("audit", "--for", "anna")["lines"][-1]["hash"]
    change(database, "DELETE FROM audit_log WHERE user_id = 'anna' AND number = 3")
    assert cli("audit", "--verify").exit_code == 0
    assert kept not in [line["hash"] for line in cli.json("audit", "--for", "anna", "--last", "0")["lines"]]


@every(
    ("typed", "message"),
    [
        (("--for", "anna", "--keys"), "name one of them"),
        (("--verify", "--for", "anna"), "leave out --for and --keys"),
        (("--verify", "--keys"), "leave out --for and --keys"),
        (("--for", ""), "user"),
        (("--last", "-1"), "--last"),
    ],
)
def test_what_cannot_be_shown(cli: Cli, typed: tuple[str, ...], message: str) -> None:
    outcome = cli("audit", *typed)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert message in outcome.stderr
