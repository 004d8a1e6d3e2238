"""`AsyncMemory` says and does what `Memory` does, on both stores."""

import asyncio
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from recollect import (
    AsyncConversation,
    AsyncMemory,
    AsyncUserMemory,
    Conversation,
    InvalidDocument,
    Location,
    Memory,
    NotFound,
    StoreError,
    TextPiece,
    UserMemory,
    load_settings,
)
from recollect.ports import Embedder
from tests.conftest import OpenMemory, SteppingClock

PAIRS = [(Memory, AsyncMemory), (UserMemory, AsyncUserMemory), (Conversation, AsyncConversation)]
AT_ONCE = {
    "user",
    "user_id",
    "settings",
    "conversation",
    "id",
    "keys",
    "doors",
    "acting",
}  # these never wait, so there is nothing to await
TRANSLATED = {UserMemory: "AsyncUserMemory", Conversation: "AsyncConversation"}


def public(kind: type) -> dict[str, Any]:
    """Give what a class offers, with what it inherits."""
    members = {name: member for base in reversed(kind.__mro__[:-1]) for name, member in vars(base).items()}
    return {name: member for name, member in members.items() if not name.startswith("_")}


def signature(member: Any) -> inspect.Signature:
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, classmethod):
        member = member.__func__
    found = inspect.signature(member)
    returned = found.return_annotation
    return found.replace(return_annotation=TRANSLATED.get(returned, returned))


@pytest.mark.parametrize(("sync", "awaited"), PAIRS)
def test_the_public_names_are_equal(sync: type, awaited: type) -> None:
    assert set(public(sync)) == set(public(awaited))


@pytest.mark.parametrize(
    ("sync", "awaited", "name"), [(sync, awaited, name) for sync, awaited in PAIRS for name in public(sync)]
)
def test_the_signatures_are_equal(sync: type, awaited: type, name: str) -> None:
    one, other = public(sync)[name], public(awaited)[name]
    assert type(one) is type(other)
    assert signature(one) == signature(other)
    assert list(signature(one).parameters.values()) == list(signature(other).parameters.values())
    function = getattr(other, "__func__", other)
    assert inspect.iscoroutinefunction(function) == (name not in AT_ONCE)


def test_the_ways_in_and_out_are_equal() -> None:
    assert signature(Memory.__enter__) == signature(AsyncMemory.__aenter__)
    assert signature(Memory.__exit__) == signature(AsyncMemory.__aexit__)


def run(work: Callable[[AsyncMemory], Any], memory: Memory) -> None:
    asyncio.run(work(AsyncMemory(memory)))


def test_every_verb_can_be_awaited(memory: Memory, clock: SteppingClock) -> None:
    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        assert me.user_id == "me"
        assert awaited.settings is memory.settings
        stored = await me.remember("The kettle is on the stove", type="fact", importance=0.4)
        assert stored.action == "created"
        many = await me.remember_many(["One", {"content": "Two", "type": "event"}, "One"])
        assert [answer.action for answer in many] == ["created", "created", "duplicate"]
        found = await me.recall("where does the tea water boil?", limit=1, type="fact")
        assert [hit.id for hit in found.hits] == [stored.id]
        updated = await me.update(stored.id, content="The kettle is in the cupboard")
        assert await me.get(stored.id) == updated
        assert len(await me.history(stored.id)) == 2
        page = await me.list(limit=2)
        assert len(page.items) == 2
        assert len((await me.list(limit=2, cursor=page.cursor)).items) == 1
        assert await me.count(type="event") == 1
        assert (await me.stats()).memories == 3
        assert (await awaited.stats()).memories == 4
        assert (await awaited.status()).stats.users == 1
        assert await awaited.doctor() == ()
        assert (await awaited.maintain()).embedded == 0
        assert (await me.forget(query="the kettle is in the cupboard", dry_run=True)).id == stored.id
        assert (await me.forget(stored.id)).action == "deleted"
        with pytest.raises(NotFound):
            await me.get(stored.id)
        assert (await me.forget(everything=True)).action == "deleted"

    run(work, memory)
    assert memory.user("me").count() == 0


def test_places_can_be_awaited(memory: Memory) -> None:
    async def work(awaited: AsyncMemory) -> None:
        me, here = awaited.user("me"), Location(49.1951, 16.6068, place_label="U Karla pub")
        await me.remember("Usually orders the dumplings", lat=here.lat, lng=here.lng, place_label=here.place_label)
        assert [place.name for place in await me.places()] == ["U Karla pub"]
        assert (await me.name_place("home", here)).name == "home"
        assert [place.name for place in await me.named_places()] == ["home"]
        assert (await me.place("HOME")).lat == here.lat
        found = await me.recall("what to order?", location="home", radius_km=1, location_weight=0.5)
        assert found.hits[0].parts.place is not None
        searched = await me.search_context("what to order?", location=(0.0, 0.0), radius_km=1, location_mode="semantic")
        assert searched.hits == ()
        told = await me.before_prompt("What do I order?", session="s1", location=here)
        assert told.message_id is not None
        assert (await me.message(told.message_id)).place_label == "U Karla pub"
        await me.forget_place("home")
        with pytest.raises(NotFound):
            await me.place("home")
        with pytest.raises(NotFound):
            await me.locate("Brno")  # there is nobody to ask here
        with pytest.raises(NotFound):
            await me.where_is(49.2, 16.6)
        assert await me.find_addresses() == 0

    run(work, memory)


def test_files_can_be_awaited(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "setup.md").write_text("The router stands in the cellar.\n", encoding="utf-8")

    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        (report,) = await me.sync(tmp_path / "notes", wait=False)
        assert (report.state, report.added) == ("synced", 1)
        (folder,) = await me.folders()
        assert (folder.files, folder.drift) == (1, 0)
        added = await me.add_pieces("garden.md", [TextPiece("Tulips grow behind the shed", "", 1, 1)])
        assert added is not None
        assert await me.file(added.file.id) == added.file
        assert [file.path for file in (await me.files()).items] == ["garden.md", "setup.md"]
        assert (await me.read("setup.md", (1, 1))).text == "The router stands in the cellar."
        assert [hit.source for hit in (await me.recall("router", files=True)).hits] == ["file"]
        with pytest.raises(NotFound):
            await me.original(added.file.id)
        with pytest.raises(InvalidDocument):
            await me.add_file(b"%PDF-1.7 and no more", name="broken.pdf")
        stop = Event()
        await me.keep_in_step(stop=stop, tell=lambda _: stop.set())
        assert (await me.forget(folder=tmp_path / "notes")).files == 1

    run(work, memory)


def test_async_with_opens_and_closes(database: str, clock: SteppingClock, encoder: Embedder) -> None:
    settings = load_settings(os.devnull, environ={}, overrides={"database": database, "embedding.worker": False})

    async def work() -> AsyncMemory:
        async with await AsyncMemory.open(settings=settings, clock=clock, embedder=encoder) as memory:
            await memory.user("me").remember("One")
        with pytest.raises(StoreError, match="closed"):
            await memory.user("me").count()
        await memory.close()
        return memory

    asyncio.run(work())
    with Memory.open(settings=settings, clock=clock, embedder=encoder) as memory:
        assert memory.user("me").count() == 1


def test_many_verbs_run_at_the_same_time(memory: Memory) -> None:
    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        stored = await asyncio.gather(*(me.remember(f"Shelf {n} is full", type="fact") for n in range(16)))
        assert [answer.action for answer in stored] == ["created"] * 16
        found = await asyncio.gather(*(me.recall(f"shelf {n}", limit=1) for n in range(16)))
        assert [answer.hits[0].content for answer in found] == [f"Shelf {n} is full" for n in range(16)]

    run(work, memory)


def test_awaiting_leaves_the_loop_free(open_memory: OpenMemory) -> None:
    """While a batch is being stored, other coroutines go on."""

    async def work(awaited: AsyncMemory) -> None:
        storing = asyncio.create_task(awaited.user("me").remember_many(f"Note {n}" for n in range(2_000)))
        turns = 0
        while not storing.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert len(await storing) == 2_000
        assert turns > 10

    run(work, open_memory(embedding__provider="none"))
