"""Settings: where they come from, which of them count, and what is said when one is wrong.

Run this file as a program to write the table of all settings into docs/settings.md.
"""

import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from urllib.parse import unquote

import platformdirs
import psycopg
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from recollect import settings as public
from recollect.errors import SettingsError
from recollect.settings import (
    DuplicateSettings,
    EmbeddingSettings,
    RecallSettings,
    Settings,
    hide_password,
    load_settings,
    settings_table,
)
from recollect.settings.database import _split
from recollect.settings.declare import camel_case, environment_name, walk

DOCS = Path(__file__).parents[1] / "docs" / "settings.md"
TABLE = re.compile(r"(?<=<!-- settings -->\n).*(?=<!-- /settings -->)", re.DOTALL)

Write = Callable[[str], Path]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings of whoever runs the tests out of them."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str, name: str = "recollect.toml") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def refusal(
    config: Path | str | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> str:
    """Load settings that are wrong, and give the message."""
    with pytest.raises(SettingsError) as caught:
        load_settings(config, environ=environ or {}, overrides=overrides)
    return str(caught.value)


# Where settings come from


def test_without_any_source_the_defaults_hold() -> None:
    loaded = load_settings(environ={})
    assert loaded == Settings()
    assert loaded.database == str(Path(platformdirs.user_data_dir("recollect", appauthor=False)) / "recollect.db")
    assert loaded.embedding == EmbeddingSettings(provider="local", threads=None)
    assert loaded.recall == RecallSettings(limit=5, min_score=0.0, vector_weight=0.45, text_weight=0.55, candidates=400)
    assert loaded.duplicates.near_threshold == 0.95
    assert (loaded.forget.min_score, loaded.forget.margin) == (0.6, 0.15)
    assert (loaded.postgres.pool_size, loaded.postgres.connect_timeout_s) == (4, 10.0)
    assert loaded.postgres.giant_user_rows == 10_000
    assert loaded.sqlite.busy_timeout_s == 10.0
    assert loaded.user == "default"


@pytest.mark.parametrize(
    ("file", "variable", "argument", "expected", "source"),
    [
        (None, None, None, 5, "default"),
        (6, None, None, 6, "FILE"),
        (None, "7", None, 7, "environment variable RECOLLECT_RECALL_LIMIT"),
        (None, None, 8, 8, "an argument"),
        (6, "7", None, 7, "environment variable RECOLLECT_RECALL_LIMIT"),
        (6, None, 8, 8, "an argument"),
        (None, "7", 8, 8, "an argument"),
        (6, "7", 8, 8, "an argument"),
        (6, "", None, 6, "FILE"),
    ],
)
def test_precedence(  # noqa: PLR0917 - one column of the table each
    write: Write, file: int | None, variable: str | None, argument: int | None, expected: int, source: str
) -> None:
    config = write("" if file is None else f"[recall]\nlimit = {file}")
    environ = {} if variable is None else {"RECOLLECT_RECALL_LIMIT": variable}
    overrides = {} if argument is None else {"recall": {"limit": argument}}
    loaded = load_settings(config, environ=environ, overrides=overrides)
    assert loaded.recall.limit == expected
    row = next(row for row in loaded.describe() if row.name == "recall.limit")
    assert (row.value, row.source) == (str(expected), source.replace("FILE", str(config)))


def test_sources_complement_each_other(write: Write) -> None:
    loaded = load_settings(
        write("[recall]\nlimit = 6\ncandidates = 100"),
        environ={"RECOLLECT_RECALL_MIN_SCORE": "0.2"},
        overrides={"recall.limit": 7},
    )
    assert loaded.recall == RecallSettings(limit=7, min_score=0.2, candidates=100)


def test_the_file_is_the_argument_or_the_variable_or_the_users_own(write: Write, tmp_path: Path) -> None:
    own = Path(platformdirs.user_config_dir("recollect", appauthor=False)) / "recollect.toml"
    own.parent.mkdir(parents=True)
    own.write_text("user = 'own'")
    named, given_ = write('user = "named"'), tmp_path / "given.toml"
    given_.write_text("user = 'given'")
    environ = {"RECOLLECT_CONFIG": str(named)}
    assert load_settings(environ={}).user == "own"
    assert load_settings(environ={"RECOLLECT_CONFIG": ""}).user == "own"
    assert load_settings(environ=environ).user == "named"
    assert load_settings(given_, environ=environ).user == "given"
    assert load_settings(str(given_), environ=environ).user == "given"


def test_a_file_may_be_named_from_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mine.toml").write_text("user = 'me'")
    assert load_settings("~/mine.toml", environ={}).user == "me"


@pytest.mark.parametrize("name", ["settings.json", "settings.JSON", "settings", "settings.toml"])
def test_json_is_known_by_its_name_or_its_first_character(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('\n {"recall": {"limit": 9}}')
    assert load_settings(path, environ={}).recall.limit == 9


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_text("user = 'me'", encoding="utf-8-sig")
    assert load_settings(path, environ={}).user == "me"


def test_without_a_mapping_the_process_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_USER", "somebody")
    assert load_settings().user == "somebody"


def test_overrides_are_nested_or_dotted() -> None:
    dotted = {"recall.limit": 3, "recall.minScore": 0.1, "database.database": "m", "database.host": "h"}
    nested = {"recall": {"limit": 3, "min_score": 0.1}, "database": {"database": "m", "host": "h"}}
    mixed = {"recall": {"limit": 3}, "recall.min_score": 0.1, "database": {"host": "h"}, "database.database": "m"}
    loaded = [load_settings(environ={}, overrides=overrides) for overrides in (dotted, nested, mixed)]
    assert loaded[0] == loaded[1] == loaded[2]
    assert loaded[0].recall == RecallSettings(limit=3, min_score=0.1)
    assert mixed["recall"] == {"limit": 3}, "the caller's mapping stays as it was"


# Names


def test_every_setting_goes_by_snake_case_and_camel_case(tmp_path: Path) -> None:
    rows = Settings().describe()
    for spelled in (str, camel_case):
        table: dict[str, object] = {}
        for row in rows:
            section, _, name = row.name.rpartition(".")
            inner = table.setdefault(spelled(section), {}) if section else table
            assert isinstance(inner, dict)
            inner[spelled(name)] = row.value
        path = tmp_path / "all.json"
        path.write_text(json.dumps(table))
        assert load_settings(path, environ={}) == Settings()


def test_no_two_settings_share_a_name() -> None:
    paths = [path for path, _ in walk(Settings)]
    variables = {environment_name(path) for path in paths}
    assert len(variables) == len(paths)
    assert "RECOLLECT_CONFIG" not in variables


def test_an_alias_is_the_same_setting(write: Write) -> None:
    assert load_settings(write("userId = 'me'"), environ={}).user == "me"
    assert load_settings(write("user_id = 'me'"), environ={}).user == "me"


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("[recall]\nminScore = 0.1\nmin_score = 0.1", "recall.minScore and recall.min_score"),
        ("user = 'a'\nuserId = 'b'", "user and userId"),
    ],
)
def test_two_spellings_of_one_setting_are_refused(write: Write, content: str, names: str) -> None:
    path = write(content)
    assert refusal(path) == f"{names} are the same setting (in {path}); keep one of them."


def test_an_argument_given_twice_is_refused() -> None:
    twice = {"recall": {"limit": 1}, "recall.limit": 2}
    assert refusal(overrides=twice) == "recall.limit is given by an argument twice; keep one of them."
    both = {"database": "a.db", "database.host": "h"}
    assert refusal(overrides=both) == "database is given by an argument both as a whole and in parts; keep one of them."


def test_all_unknown_names_stand_in_one_message(write: Write) -> None:
    path = write("[recal]\nlimit = 3\n[recall]\nlimt = 3\n[database]\ndatabase = 'm'\npasword = 'geheim'")
    message = refusal(path, {"RECOLLECT_RECALL_LIMTI": "3"}, {"minScore": 1})
    assert message == (
        "Unknown settings:\n"
        f"recal in {path}. Did you mean recall?\n"
        f"recall.limt in {path}. Did you mean recall.limit?\n"
        f"database.pasword in {path}. Did you mean database.password?\n"
        "RECOLLECT_RECALL_LIMTI in the environment. Did you mean RECOLLECT_RECALL_LIMIT?\n"
        "minScore in an argument. Did you mean recall.min_score, hooks.min_score or forget.min_score?"
    )


def test_one_unknown_name_takes_one_line(write: Write) -> None:
    path = write("[duplicates]\nnearTreshold = 0.9")
    expected = f"Unknown setting: duplicates.nearTreshold in {path}. Did you mean duplicates.near_threshold?"
    assert refusal(path) == expected


def test_an_unknown_name_that_resembles_none_brings_the_list(write: Write) -> None:
    path = write("colour = 'blue'")
    known = ", ".join(path for path, _ in walk(Settings))
    assert refusal(path) == f"Unknown setting:\ncolour in {path}.\nKnown settings: {known}."


def test_other_peoples_variables_are_left_alone() -> None:
    kubernetes = {
        "RECOLLECT_SERVICE_HOST": "10.0.0.1",
        "RECOLLECT_SERVICE_PORT": "8787",
        "RECOLLECT_SERVICE_PORT_HTTP": "8787",
        "RECOLLECT_PORT": "tcp://10.0.0.1:8787",
        "RECOLLECT_PORT_8787_TCP": "tcp://10.0.0.1:8787",
        "RECOLLECT_PORT_8787_TCP_ADDR": "10.0.0.1",
    }
    others = {"PATH": "/bin", "RECOLLECTION": "x", "MY_RECOLLECT_FOO": "x", "RECOLLECT_FOO": ""}
    assert load_settings(environ=kubernetes | others) == Settings()


# Values


@pytest.mark.parametrize(
    ("name", "value", "shown", "expected"),
    [
        ("recall.limit", 0, "0", "a whole number from 1 to 100"),
        ("recall.limit", 101, "101", "a whole number from 1 to 100"),
        ("recall.limit", 2.5, "2.5", "a whole number from 1 to 100"),
        ("recall.limit", True, "true", "a whole number from 1 to 100"),
        ("recall.limit", "many", '"many"', "a whole number from 1 to 100"),
        ("recall.limit", "x" * 500, f'"{"x" * 80}…"', "a whole number from 1 to 100"),
        ("recall.limit", "9" * 5000, f'"{"9" * 80}…"', "a whole number from 1 to 100"),
        ("recall.limit", None, "null", "a whole number from 1 to 100"),
        ("recall.limit", {"a": 1}, "a table", "a whole number from 1 to 100"),
        ("recall.limit", [1], "a list", "a whole number from 1 to 100"),
        ("recall.limit", float("inf"), "inf", "a whole number from 1 to 100"),
        ("recall.min_score", 1.01, "1.01", "a number from 0 to 1"),
        ("recall.min_score", float("nan"), "nan", "a number from 0 to 1"),
        ("recall.min_score", 10**400, f"{10**400:d}"[:80] + "…", "a number from 0 to 1"),
        ("recall.min_score", False, "false", "a number from 0 to 1"),
        ("recall.vector_weight", -0.1, "-0.1", "a number from 0 to 1000"),
        ("recall.candidates", 49, "49", "a whole number from 50 to 10000"),
        ("recall.candidates", 10_001, "10001", "a whole number from 50 to 10000"),
        ("embedding.threads", 0, "0", "a whole number from 1 to 1024, or auto"),
        ("embedding.threads", False, "false", "a whole number from 1 to 1024, or auto"),
        ("duplicates.near_threshold", 0, "0", "a number above 0 and up to 1, or off"),
        ("duplicates.near_threshold", 1.5, "1.5", "a number above 0 and up to 1, or off"),
        ("duplicates.near_threshold", True, "true", "a number above 0 and up to 1, or off"),
        ("forget.min_score", 2, "2", "a number from 0 to 1"),
        ("forget.margin", -1, "-1", "a number from 0 to 1"),
        ("postgres.pool_size", 101, "101", "a whole number from 1 to 100"),
        ("postgres.connect_timeout_s", 0, "0", "a number from 1 to 3600"),
        ("postgres.giant_user_rows", 0, "0", "a whole number from 1 to 1000000000"),
        ("sqlite.busy_timeout_s", 0.5, "0.5", "a number from 1 to 3600"),
        ("user", "", '""', "a text that is not empty"),
        ("user", 7, "7", "a text that is not empty"),
        ("user", "a\0b", '"a\0b"', "a text without control characters, in valid Unicode"),
        ("user", "\ud800", '"\ud800"', "a text without control characters, in valid Unicode"),
        ("database", "", '""', "a path, a postgresql:// URL, or a table with its parts"),
        ("database", 7, "7", "a path, a postgresql:// URL, or a table with its parts"),
        ("database", None, "null", "a path, a postgresql:// URL, or a table with its parts"),
        ("database", "a\nb", '"a\nb"', "a text without control characters, in valid Unicode"),
        ("database", "folder/", '"folder/"', "the path of a file, not of a folder"),
        ("database", "~no-such-user/a.db", '"~no-such-user/a.db"', "a path below a home folder that exists"),
        ("database", "mysql://u:pw@h/d", '"mysql://***"', "a path, or a URL that starts with postgresql://"),
        ("database", "sqlite:///a.db", '"sqlite:///***"', "a path, or a URL that starts with postgresql://"),
        ("database", "host=h password=pw", '"***"', "a path, or a URL that starts with postgresql://"),
        ("database", ["postgresql://u:pw@h"], "a list", "a path, a postgresql:// URL, or a table with its parts"),
        ("database", Path("user:pw@host"), "***", "a path, or a URL that starts with postgresql://"),
        ("database", "user:pw@host/db", '"***"', "a path, or a URL that starts with postgresql://"),
        ("database.port", 0, "0", "a whole number from 1 to 65535"),
        ("database.host", "", '""', "a text that is not empty"),
        ("database.ssl", "maybe", '"maybe"', "true or false"),
        ("database.ssl", 1, "1", "true or false"),
        ("database.password", 1234, "***", "a text"),
        ("database.password", "a\0b", '"***"', "a text without control characters, in valid Unicode"),
    ],
)
def test_a_value_out_of_place_is_refused(name: str, value: object, shown: str, expected: str) -> None:
    others = {"database.database": "m"} if name.startswith("database.") else {}
    message = refusal(overrides={name: value, **others})
    assert message == f"{name} is {shown} (from an argument); expected {expected}."


def test_a_refusal_names_the_file_and_the_spelling(write: Write) -> None:
    path = write("[recall]\nminScore = 7")
    assert refusal(path) == f"recall.minScore is 7 (from {path}); expected a number from 0 to 1."


def test_a_refusal_names_the_variable() -> None:
    assert refusal(environ={"RECOLLECT_RECALL_LIMIT": "lots"}) == (
        'recall.limit is "lots" (from environment variable RECOLLECT_RECALL_LIMIT); '
        "expected a whole number from 1 to 100."
    )


def test_an_unknown_provider_is_refused_with_the_known_ones(write: Write) -> None:
    path = write("[embedding]\nprovider = 'foo'")
    assert refusal(path) == (
        f"Unknown embedding provider: foo. Known providers: local, none. It is set by embedding.provider in {path}."
    )


def test_a_section_must_be_a_table(write: Write) -> None:
    path = write("recall = 5")
    assert refusal(path) == (
        f"recall is 5 (from {path}); expected a table with any of "
        "limit, min_score, vector_weight, text_weight, candidates."
    )


def test_one_of_the_weights_must_count(write: Write) -> None:
    path = write("[recall]\nvector_weight = 0")
    message = refusal(path, {"RECOLLECT_RECALL_TEXT_WEIGHT": "0"})
    assert message == (
        "recall.vector_weight and recall.text_weight are both 0; set one of them above 0. "
        f"This section is set by {path} and environment variable RECOLLECT_RECALL_TEXT_WEIGHT."
    )
    assert load_settings(path, environ={}).recall.vector_weight == 0


@pytest.mark.parametrize("off", [None, False, "off", "OFF", "false", "null"])
def test_near_duplicate_detection_can_be_off(off: object) -> None:
    assert load_settings(environ={}, overrides={"duplicates.near_threshold": off}).duplicates.near_threshold is None
    assert DuplicateSettings(near_threshold=None).near_threshold is None
    if isinstance(off, str):
        loaded = load_settings(environ={"RECOLLECT_DUPLICATES_NEAR_THRESHOLD": off})
        assert loaded.duplicates.near_threshold is None


@pytest.mark.parametrize("auto", [None, "auto", "null"])
def test_threads_can_be_automatic(auto: object) -> None:
    assert load_settings(environ={}, overrides={"embedding.threads": auto}).embedding.threads is None


def test_settings_made_in_code_are_checked_as_well() -> None:
    with pytest.raises(SettingsError, match=r"^RecallSettings\.limit is 0; expected a whole number from 1 to 100\.$"):
        RecallSettings(limit=0)
    with pytest.raises(SettingsError, match="both 0"):
        RecallSettings(vector_weight=0, text_weight=0)
    with pytest.raises(
        SettingsError, match=r"^Unknown embedding provider: foo\. Known .* EmbeddingSettings\.provider\.$"
    ):
        EmbeddingSettings(provider="foo")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"^Settings\.database is"):
        replace(Settings(), database="")


def test_settings_are_values() -> None:
    loaded = load_settings(environ={}, overrides={"user": "me"})
    assert loaded == Settings(user="me")
    assert hash(loaded) == hash(Settings(user="me"))
    assert pickle.loads(pickle.dumps(loaded)) == loaded  # noqa: S301 - made a moment ago
    with pytest.raises(FrozenInstanceError):
        loaded.user = "you"  # type: ignore[misc]


# The configuration file


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    assert refusal(missing) == f"Configuration file {missing} does not exist; it was named by an argument."
    assert refusal(environ={"RECOLLECT_CONFIG": str(missing)}) == (
        f"Configuration file {missing} does not exist; it was named by environment variable RECOLLECT_CONFIG."
    )


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"Configuration file {tmp_path} cannot be read: Is a directory."


@pytest.mark.parametrize(
    ("name", "content", "line", "start"),
    [
        ("a.toml", b"user = 'me'\n[recall\n", 2, "not valid TOML. Expected ']'"),
        ("a.toml", b"user = 'me'\nuser = 'you'\n", 2, "not valid TOML. Cannot overwrite a value"),
        ("a.toml", b"user = 'me'\nx = [1,", 2, "not valid TOML."),
        ("a.toml", b"user = 'me'\nx = '\xff'", 2, "expected text in UTF-8."),
        ("a.json", b'{\n "user":\n}', 3, "not valid JSON."),
        ("a.json", b"[1]", 1, "expected a JSON object, which starts with {."),
    ],
)
def test_a_malformed_file_is_refused_with_the_line(
    tmp_path: Path, name: str, content: bytes, line: int, start: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert refusal(path).startswith(f"{path}, line {line}: {start}")


def test_json_may_not_repeat_a_key(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"recall": {"limit": 1, "limit": 2}}')
    assert refusal(path) == f"{path}: not valid JSON. The key limit occurs twice in one object."


@pytest.mark.parametrize(("name", "content"), [("a.json", '{"a":' * 100_000), ("a.toml", "a = " + "[" * 100_000)])
def test_a_bottomless_file_is_refused(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert "not valid" in refusal(path)


# Substitution


def test_variables_are_substituted_in_files_and_arguments(write: Write) -> None:
    environ = {"NAME": "anna", "LIMIT": "7", "EMPTY": ""}
    path = write("user = '${NAME}-${EMPTY}${NAME}'\n[recall]\nlimit = '${LIMIT}'")
    assert load_settings(path, environ=environ).user == "anna-anna"
    assert load_settings(path, environ=environ).recall.limit == 7
    assert load_settings(environ=environ, overrides={"user": "x${NAME}"}).user == "xanna"


@pytest.mark.parametrize(
    ("written", "read"),
    [("$${NAME}", "${NAME}"), ("$$${NAME}", "$${NAME}"), ("a$b$$c{d}", "a$b$$c{d}"), ("${A}", "${NAME}")],
)
def test_what_is_not_substituted(written: str, read: str) -> None:
    environ = {"NAME": "anna", "A": "${NAME}"}
    assert load_settings(environ=environ, overrides={"user": written}).user == read


def test_a_variable_of_ours_is_taken_literally() -> None:
    assert load_settings(environ={"RECOLLECT_USER": "${NAME}"}).user == "${NAME}"


def test_a_missing_variable_is_named_with_what_refers_to_it(write: Write) -> None:
    path = write("[database]\ndatabase = 'm'\npassword = '${PGPASSWORD}'")
    assert refusal(path) == (f"Environment variable PGPASSWORD is not set; database.password in {path} refers to it.")


def test_what_is_overridden_needs_no_variable(write: Write) -> None:
    path = write("[database]\ndatabase = 'm'\npassword = '${PGPASSWORD}'")
    assert load_settings(path, environ={"RECOLLECT_DATABASE": "/a.db"}).database == "/a.db"


@pytest.mark.parametrize("broken", ["${", "a${}", "${A-B}", "${A:-b}", "${1}"])
def test_a_broken_reference_is_refused(broken: str) -> None:
    assert refusal(overrides={"user": broken}) == (
        "user in an argument holds a ${ that names no variable; write ${NAME}, or $${ for a ${ that stands for itself."
    )


def test_a_substituted_secret_in_the_wrong_place_is_not_printed(write: Write) -> None:
    path = write("[recall]\nlimit = '${PGPASSWORD}'\n")
    message = refusal(path, {"PGPASSWORD": "geheim"})
    assert message.startswith('recall.limit is "${PGPASSWORD}"')
    assert "geheim" not in message


# The database


def test_a_path_is_expanded_and_starts_from_the_file(write: Write, tmp_path: Path) -> None:
    environ = {"FOLDER": "sub"}
    for written, read in [
        ("a.db", str(tmp_path / "a.db")),
        ("${FOLDER}/a.db", str(tmp_path / "sub" / "a.db")),
        ("/var/a.db", "/var/a.db"),
        ("~/a.db", str(tmp_path / "home" / "a.db")),
        (":memory:", ":memory:"),
        ("user@host.db", str(tmp_path / "user@host.db")),
    ]:
        assert load_settings(write(f"database = '{written}'"), environ=environ).database == read
    assert load_settings(environ={"RECOLLECT_DATABASE": "a.db"}).database == "a.db"
    assert load_settings(environ={"RECOLLECT_DATABASE": " ~/a.db\n"}).database == str(tmp_path / "home" / "a.db")
    assert load_settings(environ={}, overrides={"database": Path("a.db")}).database == "a.db"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("postgresql://h/d", "postgresql://h/d"),
        ("postgres://u:p%40s@h:5/d?sslmode=require", "postgresql://u:p%40s@h:5/d?sslmode=require"),
        ("postgresql:///d?host=/run/postgresql", "postgresql:///d?host=/run/postgresql"),
        ("postgresql://u@[::1]:5432,h2,%2Frun/d", "postgresql://u@[::1]:5432,h2,%2Frun/d"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_a_url_is_kept(write: Write, written: str, read: str) -> None:
    assert load_settings(write(f"database = '{written}'"), environ={}).database == read


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:p@ss@h/d",
        "postgresql://me@corp:pw@h/d",
        "postgresql://u:12/34@h/d",
        "postgresql://u:pa/ss@h/d",
        "postgresql://u:100%@h/d",
        "postgresql://u:%ff@h/d",
        "postgresql://u:%00@h/d",
        "postgresql://u:p w@h/d",
        "postgresql://u:p?w@h/d",
        "postgresql://h?options=a@b",
        "postgresql://h:port/d",
        "postgresql://h/d/e",
    ],
)
def test_a_url_that_could_be_misread_is_refused_without_being_shown(url: str) -> None:
    assert refusal(overrides={"database": url}) == (
        'database is "postgresql://***" (from an argument); expected postgresql://user:password@host:port/database '
        "with special characters percent-encoded (@ as %40, / as %2F), "
        "or a table with the parts, which may hold any character."
    )


@pytest.mark.parametrize(
    ("parts", "url"),
    [
        ({"database": "m"}, "postgresql://localhost:5432/m"),
        ({"host": "h", "database": "m", "user": "u"}, "postgresql://u@h:5432/m"),
        (
            {"host": "h", "port": "6", "database": "m", "user": "u", "password": "p@s/s:w%?#[ ]ö", "ssl": True},
            "postgresql://u:p%40s%2Fs%3Aw%25%3F%23%5B%20%5D%C3%B6@h:6/m?sslmode=require",
        ),
        ({"host": "::1", "database": "m", "password": ""}, "postgresql://[::1]:5432/m"),
        ({"host": "/run/pg", "database": "a b", "ssl": "no"}, "postgresql://%2Frun%2Fpg:5432/a%20b"),
        ({"database": "m", "password": "p"}, "postgresql://:p@localhost:5432/m"),
    ],
)
def test_the_parts_make_a_url(parts: dict[str, object], url: str) -> None:
    assert load_settings(environ={}, overrides={"database": parts}).database == url


def test_a_table_replaces_a_path_and_a_path_a_table(write: Write) -> None:
    table = write("[database]\ndatabase = 'm'")
    assert load_settings(table, environ={}, overrides={"database": "a.db"}).database == "a.db"
    environ = {"RECOLLECT_DATABASE": "a.db"}
    loaded = load_settings(table, environ=environ, overrides={"database": {"database": "n"}})
    assert loaded.database == "postgresql://localhost:5432/n"


def test_a_server_needs_a_database(write: Write) -> None:
    path = write("[database]\nhost = 'h'")
    assert refusal(path) == f"database.database is missing (in {path}); it has no default."


PLAIN_TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20)
FILLED_TEXT = PLAIN_TEXT.filter(lambda text: text.strip() != "")


@given(password=FILLED_TEXT, user=FILLED_TEXT, name=FILLED_TEXT, host=FILLED_TEXT.filter(lambda text: ":" not in text))
def test_postgresql_reads_the_parts_as_they_were_given(password: str, user: str, name: str, host: str) -> None:
    parts = {"host": host, "database": name, "user": user, "password": password}
    overrides = {"database": {key: escaped(value) for key, value in parts.items()}}
    url = load_settings(os.devnull, environ={}, overrides=overrides).database
    read = {"host": host, "dbname": name, "user": user, "password": password, "port": "5432"}
    assert conninfo_to_dict(url) == read
    assert conninfo_to_dict(hide_password(url)) == read | {"password": "***"}


@given(st.text(st.sampled_from("ab1:@/?&=%[],.# "), max_size=30))
def test_what_is_taken_for_the_password_is_the_password(rest: str) -> None:
    """Congruence with libpq on anything that is accepted, so that hiding never hides the wrong part."""
    url = f"postgresql://{rest}"
    match = _split(url)
    assume(match)
    assert match
    try:
        read = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return
    assert (read.get("password") or "") == unquote(match["password"] or "")
    assert (read.get("dbname") or "") == unquote(match["database"] or "")


# What people see


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("/home/me/a.db", "/home/me/a.db"),
        (r"C:\Users\me@corp\a.db", r"C:\Users\me@corp\a.db"),
        (":memory:", ":memory:"),
        ("postgresql://h/d", "postgresql://h/d"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql://u:geheim@h:5/d", "postgresql://u:***@h:5/d"),
        ("postgres://u:geheim@h/d?sslmode=require", "postgres://u:***@h/d?sslmode=require"),
        ("postgresql://h/d?user=u&password=geheim&a=b", "postgresql://h/d?user=u&password=***&a=b"),
        ("postgresql://u:geheim@h/d?sslpassword=geheim", "postgresql://u:***@h/d?sslpassword=***"),
        ("postgresql://u:ge@heim@h/d", "postgresql://***"),
        ("host=h password=geheim", "***"),
    ],
)
def test_hide_password(location: str, shown: str) -> None:
    assert hide_password(location) == shown


def test_no_password_is_shown_anywhere() -> None:
    url = "postgresql://u:geheim@h/d?sslpassword=geheim"
    loaded = load_settings(environ={"RECOLLECT_DATABASE": url})
    assert loaded.database == url
    assert "geheim" not in f"{loaded!r} {loaded} {loaded.describe()}"
    assert "postgresql://u:***@h/d" in repr(loaded)
    assert "geheim" not in repr(Settings(database=url))


def test_repr_shows_every_section() -> None:
    shown = repr(Settings(database="a.db"))
    assert shown.startswith("Settings(database='a.db', user='default', auto_capture='true', auto_recall='true', ")
    assert "embedding=EmbeddingSettings(provider='local', " in shown
    assert shown.endswith("sqlite=SqliteSettings(busy_timeout_s=10.0))")


def test_describe_says_what_was_changed_afterwards() -> None:
    loaded = load_settings(environ={"RECOLLECT_USER": "me", "RECOLLECT_RECALL_LIMIT": "7"})
    changed = replace(loaded, user="you", embedding=EmbeddingSettings(threads=2))
    rows = {row.name: row for row in changed.describe()}
    assert (rows["user"].value, rows["user"].source) == ("you", "an argument")
    assert (rows["embedding.threads"].value, rows["embedding.threads"].source) == ("2", "an argument")
    assert rows["recall.limit"].source == "environment variable RECOLLECT_RECALL_LIMIT"
    assert rows["forget.margin"].source == "default"
    assert rows["forget.margin"].help
    assert rows["embedding.provider"].default == "local"


def test_public_names() -> None:
    assert sorted(public.__all__) == public.__all__
    assert all(hasattr(public, name) for name in public.__all__)


def test_importing_is_cheap() -> None:
    """Every command starts with this import, so nothing slow may creep in."""
    program = "import sys, recollect.settings; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    slow = {"numpy", "pydantic", "platformdirs", "tomllib", "psycopg", "apsw", "rich", "typer", "onnxruntime"}
    assert slow.isdisjoint(loaded)


# Any valid value survives the way through a file and through the environment

SHARES = st.floats(0, 1)
SECONDS = st.floats(1, 3600)
VALUES: dict[str, st.SearchStrategy[object]] = {
    "database": st.from_regex(r"/[a-z0-9 =@._-]{1,20}", fullmatch=True).filter(lambda path: path == path.strip()),
    "user": FILLED_TEXT,
    "auto_capture": st.booleans(),
    "auto_recall": st.booleans(),
    "session_summaries": st.booleans(),
    "redact_secrets": st.booleans(),
    "embedding.provider": st.sampled_from(["local", "none"]),
    "embedding.threads": st.integers(1, 1024) | st.none(),
    "recall.limit": st.integers(1, 100),
    "recall.min_score": SHARES,
    "recall.vector_weight": st.floats(0, 1000),
    "recall.text_weight": st.floats(0, 1000, exclude_min=True),
    "recall.candidates": st.integers(50, 10_000),
    "capture.limit": st.integers(0, 20),
    "capture.patterns": st.just(()) | st.just(("preference: (?i)my favou?rite",)),
    "capture.extractor": st.sampled_from(["rules", "llm"]),
    "hooks.items": st.integers(1, 5),
    "hooks.min_score": SHARES,
    "hooks.budget_s": st.floats(0.01, 60),
    "compaction.auto": st.booleans(),
    "compaction.window_tokens": st.integers(400_000, 10_000_000),
    "compaction.trigger_share": st.floats(0.1, 1),
    "compaction.max_messages": st.integers(4, 100_000),
    "compaction.keep_recent": st.integers(0, 1_000),
    "compaction.summary_tokens": st.integers(50, 32_000),
    "compaction.summarizer": st.sampled_from(["extractive", "llm"]),
    "compaction.idle_hours": st.floats(0, 100_000),
    "compaction.archive_days": st.floats(0, 100_000) | st.none(),
    "llm.base_url": FILLED_TEXT,
    "llm.model": FILLED_TEXT,
    "llm.api_key": FILLED_TEXT,
    "llm.timeout_s": st.floats(0.1, 600),
    "llm.retries": st.integers(0, 10),
    "llm.tokens_per_day": st.integers(0, 10**12),
    "duplicates.near_threshold": st.floats(0, 1, exclude_min=True) | st.none(),
    "forget.min_score": SHARES,
    "forget.margin": SHARES,
    "postgres.pool_size": st.integers(1, 100),
    "postgres.connect_timeout_s": SECONDS,
    "postgres.giant_user_rows": st.integers(1, 10**9),
    "sqlite.busy_timeout_s": SECONDS,
}


def test_every_setting_is_among_the_values_tried() -> None:
    assert list(VALUES) == [path for path, _ in walk(Settings)]


NOTHING = {"embedding.threads": "auto", "compaction.archive_days": "never"}


def as_toml(name: str, value: object) -> str:
    if value is None:
        value = NOTHING.get(name, "off")
    return f"{name} = {json.dumps(escaped(value), ensure_ascii=False)}"


def escaped(value: object) -> object:
    return value.replace("${", "$${") if isinstance(value, str) else value


def as_text(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return "\n".join(value) or "none"
    return NOTHING.get(name, "off") if value is None else str(value)


@given(st.fixed_dictionaries({}, optional=VALUES))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_valid_value_round_trips(tmp_path: Path, values: dict[str, object]) -> None:
    overrides = {name: escaped(value) for name, value in values.items()}
    expected = load_settings(os.devnull, environ={}, overrides=overrides)
    path = tmp_path / "any.toml"
    path.write_text("\n".join(as_toml(name, value) for name, value in values.items()), encoding="utf-8")
    assert load_settings(path, environ={}) == expected
    variables = {environment_name(name): as_text(name, value) for name, value in values.items()}
    assert load_settings(os.devnull, environ=variables) == expected
    for name, value in values.items():
        section, _, field = name.rpartition(".")
        assert getattr(getattr(expected, section) if section else expected, field) == value


# Documentation


def test_the_examples_in_the_documentation_work(tmp_path: Path) -> None:
    examples = re.findall(r"```(toml|json)\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    loaded = []
    for position, (language, content) in enumerate(examples):
        path = tmp_path / f"{position}.{language}"
        path.write_text(content, encoding="utf-8")
        loaded.append(load_settings(path, environ={"PGPASSWORD": "p@ss"}))
    toml, as_json, sqlite, url = loaded
    assert toml == as_json
    assert toml.database == "postgresql://anna:p%40ss@db.example.org:5432/memories?sslmode=require"
    assert toml.recall == RecallSettings(limit=10, text_weight=0.7, vector_weight=0.3)
    assert toml.duplicates.near_threshold is None
    assert sqlite.database == str(tmp_path / "home" / "memories" / "recollect.db")
    assert hide_password(url.database) == "postgresql://anna:***@db.example.org/memories?sslmode=verify-full"


def test_the_documentation_lists_every_setting() -> None:
    documented = TABLE.search(DOCS.read_text(encoding="utf-8"))
    assert documented
    assert documented[0].strip() == settings_table(), "run `python tests/test_settings.py` to renew the table"


if __name__ == "__main__":
    DOCS.write_text(
        TABLE.sub(lambda _: f"\n{settings_table()}\n\n", DOCS.read_text(encoding="utf-8")), encoding="utf-8"
    )
