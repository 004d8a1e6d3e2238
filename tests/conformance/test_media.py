"""Memories and messages with pictures and the like: found by their words, never fetched, forgotten with their bytes."""

import io
import os
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest
from PIL import Image

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.errors import InvalidDocument, InvalidMemory, InvalidMessage, QuotaExceeded
from recollect.model import Media, NewMessage
from recollect.storage.sqlite.repair.salvage import mend
from tests.fixtures import OpenMemory
from tests.rows import every

SOUND = b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\0" * 8
SOFA = "https://example.org/sofa.jpg"


def photo(colour: str = "red", words: str = "") -> bytes:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x010E] = "Acme", "One", words
    exif[0x8825] = {1: "N", 2: (49.0, 12.0, 0.0), 3: "E", 4: (16.0, 36.0, 0.0)}
    data = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(data, "JPEG", exif=exif)
    return data.getvalue()


def sound(name: str = "") -> bytes:
    """Give a sound, of which nothing is read: where any original will do, as reading a photo takes a process."""
    return SOUND + name.encode()


def kept(folder: Path) -> list[str]:
    """Give the digests of all originals beneath a folder."""
    return sorted(path.name for path in folder.rglob("*") if len(path.name) == 64)


def test_a_memory_is_found_by_the_words_of_its_media(me: UserMemory) -> None:
    me.remember("The sea was rough", importance=0.9)
    picture = me.media.add(photo(words="Heron at dusk"), caption="A bird on the pier", alt="grey wings")
    voice = me.media.add(SOUND, transcript="please water the begonias", duration_s=4.5)
    stored = me.remember("From our holiday", media=[picture, voice, {"url": SOFA, "caption": "the velvet sofa"}])
    for words in ("pier", "wings", "heron", "begonias", "velvet"):
        (hit, *_) = me.recall(words).hits
        assert (words, hit.id, hit.content) == (words, stored.id, "From our holiday")
    assert me.recall('"velvet sofa"').hits[0].id == stored.id
    record = me.get(stored.id)
    assert record.media == hit.media
    assert [(one.kind, one.mime, one.size) for one in record.media] == [
        ("image", "image/jpeg", len(photo(words="Heron at dusk"))),
        ("audio", "audio/mpeg", len(SOUND)),
        ("image", "", None),
    ]
    assert (record.media[0].width, record.media[0].height) == (40, 30)
    assert (record.lat, record.lng) == pytest.approx((49.2, 16.6))
    assert me.media.original(picture.original) == photo(words="Heron at dusk")


def test_media_teach_nothing_and_cost_no_message(open_memory: OpenMemory, me: UserMemory) -> None:
    # the words of media teach nothing
    me = open_memory(capture__when="turn").user("me")
    picture = me.media.add(sound(), caption="My favourite colour is green. I live in Brno.")
    turn: list[NewMessage | Mapping[str, Any]] = [
        {"role": "user", "content": "What do you think?", "media": [picture]},
        {"role": "assistant", "content": "Lovely."},
    ]
    assert me.after_turn(turn, session="s1").captured == ()
    (hit, *_) = me.search_context("favourite colour").hits
    assert (hit.content, hit.media[0].caption) == ("What do you think?", picture.caption)
    assert me.list().items == ()

    # what a host calls media does not cost its message
    me.after_turn([{"role": "user", "content": "Look at this", "media": ["a.png"]}], session="s2")
    assert [(one.content, one.media) for one in me.conversation("s2").messages()] == [("Look at this", ())]


def test_media_that_come_after_the_prompt_are_added_to_its_message(open_memory: OpenMemory) -> None:
    me = open_memory(capture__when="turn").user("me")
    me.before_prompt("My sister is called Marta.", session="s1")
    picture = me.media.add(sound(), caption="With an ice cream")
    turn: list[NewMessage | Mapping[str, Any]] = [
        {"role": "user", "content": "My sister is called Marta.", "media": [picture], "id": "m1"},
        {"role": "assistant", "content": "Lovely."},
    ]
    for _ in range(2):
        me.after_turn(turn, session="s1")
        said = me.conversation("s1").messages()
        assert [(one.content, one.external_id, one.media) for one in said] == [
            ("My sister is called Marta.", "m1", (picture,)),
            ("Lovely.", "", ()),
        ]
    assert len(me.list().items) == 1
    assert me.search_context("ice cream").hits[0].id == said[0].id


def test_two_sounds_with_one_text_are_two_memories(me: UserMemory) -> None:
    first = me.remember("Our cat", media=[me.media.add(sound("red"))])
    again = me.remember("Our cat", media=[me.media.add(sound("red"))])
    second = me.remember("Our cat", media=[me.media.add(sound("blue"))])
    assert (first.action, again.action, second.action) == ("created", "duplicate", "created")
    assert {hit.id for hit in me.recall("our cat").hits} == {first.id, second.id}


def test_an_update_keeps_the_media_of_before_in_the_history(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    old, new = me.media.add(sound("red"), caption="An ibex"), me.media.add(sound("blue"), caption="A marmot")
    stored = me.remember("Seen on the way up", media=[old])
    assert me.update(stored.id, content="Seen on the way down").media == (old,)
    assert me.update(stored.id, media=[new]).media == (new,)
    assert [record.media for record in me.history(stored.id)] == [(old,), (old,), (new,)]
    assert [hit.id for hit in me.recall("marmot").hits] == [stored.id]
    assert me.recall("ibex", only_related=True).hits == ()
    assert me.media.original(old.original) == sound("red")
    assert memory.doctor() == ()
    me.forget(stored.id)
    assert (kept(tmp_path), memory.doctor()) == ([], ())


def test_forgetting_removes_an_original_that_nothing_else_has(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    shared, other = me.media.add(sound("red"), caption="One"), me.media.add(SOUND, caption="Two")
    first = me.remember("The first walk", media=[shared, other])
    second = me.remember("The second walk", media=[shared])
    them = memory.user("them")
    theirs = them.remember("Mine as well", media=[them.media.add(sound("red"))])
    me.forget(first.id)
    assert kept(tmp_path) == [shared.original] * 2
    with pytest.raises(NotFound):
        me.media.original(other.original)
    receipt = me.forget(second.id, receipt=True).receipt
    assert receipt is not None
    check = memory.verify_erasure(receipt)
    assert (check.erased, check.again) == (True, ())
    assert kept(tmp_path) == [shared.original]
    assert them.media.original(shared.original) == sound("red")
    them.forget(theirs.id)
    assert (kept(tmp_path), memory.doctor()) == ([], ())


def test_a_caption_is_forgotten_by_its_words(me: UserMemory, tmp_path: Path) -> None:
    chat = me.conversation("c1")
    bad, good = me.media.add(sound("red"), caption="Uncle Otto drunk"), me.media.add(sound("blue"), caption="A cake")
    said = chat.append("user", "From the party", media=[bad, good])
    shown = chat.append("user", media=[bad])
    assert me.forget(query="uncle Otto drunk", all=True).action == "deleted"
    (left,) = chat.messages()
    assert (left.id, left.content, left.media) == (said.id, "From the party", (good,))
    assert shown.id is not None
    assert kept(tmp_path) == [good.original]
    assert me.search_context("otto", only_related=True).hits == ()


def test_others_have_no_way_to_media_and_a_private_conversation_none(memory: Memory, me: UserMemory) -> None:
    # other users have no way to an original
    mine = me.media.add(sound(), caption="Mine")
    with pytest.raises(NotFound):  # before anything has it, too
        me.media.original(mine.original)
    me.remember("A secret place", media=[mine])
    them = memory.user("them")
    with pytest.raises(NotFound):
        them.media.original(mine.original)
    with pytest.raises(InvalidMemory, match="no original"):
        them.remember("Not mine", media=[mine])

    # a private conversation keeps no media
    chat = me.conversation("quiet")
    chat.set_private()
    picture = me.media.add(sound("green"), caption="Nobody sees this")
    assert chat.append("user", "Look", media=[picture]).action == "skipped"
    with pytest.raises(NotFound):
        me.media.original(picture.original)


@every(
    ("media", "why"),
    [
        ({"url": "javascript:alert(1)"}, "no address of the web"),
        ({"url": "data:image/png;base64,AAAA"}, "no address of the web"),
        ({"url": "file:///etc/passwd"}, "no address of the web"),
        ({"url": "https://me:word@example.org/a.png"}, "password"),
        ({"url": "https://example.org/a b.png"}, "blanks"),
        ({"url": SOFA, "original": "0" * 64}, "not both"),
        ({"caption": "nothing"}, "a url or an original"),
        ({"url": SOFA, "kind": "smell"}, "kind"),
        ({"url": SOFA, "path": "/etc/passwd"}, "has no path"),
        ({"url": SOFA, "caption": 7}, "caption"),
        ({"url": SOFA, "duration_s": -1}, "duration_s"),
        ({"original": "../../etc/passwd"}, "SHA-256"),
        ({"original": "0" * 64}, "no original"),
        ("a.png", "mapping"),
    ],
)
def test_what_is_no_medium_is_refused(me: UserMemory, media: object, why: str) -> None:
    with pytest.raises(InvalidMemory, match=why):
        me.remember("A picture", media=[media])  # type: ignore[list-item]
    with pytest.raises(InvalidMessage, match=why):
        me.conversation("c1").append("user", "A picture", media=[media])  # type: ignore[list-item]


def test_media_have_bounds(open_memory: OpenMemory) -> None:
    me = open_memory(files__media_mb=1).user("me")
    with pytest.raises(InvalidDocument, match="1 MiB"):
        me.media.add(b"x" * (2**20 + 1))
    with pytest.raises(InvalidMemory, match="at most 20"):
        me.remember("Many", media=[{"url": SOFA}] * 21)
    with pytest.raises(InvalidMemory, match="list"):
        me.remember("One", media=Media("image", url=SOFA))  # type: ignore[arg-type]


def test_without_originals_only_urls_are_kept(open_memory: OpenMemory) -> None:
    me = open_memory(files__originals="off").user("me")
    with pytest.raises(InvalidInput, match="off"):
        me.media.add(photo())
    assert me.get(me.remember("A sofa", media=[{"url": SOFA}]).id).media == (Media("image", url=SOFA),)


def test_what_is_private_in_a_caption_is_not_kept(open_memory: OpenMemory) -> None:
    me = open_memory(redact_secrets=True, places__precision="city").user("me")
    caption = "The desk <private>with the will</private> password: hunter2Secret"
    record = me.get(me.remember("My desk", media=[me.media.add(photo(), caption=caption)]).id)
    assert "will" not in record.media[0].caption
    assert "hunter2Secret" not in record.media[0].caption
    assert record.lng == record.media[0].lng != pytest.approx(16.6, abs=1e-4)


def test_what_is_added_and_never_used_goes_again(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    me.media.add(sound())
    memory.maintain()
    assert kept(tmp_path) == [sha256(sound()).hexdigest()]  # it may still be used
    for path in tmp_path.rglob(sha256(sound()).hexdigest()):
        os.utime(path, (1, 1))
    memory.maintain()
    assert kept(tmp_path) == []


def test_media_count_against_the_quota(open_memory: OpenMemory) -> None:
    me = open_memory(limits__storage_mb=1).user("me")
    large = me.media.add(SOUND + b"\0" * 2**20)
    with pytest.raises(QuotaExceeded):
        me.remember("Too much", media=[large])


def test_what_a_repair_saves_has_its_originals(open_memory: OpenMemory, database: str, tmp_path: Path) -> None:
    if database.startswith("postgresql"):
        pytest.skip("a server repairs its own files")
    memory = open_memory()
    me = memory.user("me")
    picture = me.media.add(sound("gate"), caption="A gate")
    stored, lost = me.remember("Seen today", media=[picture]), me.remember("Seen before", media=[picture])
    me.conversation("c1").append("user", media=[me.media.add(SOUND, transcript="Hello")])
    memory.close()
    with closing(apsw.Connection(database)) as file:
        file.execute("DELETE FROM media_originals WHERE item_id <> ?", (lost.id,))
        file.execute("DELETE FROM memories WHERE id = ?", (lost.id,))
        now = datetime(2026, 3, 1, tzinfo=UTC)
        mend(file, (), now)
    memory = open_memory()
    me = memory.user("me")
    assert [
        problem.check for problem in memory.doctor() if "count" in problem.check or "original" in problem.check
    ] == []
    assert me.media.original(picture.original) == sound("gate")
    me.forget(stored.id)
    assert kept(tmp_path) == [sha256(SOUND).hexdigest()]
