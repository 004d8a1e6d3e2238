"""Forgotten files are gone: from every answer, from every table, and on SQLite from the bytes of all files we keep."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from recollect.storage.sqlite.writer import MANY_ROWS
from tests.conformance.notes import Notes
from tests.fixtures import BACKENDS
from tests.reliability.canaries import Canaries, left_in, left_in_files
from tests.reliability.opening import WITH_QUICK_VECTORS
from tests.reliability.zygote import Child, Zygote
from tests.rows import slow_but
from tests.sizes import sized
from tests.storage.catalogue import contents, is_server

_FILES = sized(4, 12)
_BYSTANDER = "A neighbour has a garden with seven trees.\n"


def _note(canaries: Canaries) -> str:
    """Write a note with words in each place that text may be kept in: headings, front matter, lists, code."""
    front = f"---\ntitle: {canaries.word()}\ntags: [{canaries.word()}]\n---\n"
    body = (
        f"# About {canaries.word()}\n\n{canaries.text()}\n\n- item {canaries.word()}\n\n```\n{canaries.word()}\n```\n"
    )
    return f"{front}{body}"


def _long_note(canaries: Canaries) -> str:
    """Write a note of more chunks than a store erases one by one."""
    told = "The garden of the neighbour has seven trees and a gate that nobody closes. " * 20
    return "\n".join(f"## Part {number}\n\n{canaries.word()} {told}\n" for number in range(MANY_ROWS + 10))


def _session(canaries: Canaries) -> str:
    turns: list[dict[str, Any]] = [
        {"type": "session", "id": canaries.word(), "cwd": f"/home/{canaries.word()}"},
        *({"role": role, "content": canaries.text()} for role in ("user", "assistant", "tool")),
    ]
    return "\n".join(json.dumps(turn) for turn in turns)


def _fill(notes: Notes, canaries: Canaries) -> None:
    """Write files whose contents and names are to be forgotten."""
    for number in range(_FILES):
        notes.write(f"{canaries.word()}/{number}-{canaries.word()}.md", _note(canaries))
    notes.write(f"{canaries.word()}.jsonl", _session(canaries))
    notes.write(f"{canaries.word()}.md", _long_note(canaries))


def _add(child: Child, user: str, canaries: Canaries, folder: Path) -> list[str]:
    """Add documents; gives their ids."""
    ids = []
    for number in range(3):
        file = folder / f"{canaries.word()}-{number}.html"
        file.write_text(f"<title>{canaries.word()}</title><p>{canaries.text()}</p>", encoding="utf-8")
        ids.append(child.ask("files.add", user=user, file=str(file))["file"]["id"])
    return ids


def _left_in_originals(folder: Path, canaries: Canaries) -> list[str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    names = " ".join(str(file.relative_to(folder)) for file in folder.rglob("*"))
    return left_in(b" ".join(file.read_bytes() for file in files) + names.encode(), canaries)


def _insist_nothing_left(database: str, originals: Path, canaries: Canaries, when: str) -> None:
    assert _left_in_originals(originals, canaries) == [], f"originals are left {when}"
    if not is_server(database):
        assert left_in_files(database, canaries) == [], f"words are left {when}"


def _synced(child: Child, user: str, canaries: Canaries, folder: Path) -> Notes:
    """Have a user sync a folder of canaries and a bystander: a rename makes history, too."""
    notes = Notes(folder)
    _fill(notes, canaries)
    child.ask("files.sync", user=user, paths=[str(folder)])
    first = notes.paths()[0]
    notes.move(first, f"{canaries.word()}.md")
    notes.write(notes.paths()[1], _note(canaries))
    child.ask("files.sync", user=user, paths=[str(folder)])
    return notes


# On a server by day in one way: where its rows go does not depend on it.
@pytest.mark.parametrize(
    ("database", "way"),
    slow_but(
        product(BACKENDS, ("id", "folder", "removed", "everything")),
        *product(["sqlite"], ("id", "folder", "removed")), ("postgresql", "id"),
    ),
    indirect=["database"],
)  # fmt: skip
def test_nothing_is_left_of_forgotten_files(database: str, zygote: Zygote, tmp_path: Path, way: str) -> None:
    canaries, originals = Canaries(seed=31), tmp_path / "originals"
    child = zygote.serve(database, **WITH_QUICK_VECTORS, **{"files.originals": str(originals)})
    stays = Notes(tmp_path / "stays")
    stays.write("neighbour.md", _BYSTANDER)
    for user in ("me", "other"):
        child.ask("files.sync", user=user, paths=[str(stays.root)])
    notes = _synced(child, "me", canaries, tmp_path / "goes")
    documents = _add(child, "me", canaries, tmp_path)
    for word in canaries.words[:3]:  # what was asked is kept with its vector
        child.ask("search_context", user="me", query=word)
    assert len(canaries.words) > sized(30, 60)
    if not is_server(database):
        assert len(left_in_files(database, canaries)) > sized(20, 40), "the search would not find them"
    assert _left_in_originals(originals, canaries) != [], "the search would not find them"

    _forget(child, way, notes, documents)

    _insist_nothing_left(database, originals, canaries, "while the store is open")
    found = child.ask("search_context", user="me", query=f"{canaries.words[0]} note item neighbour")["hits"]
    assert left_in(str(found).encode(), canaries) == []
    assert child.ask("stats", user="other")["files"] == 1
    assert child.ask("stats", user="me")["files"] == (0 if way == "everything" else 1)
    assert child.ask("doctor") == []
    child.close()
    _insist_nothing_left(database, originals, canaries, "after the store was closed")
    tables = contents(database)
    assert {name: left for name, rows in tables.items() if (left := left_in(rows.encode(), canaries))} == {}


def _forget(child: Child, way: str, notes: Notes, documents: list[str]) -> None:
    """Let everything go in one of the ways there are."""
    if way == "everything":
        child.ask("forget", user="me", everything=True)
        return
    for file_id in documents:
        assert child.ask("forget", user="me", id=file_id)["files"] == 1
    if way == "folder":
        assert child.ask("forget", user="me", folder=str(notes.root))["files"] == len(notes.paths())
        return
    if way == "removed":
        for path in notes.paths():
            notes.remove(path)
        child.ask("files.sync", user="me", paths=[str(notes.root)], even_if_empty=True)
        child.ask("maintain")
        return
    for file in child.ask("files.list", user="me", limit=100, source="memory")["items"]:
        if file["root"] == str(notes.root):
            assert child.ask("forget", user="me", id=file["id"])["files"] == 1
