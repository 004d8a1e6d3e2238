"""What goes wrong ends with the right exit code and a message, never with a traceback."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect.api.composition
from recollect.embedding import LocalEmbedder
from tests.cli.conftest import Cli
from tests.rows import every

UNKNOWN = "01a1dd60-4566-7800-9cb6-caa8d641c91b"


@every("command", [("get",), ("history",), ("similar",), ("update", "--content", "x"), ("forget",)])
def test_an_unknown_id_is_not_found(cli: Cli, command: tuple[str, ...]) -> None:
    for unknown in (UNKNOWN, "foo", "", "\udcff"):
        outcome = cli(*command, "--", unknown)
        assert outcome.exit_code == 3
        assert "No memory" in outcome.stdout + outcome.stderr
    for_programs = cli("--json", *command, "--", UNKNOWN)
    assert (for_programs.exit_code, for_programs.stderr) == (3, "")
    document = for_programs.document
    if command == ("forget",):
        assert (document["action"], document["ids"]) == ("not_found", [])
    else:
        assert document["error"]["type"] == "NotFound"


BAD_USAGE = {
    "a wrong date": (("recall", "x", "--since", "soon"), "--since is 'soon'; expected 7d, yesterday, last week"),
    "wrong JSON": (("store", "x", "--metadata", "{"), "--metadata is '{'; expected a JSON object"),
    "a list as metadata": (("store", "x", "--metadata", "[1]"), "--metadata is '[1]'; expected a JSON object"),
    "an unknown type": (("store", "x", "--type", "thought"), "Unknown memory type 'thought'. Known types: preference"),
    "an unknown type to look for": (("list", "--type", "thought"), "Unknown memory type 'thought'"),
    "an unknown tier": (("store", "x", "--trust", "blind"), "--trust is 'blind'; expected external (0)"),
    "importance in words": (("store", "x", "--importance", "high"), "Invalid value for '--importance'"),
    "half a place": (("store", "x", "--lat", "50"), "lng is missing"),
    "no text": (("store", "  "), "The content is empty"),
    "no query": (("recall", ""), "The query is empty"),
    "a wrong cursor": (("list", "--cursor", "foo"), "The cursor 'foo' is not one"),
    "nothing to change": (("update", UNKNOWN), "Nothing to change: name at least one option"),
    "nothing to forget": (("forget",), "exactly one of: id, query, session"),
    "too much to forget": (("forget", UNKNOWN, "--query", "x"), "exactly one of: id, query, session"),
    "everything without a terminal": (("forget", "--everything"), "needs --yes"),
    "a missing argument": (("store",), "Missing argument 'TEXT'"),
    "an option in the wrong place": (
        ("count", "--user", "anna"),
        "--user belongs before the command: recollect --user",
    ),
    "an unknown command": (("remember", "x"), "No such command 'remember'. Did you mean 'store'?"),
    "a misspelled command": (("recal", "x"), "No such command 'recal'. Did you mean 'recall'"),
    "no command": ((), "Missing command"),
}


@every(("typed", "message"), BAD_USAGE.values())
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_bad_usage(cli: Cli, typed: tuple[str, ...], message: str) -> None:
    outcome = cli(*typed)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "Error: " in outcome.stderr
    assert message in outcome.stderr
    for_programs = cli("--json", *typed)
    assert (for_programs.exit_code, for_programs.stderr) == (2, "")
    assert message in for_programs.document["error"]["message"]


def test_text_on_standard_input_must_be_utf8(cli: Cli) -> None:
    outcome = cli("store", "-", standard_input=b"caf\xe9")
    assert (outcome.exit_code, outcome.stderr) == (2, "Error: Standard input is not UTF-8: byte 3 cannot be read.\n")


def test_bad_settings_are_bad_usage(tmp_path: Path) -> None:
    config = tmp_path / "recollect.toml"
    config.write_text("[recall]\nlimt = 3\n")
    outcome = Cli("--config", str(config))("count")
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("Error: Unknown setting: recall.limt")
    missing = Cli("--config", str(tmp_path / "none.toml"), "--json")("count")
    assert (missing.exit_code, missing.document["error"]["type"]) == (2, "SettingsError")


def test_settings_come_from_the_file_unless_an_option_says_otherwise(tmp_path: Path, empty_file: Path) -> None:
    shutil.copy(empty_file, tmp_path / "b.db")
    config = tmp_path / "recollect.toml"
    config.write_text(f'user = "anna"\ndatabase = "{tmp_path / "a.db"}"\n')
    with_config = Cli("--config", str(config))
    with_config.store("Something")
    assert with_config.json("stats")["user"] == "anna"
    assert with_config.json("count") == {"count": 1}
    assert Cli("--config", str(config), "--user", "boris").json("count") == {"count": 0}
    assert Cli("--config", str(config), "--database", str(tmp_path / "b.db")).json("count") == {"count": 0}


def test_a_store_that_cannot_be_opened_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    outcome = Cli("--database", str(tmp_path / "file" / "memory.db"))("store", "tea")
    assert outcome.exit_code == 1
    assert "cannot be opened for writing" in outcome.stderr
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"This is no database. " * 1000)
    for_programs = Cli("--database", str(damaged), "--json")("count")
    assert (for_programs.exit_code, for_programs.document["error"]["type"]) == (1, "StoreDamaged")


def test_an_unreachable_server_is_a_failure_and_keeps_its_password() -> None:
    url = "postgresql://anna:s3cret@127.0.0.1:1/memories"
    outcome = Cli("--database", url)("count")
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("Error: Cannot connect to postgresql://anna:***@127.0.0.1:1/memories.")
    for_programs = Cli("--database", url, "--json")("count")
    assert (for_programs.exit_code, for_programs.stderr) == (1, "")
    assert for_programs.document["error"]["type"] == "StoreUnavailable"
    assert "s3cret" not in outcome.stderr + for_programs.stdout


def test_doctor_fails_when_something_is_wrong(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    cli = Cli("--database", str(database))
    cli.store("Something")
    database.chmod(0o644)
    outcome = cli("doctor")
    assert outcome.exit_code == 1
    assert "file_mode: 1" in outcome.stdout
    for_programs = cli("doctor", "--json")
    assert (for_programs.exit_code, for_programs.document["problems"][0]["check"]) == (1, "file_mode")


def test_a_damaged_encoder_is_told_and_made_good(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_meaning: Callable[[Cli], Cli]
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(
            recollect.api.composition, "create_embedding_provider", lambda *_, **__: LocalEmbedder(folder=tmp_path)
        )
        shown = cli.ok("store", "The pasta place by the river was too loud")
        assert "Without vector search: it failed or took too long." in shown
        assert cli.json("recall", "pasta")["degraded"] == ["vector"]
        assert "The pasta place" in cli.ok("recall", "pasta")
        assert "recollect maintain" in cli.ok("status")
        doctor = cli("doctor")
        assert (doctor.exit_code, doctor.stdout.partition(":")[0]) == (1, "embedder")
    with_meaning(cli)
    assert cli.ok("maintain").startswith("Embedded 1 text.\n")
    assert cli.ok("doctor") == "All is well.\n"
    assert cli.json("recall", "a noisy restaurant", "--all")["hits"][0]["similarity"] > 0.3
