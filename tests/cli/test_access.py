"""Who may type what: every command, by whoever may ask for it. The table of commands is the application's own."""

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path

import pytest

from recollect import Memory, load_settings
from recollect.cli.permissions import CommandPermissions, require_permission
from recollect.errors import NotPermitted, UnknownKey
from recollect.model.literals import PERMISSIONS, Permission
from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli, Outcome
from tests.cli.reference import application, commands, permissions
from tests.fixtures import SteppingClock
from tests.program import Program
from tests.rows import every, read_rows
from tests.sizes import sized

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
MADE_UP = f"rk_{'0' * 16}_{'A' * 43}"

# How each command is typed here. `{id}` is a memory of anna's, `{said}` a message in her conversation c1.
TYPED: Mapping[str, tuple[str, ...]] = {
    command: tuple(shlex.split(words)) for command, words in read_rows(Path(__file__).with_name("typed.tsv"))
}
SERVERS = {"serve"}  # they open the store for themselves, and call `require_permission` before
DECLARED: Mapping[str, CommandPermissions] = permissions()
# They need no permission, and say why.
FREE = {"demo", "distribute", "e5-server", "hook", "install", "mcp", "new-key", "repair", "restore", "uninstall"}


@dataclass(frozen=True)
class House:
    """A store with something of anna's in it, and keys to it."""

    cli: Cli
    database: str
    keys: Mapping[str, str]
    places: Mapping[str, str]

    def __call__(self, key: str, command: str, *, user: str = "") -> Outcome:
        """Type a command with a key."""
        self.cli.environment["RECOLLECT_KEY"] = key
        words = [word.format(**self.places) for word in TYPED[command]]
        return self.cli(*(["--user", user] if user else []), *command.split(), *words, "--json")

    def doings(self) -> tuple[object, ...]:
        """What was done so far: the logs, and how much there is."""
        with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=_plain(self.database))) as memory:
            logs = (
                memory.operations.audit_log("anna"),
                memory.operations.audit_log("ben"),
                memory.operations.audit_log(),
            )
            return (*logs, memory.user("anna").stats(), memory.user("ben").stats())


def _plain(database: str) -> dict[str, str]:
    return {"database": database, "embedding.provider": "none"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    database = str(folder / "memory.db")
    settings = load_settings(os.devnull, environ={}, overrides=_plain(database))
    with Memory.open(settings=settings, clock=SteppingClock(LONG_AGO)) as memory:
        expired = memory.keys.create(user="anna", expires_at=LONG_AGO + timedelta(days=1)).secret
    with Memory.open(settings=settings) as memory:
        anna = memory.user("anna")
        made, said = anna.remember("Anna drinks tea"), anna.conversation("c1").append("user", "Tea, please").id
        assert said
        keys: dict[str, str] = {}
        for scope in PERMISSIONS[:3]:
            keys[scope] = memory.keys.create(user="anna", scopes=(scope,)).secret
        keys |= {"admin": memory.keys.create(scopes=("admin",)).secret, "ben": memory.keys.create(user="ben").secret}
        revoked = memory.keys.create(user="anna")
        memory.keys.revoke(revoked.key.id)
    keys |= {"expired": expired, "revoked": revoked.secret, "made up": MADE_UP, "no key at all": "hello"}
    keys |= {"another secret": keys["read"][:-5] + "AAAAA"}
    places = {"id": made.id, "said": said, **_written(folder)}
    return House(Cli("--database", database), database, keys, places)


def _written(folder: Path) -> dict[str, str]:
    """Write what commands read, and say where it is."""
    texts = {
        "turn.json": '[{"role": "user", "content": "Hello"}]',
        "notes/tea.md": "# Tea\n\nGreen, at 80 degrees.\n",
        "document.txt": "The kettle is in the kitchen.\n",
        "lines.jsonl": '{"user": "anna", "content": "Likes tea"}\n',
        "export.json": '[{"id": "1", "memory": "Likes tea", "user_id": "anna"}]',
        "openclaw/MEMORY.md": "- Likes tea\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    named = {"turn": "turn.json", "document": "document.txt", "export": "export.json"}
    named |= {"lines": "lines.jsonl", "notes": "notes", "openclaw": "openclaw", "archive": "archive.zip"}
    return {name: str(folder / path) for name, path in named.items()}


def error_of(outcome: Outcome) -> str:
    """Give the type of an error, or nothing."""
    found = outcome.document.get("error", {}) if isinstance(outcome.document, dict) else {}
    return str(found.get("type", "")) if isinstance(found, dict) else ""


def test_every_command_declares_its_permissions_or_why_it_needs_none() -> None:
    for command, declared in DECLARED.items():
        assert bool(declared.always) != bool(declared.free), command
        assert {*declared.always, *declared.when_given.values()} <= set(PERMISSIONS), command
    assert {command for command, declared in DECLARED.items() if declared.free} == FREE
    assert DECLARED.keys() - SERVERS - FREE == TYPED.keys()


def test_options_with_a_permission_of_their_own_exist() -> None:
    for name, command in commands(application()):
        assert DECLARED[name].when_given.keys() <= {parameter.name for parameter in command.params}


@pytest.mark.parametrize("scope", PERMISSIONS)
def test_a_key_opens_what_its_scope_says_and_nothing_else(house: House, scope: Permission) -> None:
    before = house.doings()
    for command in [*TYPED][PERMISSIONS.index(scope) % sized(2, 1) :: sized(2, 1)]:  # by day in turn
        needs = DECLARED[command].always[0]
        if scope in (needs, "admin"):
            continue
        outcome = house(house.keys[scope], command)
        assert (outcome.exit_code, error_of(outcome), outcome.stderr) == (1, "NotPermitted", ""), command
        assert f"`{needs}`" in outcome.document["error"]["message"]
    assert house.doings() == before, "something was done that was refused"
    for command in TYPED:
        if DECLARED[command].always == (scope,) or scope == "admin":  # others need more than one scope
            outcome = house(house.keys[scope], command, user="anna")
            refusals = ("", "InvalidInput", "InvalidMemory", "SettingsError", "NotFound")
            assert error_of(outcome) in refusals, command


def test_what_is_no_key_opens_nothing_and_nobody_learns_why(house: House) -> None:
    before = house.doings()
    said = set()
    no_keys = ("expired", "revoked", "made up", "another secret", "no key at all")
    tried = [*zip(TYPED, cycle(no_keys)), *(("list", key) for key in no_keys)]
    for command, key in tried:
        outcome = house(house.keys[key], command)
        assert (outcome.exit_code, error_of(outcome), outcome.stderr) == (1, "UnknownKey", ""), (command, key)
        assert house.keys[key] not in outcome.stdout
        said.add(outcome.stdout)
    assert said == {house(MADE_UP, "list").stdout}
    assert house.doings() == before


def test_a_key_of_another_user_is_refused_whatever_is_typed(house: House) -> None:
    before = house.doings()
    for command in [*TYPED][:: sized(3, 1)]:
        outcome = house(house.keys["ben"], command, user="anna")
        assert (outcome.exit_code, error_of(outcome)) == (1, "NotPermitted"), command
    assert house.doings() == before


def test_without_a_key_whoever_can_open_the_store_may_do_everything(house: House) -> None:
    for command in [*TYPED][:: sized(5, 1)]:
        outcome = house("", command, user="anna")
        assert error_of(outcome) not in ("UnknownKey", "NotPermitted"), command


def test_an_option_that_changes_something_needs_more(house: House) -> None:
    needed = DECLARED["conversation"].needed
    assert needed({"private": None}) == ("read",)
    assert needed({"private": False}) == ("read", "write")
    house.cli.environment["RECOLLECT_KEY"] = house.keys["read"]
    assert house.cli("conversation", "c1").exit_code == 0
    assert house.cli("conversation", "c1", "--private").exit_code == 1
    house.cli.environment["RECOLLECT_KEY"] = house.keys["write"]
    assert house.cli("conversation", "c2", "--private").exit_code == 1
    house.cli.environment["RECOLLECT_KEY"] = house.keys["ben"]
    assert house.cli("conversation", "c2", "--private").exit_code == 0


def test_naming_a_place_and_taking_the_name_back_need_more_than_looking_at_it(house: House) -> None:
    nothing = dict.fromkeys(("spot", "near", "address", "forget"))
    needed = DECLARED["place"].needed
    assert needed(nothing) == ("read",)
    assert needed({**nothing, "spot": "49.2,16.6"}) == ("read", "write")
    assert needed({**nothing, "forget": True}) == ("read", "forget")
    house.cli.environment["RECOLLECT_KEY"] = house.keys["read"]
    refusals = (("home", "49.2,16.6"), ("home", "--near", "Brno"), ("home", "--address", "x"), ("home", "--forget"))
    for typed in refusals:
        assert "This needs a key with the scope" in house.cli("place", *typed).stderr
    house.cli.environment["RECOLLECT_KEY"] = house.keys["write"]
    for words in (("store", "x", "--at", "home"), ("say", "c1", "user", "x", "--from", "home")):
        assert "This needs a key with the scope `read`" in house.cli(*words).stderr
    house.cli.environment["RECOLLECT_KEY"] = house.keys["ben"]
    assert house.cli("place", "home", "49.2,16.6").exit_code == 0
    assert house.cli("place", "home", "--forget").exit_code == 0


def test_a_server_is_only_started_with_a_key_for_everything(house: House) -> None:
    for name, error in (("read", NotPermitted), ("ben", NotPermitted), ("revoked", UnknownKey)):
        settings = load_settings(os.devnull, environ={}, overrides={**_plain(house.database), "key": house.keys[name]})
        with pytest.raises(error):
            require_permission(settings, *DECLARED["serve"].always)
    for key in ("", house.keys["admin"]):
        settings = load_settings(os.devnull, environ={}, overrides={**_plain(house.database), "key": key})
        require_permission(settings, *DECLARED["serve"].always)


@every(
    ("key", "user", "exit_code"),
    [("read", "", 0), ("read", "anna", 0), ("read", "ben", 1), ("revoked", "", 1), ("admin", "ben", 0)],
)
def test_serving_an_agent_follows_the_same_rules(house: House, key: str, user: str, exit_code: int) -> None:
    named = ("--user", user) if user else ()
    environment = {**os.environ, **PLAIN_ENVIRONMENT, "RECOLLECT_KEY": house.keys[key]}
    typed, pipe = ("--database", house.database, *named, "mcp"), subprocess.PIPE
    with Program(*typed, env=environment, stdin=pipe, stdout=pipe, stderr=pipe) as program:
        shown, errors = program.communicate(b"")
    assert (program.returncode, shown) == (exit_code, b"")
    assert errors.startswith(b"Error: ") is bool(exit_code)
    assert house.keys[key].encode() not in errors


# On both stores


def test_a_key_decides_whose_memories_whatever_the_settings_say(cli: Cli) -> None:
    made = cli.json("--user", "anna", "store", "Anna drinks tea")["id"]
    anna = cli.json("keys", "create", "--user", "anna")["secret"]
    ben = cli.json("keys", "create", "--user", "ben")["secret"]
    cli.environment |= {"RECOLLECT_KEY": anna, "RECOLLECT_USER": "ben"}
    assert cli.json("get", made)["content"] == "Anna drinks tea"
    assert cli.json("stats")["user"] == "anna"
    cli.environment |= {"RECOLLECT_KEY": ben, "RECOLLECT_USER": "anna"}
    assert cli.json("count") == {"count": 0}
    for typed in (
        ("get", made),
        ("history", made),
        ("similar", made),
        ("update", made, "--content", "x"),
        ("forget", made),
    ):
        outcome = cli(*typed)
        assert (outcome.exit_code, "No memory" in outcome.stdout + outcome.stderr) == (3, True)
    refused = cli("--user", "anna", "get", made)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == ("Error: This key belongs to another user. Leave out the user, or use a key of theirs.\n")


def test_an_admin_works_for_whom_they_name_or_for_the_user_of_the_settings(cli: Cli) -> None:
    cli.environment["RECOLLECT_KEY"] = cli.json("keys", "create", "--scope", "admin")["secret"]
    cli.json("--user", "anna", "store", "Anna drinks tea")
    cli.environment["RECOLLECT_USER"] = "ben"
    assert cli.json("stats")["user"] == "ben"
    assert cli.json("--user", "anna", "count") == {"count": 1}


def test_a_key_may_stand_in_the_configuration_file(cli: Cli, tmp_path: Path) -> None:
    secret = cli.json("keys", "create", "--user", "anna", "--scopes", "read")["secret"]
    file = tmp_path / "recollect.toml"
    file.write_text(f'key = "{secret}"\n', encoding="utf-8")
    assert cli.json("--config", str(file), "stats")["user"] == "anna"
    refused = cli("--config", str(file), "store", "x")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == "Error: This needs a key with the scope `write`; yours has: read.\n"
