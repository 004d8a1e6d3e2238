"""The names a setting goes by, and what is said about others."""

import json
from pathlib import Path

import pytest

from recollect.settings import (
    Settings,
    load_settings,
)
from recollect.settings.declare import camel_case, environment_name, walk
from tests.settings.common import Write, refusal


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


def test_the_key_for_zai_may_stand_at_the_top(write: Write) -> None:
    for name in ("zaiApiKey", "zai_api_key"):
        assert load_settings(write(f"{name} = 'k1'"), environ={}).embedding.zai_api_key == "k1"


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("zaiApiKey = 'a'\n[embedding]\nzai_api_key = 'b'", "zaiApiKey and embedding.zai_api_key"),
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
        "RECOLLECT_RECALL_LIMTI in the environment. Did you mean RECOLLECT_RECALL_LIMIT or "
        "RECOLLECT_RECALL_FUSION?\n"
        "minScore in an argument. Did you mean recall.min_score, hooks.min_score or forget.min_score?"
    )


def test_one_unknown_name_takes_one_line(write: Write) -> None:
    path = write("[compaction]\narchiveDay = 9")
    expected = f"Unknown setting: compaction.archiveDay in {path}. Did you mean compaction.archive_days?"
    assert refusal(path) == expected


def test_a_removed_name_is_told_apart_from_a_slip(write: Write) -> None:
    path = write("[duplicates]\nnearThreshold = 0.9")
    assert refusal(path).startswith("Unknown setting: duplicates")
    assert "It was removed: nearness no longer decides what is a duplicate. Take it out." in refusal(path)


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
