"""Lives in which a fact is told in many places: once it is forgotten no door says it, and the rest is still found."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Conversation, Memory, UserMemory
from recollect.model.literals import SOURCES
from recollect_connect.importing import import_file
from tests.sizes import sized
from tests_connect.importing.exports import mem0

NUMBERS = count(1)


def word(letter: str, number: int) -> str:
    """Make a word that occurs nowhere else and has no other grammatical form."""
    return f"{letter}q" + "".join("bcdfghjkmp"[int(digit)] for digit in f"{number:06}") + "x"


@dataclass(frozen=True)
class Life:
    """A user, a word that will be forgotten, and a folder of notes. Each way tells `it`, beside a word that stays."""

    me: UserMemory
    it: str
    folder: Path

    @property
    def chat(self) -> Conversation:
        return self.me.conversation("talk")

    def memory(self, rest: str) -> None:
        self.me.remember(f"The {self.it} clinic has my file")
        self.me.remember(f"The {rest} shop sells nails")

    def fact(self, rest: str) -> None:
        self.me.facts.set("doctor", "name", self.it)
        self.me.facts.set("dentist", "name", rest)

    def history(self, rest: str) -> None:
        stored = self.me.remember(f"I take {self.it} every morning")
        self.me.update(stored.id, content=f"I take {rest} every morning")

    def event(self, rest: str) -> None:
        self.me.events.log(f"Visited the {self.it} ward", entity="hospital.ward")
        self.me.events.log(f"Visited the {rest} market", entity="town.market")

    def metadata(self, rest: str) -> None:
        self.me.remember("A bill is paid", metadata={"note": f"sent to {self.it}"})
        self.me.remember(f"The {rest} bill was high")

    def sentence(self, rest: str) -> None:
        self.chat.append("user", f"Please call the {rest} office. My doctor says {self.it} again! Thanks a lot.")

    def message(self, rest: str) -> None:
        self.chat.append("user", f"What helps against {self.it}?")
        self.chat.append("user", f"Which paint is best for {rest}?")

    def answer(self, rest: str) -> None:
        self.chat.append("assistant", f"People with {self.it} should rest. The {rest} train leaves at nine.")

    def tool_call(self, rest: str) -> None:
        self._use_tool(f"Let me look at {rest}.", self.it, "Nothing.")

    def tool_result(self, rest: str) -> None:
        self._use_tool("Let me look.", "x", f"Result: {self.it}\nResult: {rest}")

    def _use_tool(self, said: str, asked: str, result: str) -> None:
        call = {"id": f"call-{asked}", "function": {"name": "find", "arguments": json.dumps({"query": asked})}}
        self.chat.append("assistant", said, tool_calls=[{**call, "id": f"call-{len(asked)}"}])
        self.chat.append("tool", result, tool_call_id=f"call-{len(asked)}")

    def captured(self, rest: str) -> None:
        said = f"I'm allergic to {self.it}. My sister is called {rest}."
        self.me.after_turn([{"role": "user", "content": said}], session="turn")

    def file(self, rest: str) -> None:
        note = self.folder / "notes.md"
        note.write_text(f"# Notes\n\nThe {self.it} test was positive. The {rest} fence is painted.\n")
        self.me.files.sync(self.folder)

    def imported(self, rest: str) -> None:
        export = self.folder.parent / "mem0.json"
        found = [mem0("m-1", f"Was treated for {self.it} in May"), mem0("m-2", f"Likes {rest} with tea")]
        export.write_text(json.dumps({"results": found}))
        import_file(self.me, export)


WAYS = (
    *("memory", "fact", "history", "event", "metadata", "sentence", "message", "answer", "tool_call", "tool_result"),
    *("captured", "file", "imported"),
)


def shown(me: UserMemory, query: str) -> Iterator[str]:
    yield from (str(hit) for hit in me.search_context(query, limit=50, sources=SOURCES, only_related=False).hits)
    yield from (str(hit) for hit in me.recall(query, limit=50, files=True, only_related=False).hits)
    for record in me.list(limit=100).items:
        yield from (str(version) for version in me.history(record.id))
    for talk in me.conversations():
        chat = me.conversation(talk.id)
        yield from (str(message) for message in (*chat.messages(), *chat.window().messages))
    yield from (me.files.read(file.id).text for file in me.files.list().items)
    yield str(me.about(query).hits)
    yield str(me.events())
    yield me.before_prompt("Which illness do I have?", session="later").block


def left_bytes(memory: Memory, it: str) -> list[str]:
    """Give the files of a SQLite store that still hold a word."""
    status = memory.status()
    files = Path(status.location).parent.glob(f"{Path(status.location).name}*") if status.backend == "sqlite" else ()
    return [file.name for file in files if it.encode() in file.read_bytes()]


@settings(
    max_examples=sized(3, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    ways=st.lists(st.sampled_from(WAYS), min_size=2, max_size=7, unique=True), folded=st.booleans(), dry=st.booleans()
)
def test_what_is_forgotten_is_said_nowhere(
    memory: Memory, tmp_path: Path, ways: Sequence[str], *, folded: bool, dry: bool
) -> None:
    number = next(NUMBERS)
    folder = tmp_path / str(number) / "notes"
    folder.mkdir(parents=True)
    life = Life(memory.user(f"life-{number}"), word("z", number), folder)
    me, it = life.me, life.it
    rests = {way: word("y", 100 * number + place) for place, way in enumerate(ways)}
    for way, rest in rests.items():
        getattr(life, way)(rest)
    if folded:
        life.chat.append("user", "And what about tomorrow?")
        life.chat.compact(keep_recent=1)
    if dry:
        planned = me.forget(query=it, dry_run=True)
        assert planned.action in ("would_delete", "candidates")
        assert planned.items
    answer = me.forget(query=it)
    if answer.action == "candidates":
        answer = me.forget(query=it, all=True)
    assert answer.action == "deleted"
    for way in {"file", "imported"} & rests.keys():
        getattr(life, way)(rests[way])
    assert left_bytes(memory, it) == []
    assert [text for text in shown(me, it) if it in text.lower()] == []
    for way, rest in rests.items():
        found = me.search_context(rest, limit=50, sources=SOURCES, only_related=False).hits
        assert any(rest in str(hit) for hit in found), (way, rest)
    assert memory.doctor() == ()
