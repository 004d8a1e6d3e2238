"""Configuration files, and the variables they refer to."""

from pathlib import Path

import pytest

from recollect.settings import (
    load_settings,
)
from tests.rows import every
from tests.settings.common import Write, refusal


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


def test_variables_are_substituted_in_files_and_arguments(write: Write) -> None:
    environ = {"NAME": "anna", "LIMIT": "7", "EMPTY": ""}
    path = write("user = '${NAME}-${EMPTY}${NAME}'\n[recall]\nlimit = '${LIMIT}'")
    assert load_settings(path, environ=environ).user == "anna-anna"
    assert load_settings(path, environ=environ).recall.limit == 7
    assert load_settings(environ=environ, overrides={"user": "x${NAME}"}).user == "xanna"


@every(
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


@every("broken", ["${", "a${}", "${A-B}", "${A:-b}", "${1}"])
def test_a_broken_reference_is_refused(broken: str) -> None:
    assert refusal(overrides={"user": broken}) == (
        "user in an argument holds a ${ that names no variable; write ${NAME}, or $${ for a ${ that stands for itself."
    )


def test_a_substituted_secret_in_the_wrong_place_is_not_printed(write: Write) -> None:
    path = write("[recall]\nlimit = '${PGPASSWORD}'\n")
    message = refusal(path, {"PGPASSWORD": "geheim"})
    assert message.startswith('recall.limit is "${PGPASSWORD}"')
    assert "geheim" not in message
