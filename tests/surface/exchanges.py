"""Requests to a service on made-up data, recorded with their answers in `frozen/requests.txt`.

A line `> name = who METHOD path Header=value body` is a request; what follows is its answer, which is written anew. In
a request `$name.id` stands for a field of an earlier answer, and `@name` for its bytes or those of a sample.
"""

import io
import json
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import indent
from typing import Any, Final

import httpx2
import numpy as np

from recollect import Memory, __version__, load_settings
from recollect.model.literals import Permission
from recollect.model.memories import Vector
from recollect.ports import Role
from tests.reliability.opening import QuickEmbedder, vector_of
from tests.service.conftest import EVERYTHING, UNHURRIED, Running, serving
from tests.surface.listings import in_old_words, laid_out

FILE: Final = Path(__file__).parent / "frozen" / "requests.txt"
SAMPLES: Final = {
    "notes": b"# Setup\n\nThe router stands in the cellar.\n\n## Gate\n\nThe gate opens at seven.\n",
    "sound": b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\0" * 8,
    "nonsense": b"\x00\x01\x02\x03" * 8,
}
REQUEST: Final = re.compile(r"> (?:(\w+) = )?(\w+) ([A-Z]+) (\S+)((?: [\w-]+=\S+)*)(?: (.+))?")
_NAMED: Final = re.compile(r"\$(\w+)((?:\.\w+)*)")
_HEADERS: Final = (
    "content-type", "etag", "retry-after", "idempotency-replayed", "www-authenticate", "content-disposition", "allow",
    "location", "set-cookie", "deprecation",
)  # fmt: skip
_KEYS: Final[Mapping[str, tuple[str, Sequence[Permission]]]] = {
    "anna": ("anna", EVERYTHING),
    "ben": ("ben", EVERYTHING),
    "reader": ("anna", ("read",)),
    "admin": ("", ("admin",)),
}
_NOTHING: Final = "00000000-0000-7000-8000-000000000000"
_STEP: Final = timedelta(seconds=1)
_LONG_FRACTION: Final = re.compile(r"\d+\.\d{5,}(?:e-\d+)?")
_FIGURE: Final = re.compile(r'="[^"]*"| [\d.e+-]+$')
_STEADY: Final = {"lat", "lng", "importance"}
_UNSTEADY: Final = {"backend_version", "size_bytes", "bytes", "mean_ms", "most_ms", "marks"}
_CANONICAL: Final = {
    "id": re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "hash": re.compile(r'\b[sl]?[0-9a-f]{15,}\b|(?<="store": ")[0-9a-f]+(?=")'),
    "token": re.compile(r"[\w+/-]{40,}=*"),
    "time": re.compile(r"2026-\d\d-\d\d[T ](?!00:00)\d\d:\d\d(?::[\d.]+(?:Z|\+00:00))?"),
}


class StandingClock:
    """A clock that moves only between requests, so it does not matter how often one of them looks at it."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 5, 5, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """Give the moment."""
        return self.moment


class WordEmbedder(QuickEmbedder):
    """Makes a vector of a text's words: alike texts have alike vectors, the same ones on every machine."""

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give one row per text."""
        sums = np.array([np.sum([vector_of(word) for word in text.lower().split()], axis=0) for text in texts])
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)


def exchanges(memory: Memory) -> str:
    """Give the requests of the file, each with the answer that it has now."""
    del memory
    text = FILE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, _service(folder) as (running, clock), ExitStack() as stack:
        player = Player(running, clock, folder, stack)
        lines = [line for line in text.splitlines() if line.startswith(("> ", "# "))]
        return in_old_words("".join(f"{line}\n{player.answer(line)}\n" for line in lines))


@contextmanager
def _service(folder: str) -> Iterator[tuple[Running, StandingClock]]:
    overrides: dict[str, Any] = {
        "database": f"{folder}/memory.db",
        "files.originals": f"{folder}/originals",
        "embedding.provider": "none",
        "embedding.worker": False,
        "places.geocoder": "none",
        "recall.deadline_s": 600.0,
        "hooks.budget_s": 60.0,
        "rerank.budget_s": 60.0,
        "federation.nodes": ["office url=http://127.0.0.1:9 key=rk_node users=*"],
    } | {name.replace("__", "."): value for name, value in UNHURRIED.items()}
    clock = StandingClock()
    settings = load_settings("/dev/null", environ={}, overrides=overrides)
    with Memory.open(settings=settings, clock=clock, embedder=WordEmbedder()) as memory, serving(memory) as running:
        yield running, clock


class Player:
    """Sends requests one after another, and remembers the answers that have a name."""

    def __init__(self, running: Running, clock: StandingClock, folder: str, stack: ExitStack) -> None:
        self._running, self._clock, self._folder = running, clock, folder
        keys = {"nobody": None, "browser": None, "stranger": "rk_x"}
        for name, (user, scopes) in _KEYS.items():
            clock.moment += _STEP
            keys[name] = running.key(user, scopes)
        self._clients = {name: stack.enter_context(running.client(key)) for name, key in keys.items()}
        links = {f"link_{number}": running.memory.keys.create_link(user="anna").secret for number in (1, 2)}
        self._named: dict[str, Any] = {"made": links, "nothing": {"id": _NOTHING}}
        self._bodies = dict(SAMPLES)

    def answer(self, line: str) -> str:
        """Send the request of a line and give its answer as text; a comment has none."""
        if line.startswith("# "):
            return ""
        found = REQUEST.fullmatch(line)
        assert found, line
        name, who, method, path, given, body = found.groups(default="")
        self._clock.moment += _STEP
        headers = dict(one.encode().split(b"=", 1) for one in self._filled(given).split())
        content = self._bodies[body[1:]] if body.startswith("@") else self._filled(body).encode()
        if body and not body.startswith("@"):
            headers = {b"Content-Type": b"application/json", **headers}
        with self._clients[who].stream(method, self._filled(path), headers=headers, content=content) as answer:
            data = _first_events(answer) if "event-stream" in answer.headers.get("content-type", "") else answer.read()
        if name:
            self._named[name] = {**_decoded(data), "etag": answer.headers.get("etag", "")}
            self._bodies[name] = data
        return self._shown(answer, data)

    def _filled(self, text: str) -> str:
        """Put what earlier answers said in place of `$name.field`, as far as they said it."""
        return _NAMED.sub(lambda found: self._said(found[1], found[2]) or found[0], text)

    def _said(self, name: str, fields: str) -> str:
        value = self._named[name]
        for field in fields.split(".")[1:]:
            value = value[int(field)] if isinstance(value, list) else value.get(field, "")
        return value if isinstance(value, str) else json.dumps(value)

    def _shown(self, answer: httpx2.Response, data: bytes) -> str:
        headers = [f"{name}: {answer.headers[name]}" for name in _HEADERS if name in answer.headers]
        return self._canonical("\n".join([str(answer.status_code), *headers, _body(answer, data)]).rstrip()) + "\n"

    def _canonical(self, text: str) -> str:
        """Name ids, keys and hashes by the answer that they are known from, others by number."""
        for value, name in ((self._folder, "(folder)"), (self._running.url, "(url)"), (__version__, "(version)")):
            text = text.replace(value, name)
        names = {said["id"]: name for name, said in reversed(self._named.items()) if "id" in said}
        names |= {f"{self._clock.moment:%Y-%m-%dT%H:%M:%S}{zone}": "now" for zone in ("Z", "+00:00")}

        def named(found: re.Match[str]) -> str:
            return f"({names[found[0]]})"

        for kind, pattern in _CANONICAL.items():
            unknown = [one for one in dict.fromkeys(pattern.findall(text)) if one not in names]
            names.update((one, f"{kind} {number}") for number, one in enumerate(unknown, start=1))
            text = pattern.sub(named, text)
        return text


def _first_events(answer: httpx2.Response) -> bytes:
    """Read a stream up to its second event."""
    blocks: list[str] = [""]
    for line in answer.iter_lines():
        blocks[-1] += f"{line}\n"
        if not line:
            if len([block for block in blocks if "event:" in block]) == 2:
                break
            blocks.append("")
    return "".join(blocks).encode()


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        decoded = json.loads(data)
    except ValueError:
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _body(answer: httpx2.Response, data: bytes) -> str:
    """Write a body: JSON laid out, of an archive the names, of figures the names, and of a page nothing."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind == "text/html" or answer.url.path == "/openapi.json":
        return ""
    if kind.endswith("json"):
        return laid_out(_steady(json.loads(data)))
    if kind == "application/zip":
        return "\n".join(sorted(zipfile.ZipFile(io.BytesIO(data)).namelist()))
    if not kind.startswith("text/"):
        return f"({len(data)} bytes)"
    text = data.decode().strip()
    if answer.url.path == "/metrics":  # with their labels, whatever the values
        text = "\n".join(dict.fromkeys(_FIGURE.sub("", line) for line in text.splitlines()))
    text = _LONG_FRACTION.sub("(number)", text)
    return indent(text, "  ")


def _steady(value: Any, name: str = "") -> Any:
    """Leave out what differs from run to run or from machine to machine."""
    if name in _UNSTEADY:
        return f"({name})"
    if isinstance(value, dict):
        return {key: _steady(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_steady(inner, name) for inner in value]
    return "(number)" if isinstance(value, float) and name not in _STEADY and value not in (0, 1) else value
