"""docs/settings.md is true. Run this module as a program to write its table anew; `tests/surface` compares it."""

import re
from pathlib import Path

from recollect.embedding import create_embedding_provider
from recollect.settings import (
    RecallSettings,
    hide_password,
    load_settings,
    settings_table,
)

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"
TABLE = re.compile(r"(?<=<!-- settings -->\n).*(?=<!-- /settings -->)", re.DOTALL)


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
    assert sqlite.database == str(tmp_path / "home" / "memories" / "recollect.db")
    assert hide_password(url.database) == "postgresql://anna:***@db.example.org/memories?sslmode=verify-full"


def test_the_examples_of_providers_work(tmp_path: Path) -> None:
    page = (DOCS.parent / "embedding.md").read_text(encoding="utf-8")
    spaces = []
    for position, content in enumerate(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)):
        path = tmp_path / f"{position}.toml"
        path.write_text(content, encoding="utf-8")
        settings = load_settings(path, environ={"OPENAI_API_KEY": "sk-of-a-test"}).embedding
        embedder = create_embedding_provider(settings)
        assert embedder is not None
        spaces.append(embedder.space)
        embedder.close()
    assert [space and (space.model, space.dimensions) for space in spaces] == [("text-embedding-3-large", 1024), None]


if __name__ == "__main__":
    DOCS.write_text(
        TABLE.sub(lambda _: f"\n{settings_table()}\n\n", DOCS.read_text(encoding="utf-8")), encoding="utf-8"
    )
