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
    Location,
    Memory,
    NotFound,
    StoreError,
    UserMemory,
    load_settings,
)
from recollect.api.aio import (
    AsyncEvents,
    AsyncFacts,
    AsyncFiles,
    AsyncInstructions,
    AsyncLessons,
    AsyncMedia,
    AsyncMessages,
    AsyncModels,
    AsyncPlaces,
    AsyncPreferences,
    AsyncScopes,
)
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.files import UserFiles
from recollect.api.media import UserMedia
from recollect.api.messages import UserMessages
from recollect.api.models import StoreModels
from recollect.api.operations import StoreOperations
from recollect.api.places import UserPlaces
from recollect.api.scopes import Scopes
from recollect.errors import InvalidDocument
from recollect.model import TextPiece
from recollect.ports import Embedder
from tests.fixtures import OpenMemory, SteppingClock

NAMESPACES = {
    UserFiles: AsyncFiles,
    UserMedia: AsyncMedia,
    UserPlaces: AsyncPlaces,
    UserFacts: AsyncFacts,
    UserPreferences: AsyncPreferences,
    UserEvents: AsyncEvents,
    UserLessons: AsyncLessons,
    UserInstructions: AsyncInstructions,
    UserMessages: AsyncMessages,
    StoreModels: AsyncModels,
    Scopes: AsyncScopes,
}
PAIRS = {Memory: AsyncMemory, UserMemory: AsyncUserMemory, Conversation: AsyncConversation, **NAMESPACES}
AT_ONCE = {"user", "conversation"}  # these never wait, so there is nothing to await
TRANSLATED = {UserMemory: AsyncUserMemory, Conversation: AsyncConversation}


def public(kind: type) -> dict[str, Any]:
    """Give what a class offers, with what it inherits, and what a call of it does."""
    members = {name: member for base in reversed(kind.__mro__[:-1]) for name, member in vars(base).items()}
    return {name: member for name, member in members.items() if not name.startswith("_") or name == "__call__"}


def verbs(kind: type) -> dict[str, Any]:
    return {name: member for name, member in public(kind).items() if not isinstance(member, property)}


def signature(member: Any) -> inspect.Signature:
    if isinstance(member, classmethod):
        member = member.__func__
    found = inspect.signature(member)
    returned = found.return_annotation
    return found.replace(return_annotation=TRANSLATED.get(returned, returned))


@pytest.mark.parametrize(("sync", "awaited"), PAIRS.items())
def test_the_verbs_have_equal_names(sync: type, awaited: type) -> None:
    assert set(verbs(sync)) == set(verbs(awaited))


def test_the_namespaces_and_values_are_equal(memory: Memory) -> None:
    awaited = AsyncMemory(memory)
    pairs: list[tuple[object, object]] = [
        (memory, awaited),
        (memory.user("me"), awaited.user("me")),
        (memory.user("me").conversation("c1"), awaited.user("me").conversation("c1")),
    ]
    for sync, twin in pairs:
        for name in set(public(type(sync))) - set(verbs(type(sync))):
            value, same = getattr(sync, name), getattr(twin, name)
            assert type(same) is PAIRS.get(type(value), type(value))
            assert type(value) in {*PAIRS, StoreOperations} or value == same


@pytest.mark.parametrize(
    ("sync", "awaited", "name"), [(sync, awaited, name) for sync, awaited in PAIRS.items() for name in verbs(sync)]
)
def test_the_signatures_are_equal(sync: type, awaited: type, name: str) -> None:
    one, other = verbs(sync)[name], verbs(awaited)[name]
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
        assert (await awaited.stats()).memories == 3
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
        assert [place.name for place in await me.places.list()] == ["U Karla pub"]
        assert (await me.places.set("home", here)).name == "home"
        assert [place.name for place in await me.places.named()] == ["home"]
        assert (await me.places.get("HOME")).lat == here.lat
        found = await me.recall("what to order?", location="home", radius_km=1, location_weight=0.5)
        assert found.hits[0].parts.place is not None
        searched = await me.search_context("what to order?", location=(0.0, 0.0), radius_km=1, location_mode="semantic")
        assert searched.hits == ()
        told = await me.before_prompt("What do I order?", session="s1", location=here)
        assert told.message_id is not None
        assert (await me.messages.get(told.message_id)).place_label == "U Karla pub"
        await me.places.forget("home")
        with pytest.raises(NotFound):
            await me.places.get("home")
        with pytest.raises(NotFound):
            await me.places.geocode("Brno")  # there is no geocoder here
        with pytest.raises(NotFound):
            await me.places.reverse_geocode(49.2, 16.6)
        assert await me.places.find_addresses() == 0

    run(work, memory)


def test_files_can_be_awaited(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "setup.md").write_text("The router stands in the cellar.\n", encoding="utf-8")

    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        (report,) = await me.files.sync(tmp_path / "notes", wait=False)
        assert (report.state, report.added) == ("synced", 1)
        (folder,) = await me.files.folders()
        assert (folder.files, folder.drift) == (1, 0)
        added = await me.files.add_pieces("garden.md", [TextPiece("Tulips grow behind the shed", "", 1, 1)])
        assert added is not None
        assert await me.files.get(added.file.id) == added.file
        assert [file.path for file in (await me.files.list()).items] == ["garden.md", "setup.md"]
        assert (await me.files.read("setup.md", (1, 1))).text == "The router stands in the cellar."
        assert [hit.source for hit in (await me.recall("router", files=True)).hits] == ["file"]
        with pytest.raises(NotFound):
            await me.files.original(added.file.id)
        with pytest.raises(InvalidDocument):
            await me.files.add(b"%PDF-1.7 and no more", name="broken.pdf")
        stop = Event()
        await me.files.watch(stop=stop, tell=lambda _: stop.set())
        assert (await me.forget(folder=tmp_path / "notes")).files == 1

    run(work, memory)


def test_typed_memories_and_messages_can_be_awaited(memory: Memory) -> None:
    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        await me.facts.set("light.office", "location", "home office")
        assert [fact.value for fact in await me.facts("light.office")] == ["home office"]
        await me.preferences.set("lighting", "evening_brightness", "40%", context="after_sunset")
        assert [preference.value for preference in await me.preferences("lighting")] == ["40%"]
        await me.events.log("Garage door opened", kind="state_change", importance=0.9)
        assert [event.content for event in await me.events(min_importance=0.8)] == ["Garage door opened"]
        await me.lessons.add("Ask before restarting the router", context="home")
        assert len(await me.lessons(context="home")) == 1
        said = await me.conversation("c1").append("assistant", "Done.")
        assert said.id is not None
        assert (await me.messages.rate(said.id, 1)).feedback == 1
        assert [message.id for message in await me.messages.around(said.id)] == [said.id]
        assert not await me.messages.should_capture("Hm.")
        assert [model.state for model in await awaited.models.list(ask=False)] == ["active"]

    run(work, memory)


def test_async_with_opens_and_closes(database: str, clock: SteppingClock, encoder: Embedder) -> None:
    settings = load_settings(
        os.devnull,
        environ={},
        overrides={"database": database, "embedding.worker": False, "recall.deadline_s": 600},
    )

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


def test_a_message_is_read_and_explained(memory: Memory) -> None:
    async def work(awaited: AsyncMemory) -> None:
        me = awaited.user("me")
        text = "I live in Brno."
        assert (await me.messages.read(text)).statements
        assert [one.value for one in (await me.messages.explain(text)).captured] == ["Brno"]
        (learned,) = (await me.after_turn([{"role": "user", "content": text}], session="s1")).captured
        (origin,) = await me.messages.origins(learned.id)
        assert (origin.text, origin.message.conversation) == (text, "s1")
        with pytest.raises(NotFound):
            await me.messages.origins("01a1e558-18b3-7872-89a5-e0bdd8d329a9")

    run(work, memory)
