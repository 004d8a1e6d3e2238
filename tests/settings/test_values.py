"""What a setting may be, and what is said when it is something else."""

import os
import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from recollect.errors import SettingsError
from recollect.settings import (
    EmbeddingSettings,
    RecallSettings,
    Settings,
    load_settings,
)
from tests.rows import every
from tests.settings.common import Write, refusal


@every(
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
        ("forget.min_score", 2, "2", "a number from 0 to 1"),
        ("forget.margin", -1, "-1", "a number from 0 to 1"),
        ("postgres.pool_size", 101, "101", "a whole number from 1 to 100"),
        ("postgres.connect_timeout_s", 0, "0", "a number from 1 to 3600"),
        ("postgres.giant_user_rows", 0, "0", "a whole number from 1 to 1000000000"),
        ("sqlite.busy_timeout_s", 0.5, "0.5", "a number from 1 to 3600"),
        ("sqlite.reserve_mb", -1, "-1", "a whole number from 0 to 1000000"),
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
        "Unknown embedding provider: foo. Known providers: local, openai, zai, e5, ollama, gemini, openai-compatible, "
        f"none. It is set by embedding.provider in {path}."
    )


def test_the_plugin_calls_a_provider_by_another_name(write: Write) -> None:
    assert load_settings(write("[embedding]\nprovider = 'e5-local'"), environ={}).embedding.provider == "e5"


def test_a_section_must_be_a_table(write: Write) -> None:
    path = write("recall = 5")
    assert refusal(path) == (
        f"recall is 5 (from {path}); expected a table with any of "
        "limit, min_score, fusion, vector_weight, text_weight, rrf_k, rerank, candidates, deadline_s, "
        "time_words, half_life_days, recency_weight, importance_weight, confidence_weight, diversity, scopes, cache."
    )


@every("written", ["message: 7, fact: 365.5", "message: 7\nfact: 365.5", ["message: 7", "fact: 365.5"]])
def test_half_lives_are_read_as_people_write_them(written: object) -> None:
    settings = load_settings(os.devnull, environ={}, overrides={"recall.half_life_days": written})
    assert settings.recall.half_lives() == {"message": 7.0, "fact": 365.5}


@every("written", ["message: soon", "message: 0", "message: -1", "message: inf"])
def test_a_half_life_is_a_number_of_days(written: str) -> None:
    expected = f"recall.half_life_days has {written!r}; after the colon comes a number of days above 0."
    assert refusal(os.devnull, overrides={"recall.half_life_days": written}).startswith(expected)


def test_nothing_fades_when_nothing_is_named() -> None:
    settings = load_settings(os.devnull, environ={"RECOLLECT_RECALL_HALF_LIFE_DAYS": "none"})
    assert settings.recall.half_lives() == {}
    assert "expected a list of texts" in refusal(os.devnull, overrides={"recall.half_life_days": "dream: 3"})


def test_a_time_zone_must_exist() -> None:
    assert "expected the name of a time zone" in refusal(os.devnull, overrides={"timezone": "Mars/Olympus"})


def test_one_of_the_weights_must_count(write: Write) -> None:
    path = write("[recall]\nvector_weight = 0")
    message = refusal(path, {"RECOLLECT_RECALL_TEXT_WEIGHT": "0"})
    assert message == (
        "recall.vector_weight and recall.text_weight are both 0; set one of them above 0. "
        f"This section is set by {path} and environment variable RECOLLECT_RECALL_TEXT_WEIGHT."
    )
    assert load_settings(path, environ={}).recall.vector_weight == 0


@every("off", [None, False, "never", "NEVER", "false", "null"])
def test_archiving_can_be_off(off: object) -> None:
    assert load_settings(environ={}, overrides={"compaction.archive_days": off}).compaction.archive_days is None
    if isinstance(off, str):
        loaded = load_settings(environ={"RECOLLECT_COMPACTION_ARCHIVE_DAYS": off})
        assert loaded.compaction.archive_days is None


@every("auto", [None, "auto", "null"])
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
