"""Photos that say where they were taken are there for searches, on both stores; other files are nowhere."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from recollect import Hit, Memory, UserMemory
from recollect.model.files import Chunk
from recollect.model.filters import ChunkFilters
from recollect.model.geo import Circle
from recollect.model.memories import Scope
from tests.conformance.notes import Notes
from tests.congruence.twins import WordSum
from tests.places.conftest import OpenPlaces
from tests.storage.catalogue import plain

BRNO, VIENNA, SYDNEY = (49.1951, 16.6068), (48.2082, 16.3738), (-33.857, 151.215)


def photo(where: tuple[float, float] | None, words: str = "") -> bytes:
    """Give a JPEG, with its place and its words in EXIF."""
    exif = Image.Exif()
    if words:
        exif[0x010E] = words
    if where:
        sides = ("N" if where[0] >= 0 else "S", "E" if where[1] >= 0 else "W")
        parts = [(float(int(abs(part))), 0.0, abs(part) % 1 * 3600) for part in where]
        exif[0x8825] = {1: sides[0], 2: parts[0], 3: sides[1], 4: parts[1]}
    data = io.BytesIO()
    Image.new("RGB", (4, 3)).save(data, "JPEG", exif=exif)
    return data.getvalue()


def paths(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.record.path for hit in hits if isinstance(hit.record, Chunk)]


@pytest.fixture
def album(tmp_path: Path) -> Notes:
    made = Notes(tmp_path / "album")
    made.write("stall.jpg", photo(BRNO, "The pump at the market"))
    made.write("hall.jpg", photo(VIENNA, "The pump in the hall"))
    made.write("pump-harbour.jpg", photo(SYDNEY))
    made.write("cellar.jpg", photo(None, "The pump in the cellar"))
    made.write("pump.md", "---\nlatitude: 49.1951\nlongitude: 16.6068\n---\nThe pump hums.\n")
    return made


def synced(memory: Memory, album: Notes) -> UserMemory:
    me = memory.user("me")
    (report,) = me.files.sync(album.root, include=["*.jpg", "*.md"])
    assert (report.state, report.skipped) == ("synced", {})
    memory.embed_waiting()
    return me


def inside(me: UserMemory, where: tuple[float, float], **more: Any) -> list[str]:
    """Name the files that each way of searching finds within 5 km; they must be the same."""
    names = paths(me.recall("pump", files=True, location=where, radius_km=5, **more).hits)
    assert paths(me.search_context("pump", location=where, radius_km=5).hits) == names
    vector, circle = WordSum().embed(["pump"], "query")[0], ChunkFilters(near=Circle(*where, 5))

    def look(reader: Any) -> tuple[set[str], set[str]]:
        by_words = {row.id for row in reader.text_candidates(["pump"], circle, 100).rows}
        return by_words, {row.id for row in reader.nearest(WordSum.space, vector, circle, 100)}

    by_words, by_meaning = me._engine.store.read(Scope(me.user_id), look)
    assert len(by_words) == len(by_meaning) == len(names)
    return names


@pytest.mark.on_both_stores
def test_a_photo_is_where_it_was_taken(open_places: OpenPlaces, album: Notes) -> None:
    memory = open_places()
    me = synced(memory, album)
    added = me.files.add(photo(BRNO, "A pump on a cart"), name="cart.jpg").file
    memory.embed_waiting()
    assert (added.lat, added.lng) == pytest.approx(BRNO)
    assert set(inside(me, BRNO)) == {"stall.jpg", "cart.jpg"}
    assert inside(me, VIENNA) == ["hall.jpg"]
    assert inside(me, SYDNEY) == ["pump-harbour.jpg"]
    assert inside(me, (0.0, 0.0)) == []

    hits = me.recall("pump hall", files=True, location=VIENNA, location_weight=0.5, limit=10).hits
    assert len(hits) == 6
    assert paths(hits)[0] == "hall.jpg"
    for hit in hits:
        part = hit.parts.place
        assert (hit.place is None) == (part is None) == (hit.metadata["path"] in ("cellar.jpg", "pump.md"))
        if part is not None:
            assert hit.score == pytest.approx(0.5 * part.content + 0.5 * part.geo)
    assert hits[0].parts.place is not None
    assert hits[0].parts.place.distance_km == pytest.approx(0, abs=0.01)
    unlocated = {hit.id: hit.score for hit in me.recall("pump hall", files=True, limit=10).hits}
    assert all(hit.score == unlocated[hit.id] for hit in hits if hit.place is None)
    assert me.recall("pump hall", files=True, location=VIENNA, location_weight=0.0).hits[0].score == max(
        unlocated.values()
    )

    assert me.places.list() == ()
    assert memory._engine.store.owe_addresses(memory._engine.clock.now()) == 0


def test_a_photo_moves_and_is_forgotten_with_its_place(open_places: OpenPlaces, album: Notes, database: str) -> None:
    memory = open_places()
    me = synced(memory, album)
    assert inside(me, BRNO) == ["stall.jpg"]
    album.write("stall.jpg", photo(SYDNEY, "The pump at the market"))  # the same words: the chunk stays
    synced(memory, album)
    assert inside(me, BRNO) == []
    assert set(inside(me, SYDNEY)) == {"stall.jpg", "pump-harbour.jpg"}
    album.write("stall.jpg", photo(None, "The pump at the market"))
    synced(memory, album)
    assert inside(me, SYDNEY) == ["pump-harbour.jpg"]

    (hit,) = me.recall("pump", files=True, location=VIENNA, radius_km=1).hits
    assert me.forget(hit.metadata["file_id"]).action == "deleted"
    assert inside(me, VIENNA) == []
    me.forget(everything=True)
    assert inside(me, SYDNEY) == []
    with plain(database) as store:
        assert store.rows("SELECT count(*) FROM files") == [(0,)]


def test_precision_goes_for_photos_too(open_places: OpenPlaces, album: Notes) -> None:
    me = synced(open_places(places__precision="city"), album)
    (file,) = (file for file in me.files.list().items if file.path == "hall.jpg")
    assert (file.lat, file.lng) == (file.metadata["latitude"], file.metadata["longitude"])
    assert (file.lat, file.lng) != pytest.approx(VIENNA)
    assert (file.lat, file.lng) == pytest.approx(VIENNA, abs=0.1)
