"""Making, listing and revoking keys at the command line, on both stores."""

import hashlib
import re
from pathlib import Path

from tests.cli.conftest import Cli
from tests.rows import every

SECRET = re.compile(r"rk_([0-9a-f]{16})_([\w-]{43})")


def test_a_key_is_shown_once_with_what_it_is_for(cli: Cli) -> None:
    shown = cli.ok("keys", "create", "--user", "anna", "--name", "laptop", "--expires", "90d")
    found = SECRET.findall(shown)
    assert len(found) == 1
    assert shown.startswith("A key for anna: read, write, forget. It expires at 20")
    assert "it cannot be shown again" in shown
    assert f"To take it back: recollect keys revoke {found[0][0]}\n" in shown
    cli.environment["RECOLLECT_KEY"] = SECRET.search(shown)[0]  # type: ignore[index]
    assert cli.json("stats")["user"] == "anna"


def test_a_key_for_programs_is_one_document(cli: Cli) -> None:
    made = cli.json("keys", "create", "--user", "anna", "--name", "laptop", "--scope", "write", "--scope", "read")
    assert SECRET.fullmatch(made["secret"])
    assert (made["name"], made["user"], made["scopes"]) == ("laptop", "anna", ["read", "write"])
    assert (made["state"], made["expires_at"], made["last_used_at"]) == ("live", None, None)
    assert made["secret"].startswith(f"rk_{made['id']}_")
    assert cli.json("keys", "create", "--scopes", "read,forget")["scopes"] == ["read", "forget"]
    until = cli.json("keys", "create", "--expires", "2100-01-01T00:00+00:00")
    assert until["expires_at"] == "2100-01-01T00:00:00Z"
    assert cli.json("keys", "create", "--expires", "2w")["expires_at"] > until["created_at"]


def test_whose_key_it_is(cli: Cli) -> None:
    create = ("keys", "create")
    assert cli.json(*create)["user"] == "default"
    assert cli.json("--user", "anna", *create)["user"] == "anna"
    assert cli.json("--user", "anna", *create, "--user", "ben")["user"] == "ben"
    assert cli.json(*create, "--scope", "admin")["user"] is None
    cli.environment["RECOLLECT_USER"] = "cora"
    assert cli.json(*create)["user"] == "cora"
    assert cli.json(*create, "--scope", "admin")["user"] is None
    refused = cli(*create, "--scope", "admin", "--user", "anna")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "An admin's key is for every user" in refused.stderr


BAD_USAGE = {
    "an unknown scope": (("--scope", "delete"), "Unknown scope: delete. Scopes are: read, write, forget, admin."),
    "no scope": (("--scopes", ","), "A key without a scope opens nothing."),
    "a wrong time": (("--expires", "soon"), "--expires is 'soon'; expected 90d, never, or a date or time such as"),
    "a time that is over": (("--expires", "2020-01-01"), "The key would expire at "),
    "too long a span": (("--expires", "99999999999999d"), "--expires is '99999999999999d'; expected a shorter span."),
    "a user without a name": (("--user", ""), "A key belongs to a user."),
    "a name that is no line": (("--name", "a\nb\x1b[2J"), "A key's name has at most 100 characters"),
}


@every("case", BAD_USAGE)
def test_a_key_that_cannot_be_made(cli: Cli, case: str) -> None:
    typed, message = BAD_USAGE[case]
    outcome = cli("keys", "create", *typed)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    assert cli.json("keys", "list") == {"keys": []}


def test_the_list_tells_everything_but_the_secret(cli: Cli) -> None:
    assert cli.ok("keys", "list") == "No keys yet. `recollect keys create --user NAME` makes one.\n"
    laptop = cli.json("keys", "create", "--user", "anna", "--name", "laptop", "--expires", "2100-01-01")
    admin = cli.json("keys", "create", "--scope", "admin")
    cli.json("keys", "revoke", admin["id"])
    cli.environment["RECOLLECT_KEY"] = laptop["secret"]
    cli.json("count")
    cli.environment["RECOLLECT_KEY"] = ""
    document = cli.json("keys", "list")["keys"]
    assert [(key["id"], key["name"], key["user"], key["state"]) for key in document] == [
        (laptop["id"], "laptop", "anna", "live"),
        (admin["id"], "", None, "revoked"),
    ]
    assert document[0]["last_used_at"] >= laptop["created_at"]
    assert document[1]["revoked_at"] >= admin["created_at"]
    shown = cli.ok("keys", "list")
    assert f"{laptop['id']}  live     laptop · anna · read write forget\n" in shown
    assert re.search("made [^·]+ · used [^·]+ · expires 2100-01-01\n", shown)
    assert f"{admin['id']}  revoked  all users · admin\n" in shown
    assert re.search("made [^·]+ · never used · revoked [^·]+\n", shown)
    for said in (shown, cli("keys", "list", "--json").stdout):
        assert not SECRET.search(said)


def test_a_revoked_key_opens_nothing_from_that_moment_on(cli: Cli) -> None:
    made = cli.json("keys", "create", "--user", "anna")
    owner, holder = cli.environment, {**cli.environment, "RECOLLECT_KEY": made["secret"]}
    cli.environment = holder
    assert cli("count").exit_code == 0
    cli.environment = owner
    shown = cli.ok("keys", "revoke", made["id"])
    assert shown == f"Revoked: anna · read write forget. From now on it opens nothing.\n{made['id']}\n"
    cli.environment = holder
    outcome = cli("count")
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == "Error: There is no such key, or it was revoked, or its time is over.\n"
    cli.environment = owner
    first = cli.json("keys", "list")["keys"][0]
    assert cli.json("keys", "revoke", made["id"]) == first, "twice is fine, and changes nothing"


def test_a_key_is_revoked_by_how_its_id_begins_or_by_itself(cli: Cli) -> None:
    made = [cli.json("keys", "create", "--user", "anna") for _ in range(17)]
    starts = [key["id"][0] for key in made]
    shared = next(start for start in starts if starts.count(start) > 1)  # 17 ids begin with one of 16 letters
    outcome = cli("keys", "revoke", shared)
    assert outcome.exit_code == 2
    assert f"{starts.count(shared)} keys begin with {shared}: " in outcome.stderr
    assert {key["state"] for key in cli.json("keys", "list")["keys"]} == {"live"}
    assert cli.json("keys", "revoke", made[0]["id"][:12].upper())["id"] == made[0]["id"]
    assert cli.json("keys", "revoke", made[1]["secret"])["id"] == made[1]["id"]


def test_an_unknown_key_is_not_found_and_not_repeated(cli: Cli) -> None:
    made = cli.json("keys", "create", "--user", "anna")
    secret = made["secret"].rpartition(f"{made['id']}_")[2]
    for unknown in ("0" * 17, "", "  ", "rk_", "xyz", "\udcff", secret, f"rk_{'g' * 16}_{secret}"):
        outcome = cli("keys", "revoke", "--", unknown)
        assert (outcome.exit_code, outcome.stdout) == (3, ""), unknown
        assert secret[:20] not in outcome.stderr
        assert cli("keys", "revoke", "--json", "--", unknown).document["error"]["type"] == "NotFound"
    assert cli.json("keys", "list")["keys"][0]["state"] == "live"


def test_secrets_are_neither_shown_nor_on_the_disk(tmp_path: Path) -> None:
    cli = Cli("--database", str(tmp_path / "memory.db"))
    made = [cli.json("keys", "create", "--user", "anna"), cli.json("keys", "create", "--scope", "admin")]
    typed = (("status",), ("doctor",), ("audit",), ("audit", "--keys"), ("store", "x"), ("keys", "list"), ("nonsense",))
    said = ""
    for key in made:
        cli.environment["RECOLLECT_KEY"] = key["secret"]
        for words in typed:
            for form in ((), ("--json",)):
                outcome = cli(*words, *form)
                said += outcome.stdout + outcome.stderr
    cli.environment["RECOLLECT_KEY"] = ""
    cli.json("keys", "revoke", made[0]["id"])
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for key in made:
        secret = key["secret"].removeprefix(f"rk_{key['id']}_")
        assert key["id"] in said
        assert secret not in said
        assert key["id"].encode() in stored
        assert secret.encode() not in stored
        assert hashlib.sha256(secret.encode()).hexdigest().encode() in stored


def test_a_link_to_the_page_is_where_this_machine_reaches_it(cli: Cli) -> None:
    assert "works once, within ten minutes" in cli.ok("--user", "anna", "open", "--print")
    (own,) = cli.json("keys", "list")["keys"]
    assert (own["user"], own["scopes"]) == ("anna", ["read", "write", "forget"])
    assert cli.json("keys", "revoke", own["id"])["state"] == "revoked"
    for host, shown in (("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("::", "[::1]")):
        cli.environment["RECOLLECT_SERVE_HOST"] = host
        assert cli.json("open")["link"].startswith(f"http://{shown}:8787/#login=rl_l")
    assert cli.json("open", "--url", "https://memory.example.org/")["link"].startswith(
        "https://memory.example.org/#login="
    )
    (_, first, *_) = cli.json("keys", "list")["keys"]
    assert (first["name"], first["scopes"]) == ("link to the page", ["admin"])
