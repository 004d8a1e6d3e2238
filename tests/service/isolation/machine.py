"""A life that three users lead at the same service, over HTTP and MCP, each with an eye on what the others have."""

from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.service.isolation.world import Door, Leaked, Person, World
from tests.sizes import ALL

WHO = st.integers(0, 2)
PICK = st.integers(0, 10**6)
DOORS: st.SearchStrategy[Door] = st.sampled_from(["own", "own", "admin"])
THINGS = st.sampled_from(["shelf", "lamp"])
SESSIONS = st.sampled_from(["s1", "s2"])
LEAFLET = b"Everybody keeps this leaflet, shelf and lamp."
SPOTS = ({"lat": 49.1951, "lng": 16.6068}, {"lat": -16.5, "lng": 179.999})
STRANGE = "01900000-0000-7000-8000-000000000000"

# What can be read without naming anything; the others may hold the same.
READINGS = st.sampled_from(
    [
        ("/api/facts", {"subject": "lamp"}),
        ("/api/facts", {}),
        ("/api/preferences", {}),
        ("/api/events", {}),
        ("/api/lessons", {}),
        ("/api/instructions", {}),
        ("/api/stats", {}),
        ("/api/insights", {}),
        ("/api/tidy", {}),
        ("/api/memories", {"session": "s1", "type": "fact"}),
        ("/api/conversations", {"limit": 2}),
        ("/api/conversations/s1", {"limit": 3}),
        ("/api/conversations/s1/window", {"max_tokens": 1_000}),
        ("/api/files", {"source": "document", "limit": 2}),
        ("/api/places", {"limit": 5}),
        ("/api/places/within", {**SPOTS[0], "radius_km": 100}),
        ("/api/facts/doubts", {}),
        ("/api/timeline", {"unit": "hour"}),
        ("/api/messages", {"limit": 20}),
        ("/api/conversations/s1/summary", {}),
        ("/api/conversations/s1/learned", {}),
        ("/api/places/named", {}),
        ("/readyz", {}),
    ]
)
RESOURCES = st.sampled_from(["recent", "preferences", "facts", "stats", "files", "about/lamp", "about/shelf"])


class Machine(RuleBasedStateMachine):
    """What they do, step by step."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.people = self.world.newcomers()
        self.turn = 0

    def other(self, who: int, pick: int) -> Person:
        return self.people[(who + 1 + pick % 2) % 3]

    @initialize()
    def move_the_lamps(self) -> None:
        """Everybody has a lamp, and moves it: what is missed here is missed at once."""
        for who in (0, 1, 2, 0, 1, 2):
            self.keep_a("fact", self.people[who], "lamp", "s1", "own")
            self.say_something(self.people[who], "s1", "lamp", 1, "own")
        self.meddle(0, 0, "own")

    @rule(
        who=WHO, thing=THINGS, session=SESSIONS, door=DOORS, kind=st.sampled_from(["fact", "fact", "event", "lesson"])
    )
    def store(self, who: int, thing: str, session: str, door: Door, kind: str) -> None:
        self.keep_a(kind, self.people[who], thing, session, door)

    def keep_a(self, kind: str, person: Person, thing: str, session: str, door: Door) -> None:
        body = {"content": self.world.text(person, thing), "type": kind, "session": session}
        if kind == "fact":
            body |= {"subject": thing, "key": "place"}  # everybody's lamp has a place, and a new one supersedes it
        kept = self.world.do(person, "POST", "/api/memories/unified", body, door=door).json()
        self.keep(person, kept["id"], kept["existing_id"], body["content"])

    @rule(who=WHO, thing=THINGS, amount=st.integers(1, 5), door=DOORS)
    def store_many(self, who: int, thing: str, amount: int, door: Door) -> None:
        person = self.people[who]
        texts = [self.world.text(person, thing) for _ in range(amount)]
        body = {"memories": [{"content": text} for text in texts]}
        results = self.world.do(person, "POST", "/api/memories/bulk", body, door=door).json()["results"]
        for text, kept in zip(texts, results, strict=True):
            self.keep(person, kept["id"], kept["existing_id"], text)

    @rule(who=WHO, thing=THINGS, door=DOORS)
    def store_by_tool(self, who: int, thing: str, door: Door) -> None:
        person = self.people[who]
        text = self.world.text(person, thing)
        kept = self.world.tool(person, "memory_store", content=text, type="preference", door=door)
        self.keep(person, kept["id"], kept.get("existingId"), text)

    @rule(who=WHO, thing=THINGS, door=DOORS, pick=PICK)
    def store_at_a_place(self, who: int, thing: str, door: Door, pick: int) -> None:
        """Everybody is at the same two places, and calls them by names of their own."""
        person, text = self.people[who], self.world.text(self.people[who], thing)
        spot = {**SPOTS[pick % len(SPOTS)], "place_label": self.world.text(person, "the place")}
        kept = self.world.do(person, "POST", "/api/memories/unified", {"content": text, "location": spot}, door=door)
        self.keep(person, kept.json()["id"], None, text)
        person.here = True
        if pick % 3 == 0:
            address = self.world.text(person, "the door")
            self.world.do(person, "PUT", "/api/places/named/home", {**SPOTS[0], "address": address}, door=door)
            person.named = True

    @rule(who=WHO, pick=PICK, door=DOORS)
    def look_at_places(self, who: int, pick: int, door: Door) -> None:
        """Search where everybody is, and by the name that everybody gave their home."""
        person, spot = self.people[who], SPOTS[pick % len(SPOTS)]
        held = self.world.ask(person, "GET", "/api/places", door=door).json()["items"]
        named = self.world.ask(person, "GET", "/api/places/named", door=door).json()["items"]
        if (bool(held), bool(named)) > (person.here, person.named) or bool(named) != person.named:
            raise self.world.leaked(f"{person.name} has places that they never were at, or lost a name")
        self.world.tool(person, "memory_places", door=door)
        self.world.tool(person, "memory_list", door=door)
        self.world.tool(person, "memory_facts", subject="lamp", door=door)
        self.world.tool(person, "memory_recall", query="keeps", location=spot, location_radius_km=1, door=door)
        home = self.world.ask(person, "GET", "/api/memories/search", query="keeps", at="home", radius_km=1, door=door)
        if home.status_code != (200 if person.named else 422):
            raise self.world.leaked(f"{person.name} is at home where they have none")
        if pick % 4 == 0:
            gone = self.world.ask(person, "DELETE", "/api/places/named/home", door=door)
            if (gone.status_code == 200) != person.named:
                raise self.world.leaked(f"{person.name} forgot the home of somebody else")
            person.named = False

    def forget_one_home(self) -> None:
        """Everybody has a home, and one of them forgets theirs."""
        for person in self.people:
            address = self.world.text(person, "the door")
            self.world.do(person, "PUT", "/api/places/named/home", {**SPOTS[0], "address": address}, door="own")
        self.world.do(self.people[0], "DELETE", "/api/places/named/home", door="own")
        for person in self.people[1:]:
            if not self.world.ask(person, "GET", "/api/places/named", door="own").json()["items"]:
                raise self.world.leaked(f"{self.people[0].name} forgot the home of {person.name}")

    def keep(self, person: Person, made: str, superseded: str | None, text: str) -> None:
        if superseded is not None and person.memories.pop(superseded, None) is None:
            raise self.world.leaked(f"{person.name} superseded what is not theirs")
        person.memories[made] = text

    @precondition(lambda self: any(person.memories for person in self.people))
    @rule(who=WHO, pick=PICK, door=DOORS)
    def change(self, who: int, pick: int, door: Door) -> None:
        person = self.people[who]
        if not person.memories:
            return
        chosen = sorted(person.memories)[pick % len(person.memories)]
        text = self.world.text(person, "shelf")
        self.world.do(person, "PATCH", f"/api/memories/{chosen}", {"content": text}, door=door)
        person.memories[chosen] = text
        versions = self.world.ask(person, "GET", f"/api/memories/{chosen}/history").json()["items"]
        assert versions[-1]["content"] == text
        self.world.ask(person, "GET", f"/api/memories/{chosen}/similar", door=door, limit=20)
        self.world.ask(person, "GET", "/api/memories/clusters", door=door, limit=20)

    @rule(who=WHO, session=SESSIONS, thing=THINGS, amount=st.integers(1, 3), door=DOORS)
    def say(self, who: int, session: str, thing: str, amount: int, door: Door) -> None:
        self.say_something(self.people[who], session, thing, amount, door)

    def say_something(self, person: Person, session: str, thing: str, amount: int, door: Door) -> None:
        body = {"messages": [{"role": "user", "content": self.world.text(person, thing)} for _ in range(amount)]}
        path = f"/api/conversations/{session}/messages"
        results = self.world.do(person, "POST", path, body, door=door).json()["results"]
        person.conversations.setdefault(session, []).extend(one["id"] for one in results)

    @rule(who=WHO, session=SESSIONS, thing=THINGS)
    def take_a_turn(self, who: int, session: str, thing: str) -> None:
        person = self.people[who]
        prompt = self.world.text(person, thing)
        self.world.ask(person, "POST", "/api/hooks/before-prompt", {"prompt": prompt, "session": session})
        turn = [
            {"role": "user", "content": prompt},
            {"role": "assistant", "content": self.world.text(person, thing)},
            {"role": "user", "content": f"I prefer tea, and remember that {self.world.text(person, thing)}"},
        ]
        self.world.ask(person, "POST", "/api/hooks/agent-end", {"session": session, "messages": turn})
        self.world.look_again(person)

    @rule(who=WHO, session=SESSIONS, door=DOORS)
    def compact(self, who: int, session: str, door: Door) -> None:
        person = self.people[who]
        self.world.ask(person, "POST", f"/api/conversations/{session}/compact", {"keep_recent": 2}, door=door)
        self.world.look_again(person)

    @rule(who=WHO, pick=PICK, feedback=st.sampled_from([1, -1, None]))
    def rate(self, who: int, pick: int, feedback: int | None) -> None:
        person = self.people[who]
        if person.messages:
            chosen = person.messages[pick % len(person.messages)]
            self.world.do(person, "POST", f"/api/messages/{chosen}/feedback", {"feedback": feedback})

    @rule(who=WHO, thing=THINGS, name=THINGS, door=DOORS, pick=PICK)
    def add_a_file(self, who: int, thing: str, name: str, door: Door, pick: int) -> None:
        """Everybody's files have the same names, and some the same bytes; only one's own are replaced, or known."""
        person, replace = self.people[who], pick % 2 == 0
        text = LEAFLET if pick % 3 == 0 else self.world.text(person, thing).encode()
        made = self.world.do(person, "POST", "/api/files", text, door=door, name=f"{name}.md", replace=replace).json()
        if made["action"] == "duplicate":
            assert made["id"] in person.files
            return
        if replace:
            person.files = {one: path for one, path in person.files.items() if path != f"{name}.md"}
        person.files[made["id"]] = f"{name}.md"

    @rule(who=WHO, pick=PICK, door=DOORS)
    def read_a_file(self, who: int, pick: int, door: Door) -> None:
        person = self.people[who]
        if not person.files:
            return
        path = f"/api/files/{sorted(person.files)[pick % len(person.files)]}"
        assert self.world.ask(person, "GET", path, door=door).status_code == 200
        text = self.world.ask(person, "GET", f"{path}/text", door=door).json()["text"]
        assert self.world.ask(person, "GET", f"{path}/original", door=door).text == text
        if pick % 2:
            self.world.do(person, "DELETE", path, door=door)
            person.gone.append(path.rpartition("/")[2])
            del person.files[person.gone[-1]]

    @rule(who=WHO, pick=PICK, thing=THINGS, door=DOORS)
    def search(self, who: int, pick: int, thing: str, door: Door) -> None:
        """Search with words of everybody's, and with the mark of somebody else."""
        person = self.people[who]
        query = f"{thing} {self.other(who, pick).mark}" if pick % 3 else thing
        self.world.ask(person, "GET", "/api/memories/search", query=query, limit=20, files=pick % 2 == 0, door=door)
        self.world.ask(person, "POST", "/api/context/search", {"query": query, "limit": 20}, door=door)
        over_http: list[Callable[[], object]] = [
            lambda: self.world.ask(person, "POST", "/search", {"query": query}),
            lambda: self.world.ask(person, "POST", "/api/federated/search", {"query": query}),
            lambda: self.world.ask(person, "GET", "/api/about", topic=query),
        ]
        over_mcp: list[Callable[[], object]] = [
            lambda: self.world.tool(person, "memory_recall", query=query, limit=20, door=door),
            lambda: self.world.tool(person, "search_context", query=query, limit=20, door=door),
            lambda: self.world.tool(person, "memory_about", topic=query, door=door),
            lambda: self.world.call(person, "prompts/get", name="memory", arguments={"question": query}),
        ]
        over_http[pick % len(over_http)]()
        over_mcp[pick % len(over_mcp)]()

    @rule(who=WHO, thing=THINGS)
    def find_their_own(self, who: int, thing: str) -> None:
        """What is stored is found, so that an empty answer is no excuse."""
        person = self.people[who]
        text = self.world.text(person, thing)
        kept = self.world.do(person, "POST", "/api/memories/unified", {"content": text}).json()["id"]
        person.memories[kept] = text
        found = self.world.tool(person, "memory_recall", query=text.rpartition(" ")[2], limit=5)
        assert kept in [one["id"] for one in found["memories"]]

    @rule(who=WHO, reading=READINGS, door=DOORS)
    def read(self, who: int, reading: tuple[str, dict[str, Any]], door: Door) -> None:
        path, params = reading
        answer = self.world.ask(self.people[who], "GET", path, door=door, **params)
        assert answer.status_code in (200, 404)

    @rule(who=WHO, name=RESOURCES, door=DOORS)
    def read_a_resource(self, who: int, name: str, door: Door) -> None:
        self.world.call(self.people[who], "resources/read", uri=f"memory://{name}", door=door)

    @rule(who=WHO)
    def figures(self, who: int) -> None:
        person = self.people[who]
        counted = self.world.ask(person, "GET", "/api/stats").json()["memories"]
        if counted != len(person.memories):
            raise self.world.leaked(f"{person.name} has {len(person.memories)} memories, not {counted}")

    @rule(who=WHO, pick=PICK, door=DOORS)
    def meddle(self, who: int, pick: int, door: Door) -> None:
        """Name what belongs to somebody else: it is as if it were not there."""
        person, other = self.people[who], self.other(who, pick)
        theirs = [*other.memories, *other.gone] or [STRANGE]
        said = other.messages or [STRANGE]
        memory, message = theirs[pick % len(theirs)], said[pick % len(said)]
        self.not_found(person, "GET", f"/api/memories/{memory}", door)
        self.not_found(person, "GET", f"/api/memories/{memory}/history", door)
        self.not_found(person, "GET", f"/api/memories/{memory}/similar", door)
        self.not_found(person, "GET", f"/api/memories/{memory}/origins", door)
        self.not_found(person, "POST", f"/api/memories/{memory}/merge", door, {"into": memory})
        self.not_found(person, "POST", "/api/facts/settle", door, {"id": memory})
        self.not_found(person, "PATCH", f"/api/memories/{memory}", door, {"importance": 0.1})
        self.not_found(person, "DELETE", f"/api/memories/{memory}", door)
        for part in ("", "/around", "/originals"):
            self.not_found(person, "GET", f"/api/messages/{message}{part}", door)
        self.not_found(person, "POST", f"/api/messages/{message}/feedback", door, {"feedback": -1})
        file = [*other.files, STRANGE][0]
        for part in ("", "/text", "/chunks", "/original"):
            self.not_found(person, "GET", f"/api/files/{file}{part}", door)
        self.not_found(person, "DELETE", f"/api/files/{file}", door)
        self.not_found(person, "GET", f"/api/media/{'0' * 64}", door)
        for one in (memory, message, file):
            receipt = self.world.do(person, "POST", "/api/forget", {"id": one}, door=door).json()
            if receipt["action"] != "not_found":
                raise self.world.leaked(f"{person.name} forgot what is not theirs")
        assert self.world.tool(person, "memory_forget", memoryId=memory, door=door)["action"] == "not_found"
        for tool, given in (("memory_get", {}), ("memory_similar", {}), ("memory_update", {"content": "shelf"})):
            assert self.world.tool(person, tool, id=memory, door=door, **given)["action"] == "not_found"
        for one in (memory, message):
            assert self.world.tool(person, "memory_rate", id=one, feedback=-1, door=door)["action"] == "not_found"
        for uri in (f"memory://memories/{memory}", f"memory://files/{file}"):
            assert "error" in self.world.call(person, "resources/read", uri=uri, door=door)

    def not_found(self, person: Person, method: str, path: str, door: Door, body: Any = None) -> None:
        answer = self.world.ask(person, method, path, body, door=door)
        if answer.status_code != 404:
            raise self.world.leaked(f"{person.name}: {method} {path} is answered {answer.status_code}")

    @rule(who=WHO, pick=PICK)
    def pretend(self, who: int, pick: int) -> None:
        """Name another user in the header with a key that is nobody's admin."""
        person, other = self.people[who], self.other(who, pick)
        answer = person.own.get("/api/memories", headers={"X-Recollect-User": other.name})
        self.world.calls += 1
        assert answer.status_code == 403, answer.text

    @rule(who=WHO, pick=PICK, by_tool=st.booleans())
    def forget_one(self, who: int, pick: int, by_tool: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        person = self.people[who]
        if not person.memories:
            return
        chosen = sorted(person.memories)[pick % len(person.memories)]
        if by_tool:
            assert self.world.tool(person, "memory_forget", memoryId=chosen)["action"] == "deleted"
        else:
            self.world.do(person, "DELETE", f"/api/memories/{chosen}")
        person.gone.append(chosen)
        self.world.look_again(person)  # what it had replaced may hold again
        assert chosen not in person.memories

    @rule(who=WHO, pick=PICK, thing=THINGS, dry=st.booleans())
    def forget_by_query(self, who: int, pick: int, thing: str, dry: bool) -> None:  # noqa: FBT001 - as above
        person = self.people[who]
        query = self.other(who, pick).mark if pick % 2 else thing
        self.world.ask(person, "POST", "/api/forget", {"query": query, "dry_run": dry})
        if not dry:
            self.world.look_again(person)

    @rule(who=WHO, session=SESSIONS, door=DOORS)
    def forget_a_session(self, who: int, session: str, door: Door) -> None:
        person = self.people[who]
        self.world.ask(person, "POST", "/api/forget", {"session": session}, door=door)
        self.world.look_again(person)
        assert session not in person.conversations

    @rule(who=WHO, pick=PICK)
    def forget_everything(self, who: int, pick: int) -> None:
        if pick % 4:
            return  # too often, and nobody would ever have anything
        person = self.people[who]
        person.gone += [*person.memories]
        self.world.ask(person, "POST", "/api/forget", {"everything": True})
        person.memories, person.conversations, person.files = {}, {}, {}
        person.here = person.named = False

    @precondition(lambda self: self.turn % 10 == 0)
    @rule(who=WHO, pick=PICK, thing=THINGS)
    def listen(self, who: int, pick: int, thing: str) -> None:
        """Wait for what is new; what the others store meanwhile does not come."""
        person, other = self.people[who], self.other(who, pick)
        with self.world.listening(person, min_score=0) as lines:
            assert any("ready" in line for line in lines)
            texts = [(one, self.world.text(one, thing)) for one in (other, person)]
            for one, text in texts:
                kept = self.world.do(one, "POST", "/api/memories/unified", {"content": text}).json()["id"]
                one.memories[kept] = text
            assert any(texts[-1][1] in line for line in lines)

    @invariant()
    def everybody_has_what_is_theirs(self) -> None:
        """Look after each step at the one who is next; who did nothing must have what they had."""
        self.turn += 1
        person = self.people[self.turn % 3]
        self.world.check_memories(person)
        if self.turn % 4 == 0:
            self.world.check_conversations(person)
        if self.turn % 4 == 2:
            self.world.check_files(person)

    def teardown(self) -> None:
        self.forget_one_home()
        for person in self.people:
            self.world.check_memories(person)
            self.world.check_conversations(person)
            self.world.check_files(person)


_STEPS = 40  # of one life
_CALLS = 150  # that it makes at least


def live(world: World, calls: int) -> None:
    """Let one life follow another until there were so many calls."""
    shape = settings(
        max_examples=min(8, 1 + calls // _CALLS),
        stateful_step_count=_STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        derandomize=False,  # each life is another one; they are the same in every fast run
    )
    machine = type("Life", (Machine,), {"world": world})
    until = world.calls + calls
    for number in count():
        if world.calls >= until:
            return
        try:
            run_state_machine_as_test(machine if ALL else seed(number)(machine), settings=shape)
        except Flaky as flaky:  # a life is lived again when it went wrong, and those who lived before are still there
            raise Leaked(world.leaks[0]) if world.leaks else flaky from None
