"""Three users who share a service, and what each of them must find there: everything of their own, nothing else.

Every text carries its owner's mark, by which others may search for it, and a seal, which nobody ever sends but its
owner when it is stored. So whatever comes back can be told apart: a seal or an id of somebody else has no business
there.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, Literal

import httpx2

from tests.service.conftest import Running

Door = Literal["own", "admin"]

_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SEAL: Final = re.compile(r"seal(\d+)of(\d+)x")
_MCP_HEADERS: Final = {"Accept": "application/json, text/event-stream"}


class Leaked(AssertionError):
    """Somebody got to see or to change what belongs to somebody else."""


@dataclass
class Person:
    """A user, their clients, and what they must find."""

    name: str
    number: int
    own: httpx2.Client
    admin: httpx2.Client
    memories: dict[str, str] = field(default_factory=dict)
    conversations: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    here: bool = False  # whether they ever said where they are
    named: bool = False  # whether they have called a place home

    @property
    def mark(self) -> str:
        """A word that stands in every text of theirs."""
        return f"mark{self.number}y"

    @property
    def messages(self) -> list[str]:
        """The ids of everything they said."""
        return [one for said in self.conversations.values() for one in said]


class World:
    """The service, its users, and whose everything is."""

    def __init__(self, service: Running) -> None:
        self._service = service
        self._numbers = count()
        self._seals = count()
        self._owners: dict[str, int] = {}
        self._clients = ExitStack()
        self._admin = service.key(scopes=("admin",))
        self.calls = 0
        self.leaks: list[str] = []

    def leaked(self, what: str) -> Leaked:
        """Note that somebody got to what is not theirs."""
        self.leaks.append(what)
        return Leaked(what)

    def newcomers(self) -> list[Person]:
        """Give three users who have nothing yet. Those who were here before keep what they have."""
        self._clients.close()
        return [self._person(name) for name in ("anna", "ben", "cyril")]

    def _person(self, name: str) -> Person:
        number = next(self._numbers)
        user = f"{name}{number}"
        own = self._clients.enter_context(self._service.client(self._service.key(user)))
        admin = self._clients.enter_context(self._service.client(self._admin, **{"X-Recollect-User": user}))
        return Person(user, number, own, admin)

    def text(self, person: Person, about: str) -> str:
        """Give a text that nobody else has."""
        return f"{person.mark} keeps {about} in order seal{next(self._seals)}of{person.number}x"

    def ask(
        self, person: Person, method: str, path: str, body: Any = None, *, door: Door = "own", **params: Any
    ) -> httpx2.Response:
        """Call a route as somebody, and insist that nothing of anybody else comes back."""
        client = person.own if door == "own" else person.admin
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        answer = client.request(method, path, params=params or None, **content)
        self.calls += 1
        assert answer.status_code < 500, answer.text
        self.inspect(person, answer.text, sent=f"{path} {body} {params}")
        return answer

    def do(
        self, person: Person, method: str, path: str, body: Any = None, *, door: Door = "own", **params: Any
    ) -> httpx2.Response:
        """Call a route as somebody who may do what they ask for, and insist that it is done."""
        answer = self.ask(person, method, path, body, door=door, **params)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def call(self, person: Person, method: str, *, door: Door = "own", **params: Any) -> dict[str, Any]:
        """Send a message of the Model Context Protocol, and insist on the same."""
        client = person.own if door == "own" else person.admin
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = client.post("/mcp", json=message, headers=_MCP_HEADERS)
        self.calls += 1
        assert answer.status_code == 200, answer.text
        self.inspect(person, answer.text, sent=f"{params}")
        found: dict[str, Any] = answer.json()
        return found

    def tool(self, person: Person, name: str, *, door: Door = "own", **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed, and give what it says to programs."""
        result = self.call(person, "tools/call", door=door, name=name, arguments=arguments)["result"]
        assert not result.get("isError"), result
        details: dict[str, Any] = result["structuredContent"]
        return details

    def inspect(self, person: Person, shown: str, sent: str = "") -> None:
        """Insist that everything in a text is theirs, but for the ids that they have sent themselves."""
        for number, owner in _SEAL.findall(shown):
            if int(owner) != person.number:
                raise self.leaked(f"{person.name} got to see text {number} of user {owner}")
        named = set(_ID.findall(sent))
        for one in set(_ID.findall(shown)) - named:
            if self._owners.setdefault(one, person.number) != person.number:
                raise self.leaked(f"{person.name} got to see the id of something of user {self._owners[one]}")

    def check_memories(self, person: Person) -> None:
        """Insist that somebody has what they had: nobody else's calls have changed it."""
        held = self.listed(person)
        if held != person.memories:
            raise self.leaked(f"the memories of {person.name} changed: {held} instead of {person.memories}")

    def check_conversations(self, person: Person) -> None:
        """Insist on the same for what they said."""
        told = {name: self.said(person, name) for name in self.conversations(person)}
        if told != person.conversations:
            raise self.leaked(f"the conversations of {person.name} changed: {told} instead of {person.conversations}")

    def check_files(self, person: Person) -> None:
        """Insist on the same for their files."""
        held = self.filed(person)
        if held != person.files:
            raise self.leaked(f"the files of {person.name} changed: {held} instead of {person.files}")

    def filed(self, person: Person) -> dict[str, str]:
        """Give the names of somebody's files."""
        found = self.ask(person, "GET", "/api/files", limit=100).json()
        assert found["cursor"] is None
        return {one["id"]: one["path"] for one in found["items"]}

    def listed(self, person: Person) -> dict[str, str]:
        """Give what somebody has stored."""
        held: dict[str, str] = {}
        cursor: dict[str, Any] = {}
        while True:
            page = self.ask(person, "GET", "/api/memories", limit=100, **cursor).json()
            held |= {one["id"]: one["content"] for one in page["items"]}
            if page["cursor"] is None:
                return held
            cursor = {"cursor": page["cursor"]}

    def conversations(self, person: Person) -> list[str]:
        """Give the names of somebody's conversations."""
        return [one["id"] for one in self.ask(person, "GET", "/api/conversations", limit=100).json()["items"]]

    def said(self, person: Person, conversation: str) -> list[str]:
        """Give the ids of what was said in a conversation."""
        found = self.ask(person, "GET", f"/api/conversations/{conversation}", limit=100).json()
        return [one["id"] for one in found["messages"]]

    def look_again(self, person: Person) -> None:
        """Take note of what somebody has, after a call of theirs that may have changed much."""
        person.memories = self.listed(person)
        person.conversations = {name: self.said(person, name) for name in self.conversations(person)}

    @contextmanager
    def listening(self, person: Person, **params: Any) -> Iterator[Iterator[str]]:
        """Give the lines of a live search, each of which must be about what is theirs."""
        with person.own.stream("GET", "/api/stream", params=params) as answer:
            self.calls += 1
            assert answer.status_code == 200
            yield self._lines(person, answer)

    def _lines(self, person: Person, answer: httpx2.Response) -> Iterator[str]:
        for line in answer.iter_lines():
            self.inspect(person, line)
            yield line

    def close(self) -> None:
        """Let everybody go."""
        self._clients.close()
