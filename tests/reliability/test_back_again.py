"""Lives that are exported and backed up, partly forgotten, and brought back by every way: the forgotten stays away."""

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory, Settings, UserMemory, load_settings
from recollect.engine.forgetting import replay
from tests.fixtures import OpenMemory, Server, SteppingClock
from tests.postgres_server import TOOLS
from tests.reliability.figures import figure
from tests.sizes import sized
from tests.storage.catalogue import contents, is_server

LIVES = range(1, sized(2, 61))
PROMISE = 18
OVERRIDES: dict[str, Any] = {
    "embedding.provider": "none",
    "embedding.worker": False,
    "places.geocoder": "none",
    "serve.search_log": "queries",
    "session_summaries": True,
    "postgres.tools_folder": str(TOOLS),
}
WAYS = ("memory", "message", "query", "session", "source", "folder", "file", "place", "everything")
Turn = list[dict[str, Any]]
Chosen = tuple[set[str], Callable[[], object]]
SAID = (
    "My sister is called {}. My brother is called {}.",
    "I decided to sell the {} boat. Shall I buy the {} house?",
    "Please call the {} office. It is near the {} square.",
)


@dataclass
class Life:
    """A user who says a word of their own with everything, and what is known of these words by now."""

    me: UserMemory
    chance: random.Random
    folder: Path
    words: set[str] = field(default_factory=set)
    memories: dict[str, tuple[str, str]] = field(default_factory=dict)  # ids: a word, and a source
    said: dict[str, str] = field(default_factory=dict)
    talks: dict[str, Turn] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # ids of documents
    notes: dict[str, str] = field(default_factory=dict)  # names of files in the folder
    places: list[str] = field(default_factory=list)

    def word(self) -> str:
        """Make a word that occurs nowhere else and has no other grammatical form."""
        made = "zq" + "".join(self.chance.choices("bcdfghjkmpvw", k=9)) + "x"
        self.words.add(made)
        return made

    def named(self, word: str) -> str:
        """Give an id of the host to a message that says a word."""
        self.said[f"m-{len(self.said)}"] = word
        return f"m-{len(self.said) - 1}"

    def live(self) -> None:
        """Do something of everything, in any order."""
        doings: list[Callable[[], None]] = [self.remember] * 3 + [self.talk] * 4 + [self.add, self.write, self.place]
        doings += [self.fold] * 3 + [self.end, self.ask]
        for _ in range(2):
            self.chance.shuffle(doings)
            for do in doings:
                do()

    def remember(self) -> None:
        """Store a memory."""
        word, source = self.word(), self.chance.choice(("diary", "user_stated"))
        lived: dict[str, Any] = (
            {"lat": 49.2, "lng": 16.6, "place_label": f"The {word} bank"} if self.chance.random() < 0.5 else {}
        )
        stored = self.me.remember(f"The {word} shop sells nails", source=source, **lived)
        self.memories[stored.id] = word, source

    def talk(self) -> None:
        """Say something from which something is captured."""
        begun = len(self.talks) < 2 or self.chance.random() < 0.1
        name = f"talk {self.word()}" if begun else self.chance.choice([*self.talks])
        word, other = self.word(), self.word()
        said = self.chance.choice(SAID).format(word, self.word())
        turn = [
            {"role": "user", "content": said, "id": self.named(word)},
            {"role": "assistant", "content": f"The {other} train leaves at nine.", "id": self.named(other)},
        ]
        self.talks.setdefault(name, []).extend(turn)
        self.me.after_turn(turn, session=name)
        if begun:
            self.me.conversation(name).describe({"title": f"On {name.removeprefix('talk ')}"})

    def fold(self) -> None:
        """Compact a conversation."""
        if self.talks:
            self.me.conversation(self.chance.choice([*self.talks])).compact(keep_recent=1)

    def end(self) -> None:
        """End a session, of which a summary is kept as a memory."""
        if self.talks:
            self.me.end_session(self.chance.choice([*self.talks]))

    def add(self) -> None:
        """Add a document."""
        word = self.word()
        self.files[self.me.files.add(f"# The {word} manual\n\nPress it.\n".encode(), name=f"{word}.md").file.id] = word

    def write(self) -> None:
        """Write a note, and sync its folder."""
        word = self.word()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{word}.md").write_text(f"# On {word}\n\nThe {word} fence is painted.\n\nIt is high.\n")
        self.notes[f"{word}.md"] = word
        self.me.files.sync(self.folder)

    def place(self) -> None:
        """Name a place."""
        self.places.append(self.word())
        self.me.places.set(self.places[-1], (49.19, 16.61))

    def ask(self) -> None:
        """Search, which is logged."""
        self.me.recall(f"the {self.chance.choice(sorted(self.words))} shop" if self.words else "a shop")

    def forget(self, way: str) -> Chosen:
        """Choose something; gives its words, and what forgets it."""
        return getattr(self, f"of_{way}")()  # type: ignore[no-any-return]

    def of_memory(self) -> Chosen:
        memory_id = self.chance.choice([*self.memories])
        return {self.memories[memory_id][0]}, lambda: self.me.forget(memory_id)

    def of_message(self) -> Chosen:
        name, word = self._summed_up()
        found = next(message for message in self.me.conversation(name).messages(limit=200) if word in message.content)
        return {word for word in self.words if word in found.content}, lambda: self.me.forget(found.id)

    def of_query(self) -> Chosen:
        _, word = self._summed_up()
        return {word}, lambda: self.me.forget(query=word, all=True)

    def of_session(self) -> Chosen:
        name = self.chance.choice([*self.talks])
        said = " ".join(str(one["content"]) for one in self.talks[name])
        return {word for word in self.words if word in f"{name} {said}"}, lambda: self.me.forget(session=name)

    def of_source(self) -> Chosen:
        words = {word for word, source in self.memories.values() if source == "diary"}
        return words, lambda: self.me.forget(source="diary")

    def of_folder(self) -> Chosen:
        return {*self.notes.values()}, lambda: self.me.forget(folder=self.folder)

    def of_file(self) -> Chosen:
        file_id = self.chance.choice([*self.files])
        return {self.files[file_id]}, lambda: self.me.forget(file_id)

    def of_place(self) -> Chosen:
        name = self.chance.choice(self.places)
        return {name}, lambda: self.me.places.forget(name)

    def of_everything(self) -> Chosen:
        return {*self.words}, lambda: self.me.forget(everything=True)

    def _summed_up(self) -> tuple[str, str]:
        """Choose something that was said, if possible something that a summary repeats."""
        said = [(name, self.said[one["id"]]) for name, turn in self.talks.items() for one in turn]
        summaries = [str(self.me.conversation(name).summary()) for name in self.talks]
        summaries += [record.content for record in self.me.list(type="session_summary").items]
        repeated = [(name, word) for name, word in said if any(word in text for text in summaries)]
        return self.chance.choice(repeated or said)

    def deliver(self) -> None:
        """Have the host, importers and syncs deliver again all that they ever had."""
        for name, turn in self.talks.items():
            self.me.after_turn(turn, session=name)
            self.me.after_turn([{"role": one["role"], "content": one["content"]} for one in turn], session=name)
            self.me.conversation(name).import_messages(turn)
        self.me.import_memories([f"The {word} shop sells nails" for word, _ in self.memories.values()])


def told(database: str, words: set[str]) -> set[str]:
    """Give the words that any row of a store says."""
    rows = "\n".join(contents(database).values())
    return {word for word in words if word in rows}


def shown(me: UserMemory, gone: set[str]) -> set[str]:
    """Give the words that any door shows."""
    texts = [str(me.list(limit=200)), str(me.files.list(limit=200)), str(me.places.named()), str(me.conversations())]
    for talk in me.conversations():
        texts += [str(me.conversation(talk.id).window()), str(me.conversation(talk.id).messages(limit=200))]
    texts += [str(me.search_context(f"{word} sister office shop", limit=50).hits) for word in sorted(gone)[:3]]
    return {word for word in gone if word in "\n".join(texts).replace(" ".join(sorted(gone)[:3]), "")}


@dataclass
class Places:
    """The store of a test, its folder, and places that hold nothing yet, of the same kind as the store."""

    database: str
    folder: Path
    server: Server | None
    made: list[str] = field(default_factory=list)

    def make(self) -> Settings:
        """Give the settings of a new place."""
        number = len(self.made)
        made = self.server.fresh(empty=True) if self.server else str(self.folder / f"place-{number}" / "memory.db")
        self.made.append(made)
        overrides = {**OVERRIDES, "database": made, "files.originals": str(self.folder / f"originals-{number}")}
        return load_settings(os.devnull, environ={}, overrides=overrides)


@pytest.fixture
def places(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Places]:
    """Places for the test."""
    found = Places(database, tmp_path, request.getfixturevalue("server") if is_server(database) else None)
    yield found
    if found.server:
        for address in found.made:
            found.server.drop(address)


@pytest.mark.parametrize("number", LIVES)
def test_what_derives_from_the_forgotten_stays_forgotten(
    open_memory: OpenMemory, places: Places, clock: SteppingClock, number: int
) -> None:
    folder, database = places.folder, places.database
    memory = open_memory(**{name.replace(".", "__"): value for name, value in OVERRIDES.items()})
    life = Life(memory.user("me"), random.Random(number), folder / "notes")
    way = WAYS[number % len(WAYS)]
    life.live()
    life.me.export(folder / "old.zip")
    backed_up = memory.backup(folder / "backups")
    gone, forget = life.forget(way)
    forget()
    kept = told(database, life.words)
    assert not kept & gone, way
    clock.advance(minutes=1)
    brought = life.me.import_archive(folder / "old.zip")
    assert way == "query" or brought.skipped, way
    assert told(database, life.words) - kept == set(), (way, "import")
    life.deliver()
    life.me.import_archive(folder / "old.zip")
    assert told(database, gone) | shown(life.me, gone) == set(), (way, "delivered again")
    assert memory.doctor() == ()
    place = places.make()
    Memory.restore(backed_up.folder, settings=place, forgotten_since=database)
    with Memory.open(settings=place, clock=clock) as restored:
        assert told(place.database, life.words) == kept, (way, "restored")
        assert shown(restored.user("me"), gone) == set()
        assert restored.doctor() == ()
    place = places.make()
    with Memory.open(settings=place, clock=clock) as other:  # which has never had anything but the tombstones
        replay._bring_tombstones(other._engine, memory._engine.store, datetime.min.replace(tzinfo=UTC))
        other.import_archive(folder / "old.zip")
        brought_there = told(place.database, life.words)
        assert brought_there <= kept, (way, "another store")
        assert way == "query" or brought_there == kept  # a message of which a sentence was forgotten is left out whole
        assert shown(other.user("me"), gone) == set()
        assert other.doctor() == ()
    figure(PROMISE, way, lives=1, words_forgotten=len(gone), back_again=0)
