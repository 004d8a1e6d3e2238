"""Where settings come from, and which of them count."""

from pathlib import Path

import platformdirs
import pytest

from recollect.settings import (
    EmbeddingSettings,
    RecallSettings,
    Settings,
    load_settings,
)
from tests.settings.common import Write


def test_without_any_source_the_defaults_hold() -> None:
    loaded = load_settings(environ={})
    assert loaded == Settings()
    assert loaded.database == str(Path(platformdirs.user_data_dir("recollect", appauthor=False)) / "recollect.db")
    assert loaded.embedding == EmbeddingSettings(provider="local", threads=None)
    assert loaded.recall == RecallSettings(limit=5, min_score=0.0, vector_weight=0.45, text_weight=0.55, candidates=400)
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


def test_the_usual_variable_names_a_nominatim_server_unless_our_own_does(write: Write) -> None:
    usual = {"NOMINATIM_URL": "http://usual:8080"}
    loaded = load_settings(environ=usual)
    assert loaded.places.nominatim_url == "http://usual:8080"
    (row,) = (row for row in loaded.describe() if row.name == "places.nominatim_url")
    assert (row.value, row.source) == ("http://usual:8080", "environment variable NOMINATIM_URL")
    config = write('[places]\nnominatim_url = "http://file:8080"\n')
    assert load_settings(config, environ={}).places.nominatim_url == "http://file:8080"
    assert load_settings(config, environ=usual).places.nominatim_url == "http://usual:8080"
    own = {**usual, "RECOLLECT_PLACES_NOMINATIM_URL": "http://own:8080"}
    assert load_settings(config, environ=own).places.nominatim_url == "http://own:8080"
    assert load_settings(environ={**own, "NOMINATIM_URL": ""}).places.nominatim_url == "http://own:8080"
    assert (
        load_settings(environ={**own, "RECOLLECT_PLACES_NOMINATIM_URL": ""}).places.nominatim_url
        == usual["NOMINATIM_URL"]
    )
    assert load_settings(environ={"NOMINATIM_URL": ""}) == Settings()
