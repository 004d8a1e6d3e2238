"""An archive that an earlier version wrote is imported whole: `archives/version-4.zip` is as it was exported."""

from pathlib import Path

from tests.fixtures import OpenMemory

_ARCHIVE = Path(__file__).parent / "archives" / "version-4.zip"
_ROWS = {
    "conversations": 2, "messages": 22, "memories": 10, "derivations": 5, "files": 2, "chunks": 2, "folders": 1,
    "named_places": 1, "unread_messages": 1, "spending": 1, "search_log": 1, "tombstones": 2, "vectors": 21,
    "originals": 2,
}  # fmt: skip


def test_an_archive_of_an_earlier_version_is_imported_whole(open_memory: OpenMemory) -> None:
    memory = open_memory()
    report = memory.import_archive(_ARCHIVE)
    assert (dict(report.brought), report.skipped) == (_ROWS, {})
    assert memory.doctor() == ()

    anna = memory.user("anna")
    tea = anna.get(anna.recall("what do I drink?").hits[0].id)
    assert (tea.content, tea.place_label, tea.lat, tea.metadata["a"]) == (
        "Prefers tea with lemon",
        "Café",
        49.2,
        [1.5, True, None],
    )
    (level,) = anna.facts("light.office")
    assert [version.value for version in anna.history(level.id)] == ["40%", "60%"]
    assert [hit.content for hit in anna.recall("shed").hits[:1]] == ["The shed is green"]
    talk = anna.conversation("talk")
    assert talk.summary() is not None
    (manual,) = anna.files.list(source="document").items
    assert anna.files.original(manual.id) == b"# Manual\n\nPress the red button."
    assert "4711" not in str(anna.recall("the code of the alarm"))

    memory.maintain()
    assert [record.content for record in memory.user("ben").list().items] == ["I live in Brno"]
    assert memory.doctor() == ()
