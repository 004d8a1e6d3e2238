"""Without recollect-files: what needs it says so, and what was stored is found, read, exported and forgotten."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from recollect import Memory, NotFound, UserMemory, plugins
from recollect.errors import PackageMissing
from recollect.model.files import TextPiece
from recollect.service.server import serve
from tests.conformance.notes import Notes
from tests.fixtures import OpenMemory

LETTER = b"The kettle is blue, says the letter.\n"
NEEDED = "needs the package recollect-files.*pip install recollect-files"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    notes = Notes(tmp_path / "notes")
    notes.write("garden.md", "# Garden\n\nThe ladder stands behind the shed.\n")
    return notes.root


@pytest.fixture
def me(open_memory: OpenMemory, root: Path, monkeypatch: pytest.MonkeyPatch) -> UserMemory:
    """A user who has synced a folder and added a document; then the package was removed."""
    before: Memory = open_memory(embedding__provider="none")
    before.me.files.sync(root)
    before.me.files.add(LETTER, name="letter.txt")
    before.me.remember("The boat is green", media=[before.me.media.add(b"\x89PNG\r\n\x1a\n" + bytes(20))])
    before.close()
    monkeypatch.setattr(plugins, "_tables", [])
    return open_memory(embedding__provider="none").me


def test_what_needs_the_package_names_it(me: UserMemory, root: Path, subtests: pytest.Subtests) -> None:
    needing: dict[str, Callable[[], object]] = {
        "sync": lambda: me.files.sync(root),
        "watch": lambda: me.files.watch(root, stop=Event(), tell=print),
        "folders": me.files.folders,
        "add": lambda: me.files.add(b"Another one.\n", name="other.txt"),
        "add_pieces": lambda: me.files.add_pieces("cut.md", [TextPiece("A piece", "", 1, 1)]),
        "media.add": lambda: me.media.add(b"GIF89a" + bytes(20)),
    }
    for name, call in needing.items():
        with subtests.test(verb=name), pytest.raises(PackageMissing, match=NEEDED):
            call()
    # and a service that is to watch folders does not begin
    settings = me._engine.settings
    watching = replace(settings, files=replace(settings.files, watch=(str(root),)))
    with pytest.raises(PackageMissing, match=f"files.watch {NEEDED}"):
        serve(watching, lambda _: None)


def test_what_is_stored_is_found_read_and_forgotten_with_its_original(
    me: UserMemory, root: Path, tmp_path: Path
) -> None:
    (hit,) = me.recall("ladder", files=True).hits
    text = me.files.read("garden.md")
    assert (text.text, text.origin) == ("# Garden\n\nThe ladder stands behind the shed.\n", "store")
    assert hit.metadata["path"] == "garden.md"
    assert [status.folder.root for status in me.files.folders(look=False)] == [str(root)]
    (letter,) = me.files.list(source="document").items
    assert me.files.original(letter.id) == LETTER

    assert me.forget(letter.id).files == 1
    with pytest.raises(NotFound):
        me.files.original(letter.id)
    assert me.forget(folder=str(root / ".." / "notes")).files == 1
    assert me.files.list().items == ()
    engine = me._engine
    assert not any(name.endswith(letter.digest) for name in engine.originals.names())
    me.export(tmp_path / "all.zip")
    assert [one.content for one in me.list().items] == ["The boat is green"]
