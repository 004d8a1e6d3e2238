"""Python never opens the database's own files while SQLite has them open."""

from pathlib import Path

from tests.reliability.zygote import Zygote


def test_no_verb_opens_the_database(tmp_path: Path, zygote: Zygote) -> None:
    child = zygote.start("watch_opens", folder=str(tmp_path))
    opened, violations = child.hear()
    assert opened > 0
    assert violations == []
    database, link = str(tmp_path / "memory.db"), str(tmp_path / "link")
    assert child.hear() == [database, database, link], "the watch would not have noticed"
    assert child.end() == 0
