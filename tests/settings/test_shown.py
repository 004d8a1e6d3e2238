"""What people see of settings, and what they never see."""

import subprocess
import sys
from dataclasses import replace

from recollect import settings as public
from recollect.settings import (
    EmbeddingSettings,
    Settings,
    hide_password,
    load_settings,
)
from tests.rows import every


@every(
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
    loaded = load_settings(environ={"RECOLLECT_DATABASE": url, "RECOLLECT_POSTGRES_REPLICAS": f"{url}1 {url}2"})
    assert loaded.database == url
    assert loaded.postgres.replicas == (f"{url}1", f"{url}2")
    assert "geheim" not in f"{loaded!r} {loaded} {loaded.describe()}"
    assert "postgresql://u:***@h/d" in repr(loaded)
    assert "geheim" not in repr(Settings(database=url))


def test_repr_shows_every_section() -> None:
    shown = repr(Settings(database="a.db"))
    assert shown.startswith(
        "Settings(database='a.db', user='default', key='', timezone='', timezones='none', auto_capture='true', "
    )
    assert "embedding=EmbeddingSettings(provider='local', " in shown
    assert "sqlite=SqliteSettings(busy_timeout_s=10.0, reserve_mb=32, on_damage='repair'), serve=" in shown
    assert "serve=ServeSettings(host='127.0.0.1', " in shown
    assert "federation=FederationSettings(budget_s=2.0), files=FileSettings(include=" in shown


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
    assert sorted(public.__all__, key=lambda name: (not name.isupper(), name)) == public.__all__
    assert all(hasattr(public, name) for name in public.__all__)


def test_importing_is_cheap() -> None:
    """Every command starts with this import, so nothing slow may creep in."""
    program = "import sys, recollect.settings; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    slow = {"numpy", "pydantic", "platformdirs", "tomllib", "psycopg", "apsw", "rich", "typer", "onnxruntime"}
    assert slow.isdisjoint(loaded)
