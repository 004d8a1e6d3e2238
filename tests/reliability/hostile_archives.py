"""Archives that a stranger could send: a genuine one, of which something was changed.

The invariant: the same seed gives the same archives, so that one which does harm can be sent again.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.archives import Lines, encoded, lines_of, with_members, with_rows

Row = dict[str, Any]

_NOWHERE: Final = "00000000-0000-7000-8000-000000000000"
_NUMBERS: Final = (-(2**63), -(2**31), -1, 0, 2**31, 2**53, 2**63 - 1, 2**63, 10**400, 0.5, -0.0, 1e308, 1e999, -1e999)
_TEXTS: Final = (
    "", " ", "evil", "x" * 300, "x" * 70_000, "\x1b[2J\x07", "a\nuser: b", "\u202e\ufeff", "İ" * 200, "' OR 1=1 --",
    "%s%n{0}", "<script>alert(1)</script>", "../../../etc/passwd", "\ud800", "\0", "\\u0000", "﷽" * 2_000,
)  # fmt: skip
_TIMES: Final = (
    "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999+00:00",
    "9999-12-31T23:59:59-12:00", "2026-02-30T00:00:00+00:00", "2026-01-01T00:00:00", "now", "1969-12-31T23:59:59+00:00",
)  # fmt: skip
_NOTED: Final = (  # what the program itself notes in metadata, and reads there again
    "participants", "feedback", "comment", "span", "standing", "many", "author", "learned_from", "captured_by",
    "property", "channel", "topic", "title", "latitude", "source", "speaker", "rule", "path", "start_line",
)  # fmt: skip


def _nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value] if levels % 2 else {"a": value}
    return value


def hostile_archives(genuine: bytes, places: list[Path], seed: int, amount: int) -> Iterator[tuple[str, bytes]]:
    """Give archives with what was done to each. `places` are files of this machine that nothing may show."""
    chance = random.Random(seed)
    kinds: list[Callable[[], tuple[str, bytes]]] = [
        lambda: _path(genuine, chance, places),
        lambda: _value(genuine, chance),
        lambda: _number(genuine, chance),
        lambda: _time(genuine, chance),
        lambda: _noted(genuine, chance),
        lambda: _reference(genuine, chance),
        lambda: _bytes(genuine, chance),
    ]
    for number in range(amount):
        what, archive = kinds[number % len(kinds)]()
        yield f"{number} of seed {seed}: {what}", archive


def _pick(lines: Lines, chance: random.Random, tables: tuple[str, ...] = ()) -> tuple[str, Row]:
    table = chance.choice([name for name in (tables or sorted(lines)) if lines[name]])
    return table, chance.choice(lines[table])


def _changed(genuine: bytes, change: Callable[[Lines], str]) -> tuple[str, bytes]:
    said: list[str] = []
    archive = with_rows(genuine, lambda lines: said.append(change(lines)))
    return said[0], archive


def _path(genuine: bytes, chance: random.Random, places: list[Path]) -> tuple[str, bytes]:
    """Let a file, a folder or an original be somewhere on this machine."""

    def change(lines: Lines) -> str:
        place = chance.choice(places)
        root, path = chance.choice(
            [
                (str(place.parent), place.name),
                ("/", str(place)[1:]),
                (str(place.parent / "nothing"), f"../{place.name}"),
                ("", str(place)),
                (f"file://{place.parent}", place.name),
                (str(place), "."),
                (f"{place.parent}/.", place.name),
                ("~", place.name),
            ]
        )
        for row in lines["files"]:
            row |= {"root": root, "path": f"{path}{row['id'][-1] if row is not lines['files'][0] else ''}"}
            row |= {"mtime_ns": 1, "ctime_ns": 1, "inode": 1}
            row["original"] = chance.choice([row["original"]] * 6 + [str(place), f"../{place.name}"])
        for row in lines["folders"]:
            row["root"] = root or "/"
        media = {"kind": "document", "url": f"file://{place}"}
        originals = [{"kind": "document", "original": str(place)}]
        lines["memories"][0]["media"] = chance.choice([[]] * 18 + [[media], originals])
        return f"the root {root!r} and the path {path!r}"

    return _changed(genuine, change)


def _value(genuine: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Let a field be of another kind, or say something else."""

    def change(lines: Lines) -> str:
        table, row = _pick(lines, chance)
        name = chance.choice(sorted(row))
        odd: tuple[Any, ...] = (None, True, [], {}, [{}], [[]], {"": None}, [1, "a"], _nested(60), _nested(400))
        if chance.random() < 0.1:
            del row[name]
        else:
            row[name] = chance.choice((*odd, *_NUMBERS, *_TEXTS))
        return f"{table}.{name} is {str(row.get(name))[:60]!a}"

    return _changed(genuine, change)


def _number(genuine: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Let a number, or all of a table, be one that nothing can count with."""

    def change(lines: Lines) -> str:
        table, first = _pick(lines, chance, ("memories", "messages", "files", "chunks", "spending", "search_log"))
        names = [name for name, value in first.items() if type(value) in (int, float) and value is not True]
        name, value = chance.choice(sorted(names)), chance.choice(_NUMBERS)
        for row in lines[table] if chance.random() < 0.5 else (first,):
            row[name] = value
        return f"{table}.{name} is {str(value)[:30]}"

    return _changed(genuine, change)


def _time(genuine: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Let a moment be one that calendars end at."""

    def change(lines: Lines) -> str:
        table, row = _pick(lines, chance, ("memories", "messages", "conversations", "files", "chunks", "folders"))
        names = [name for name in row if name.endswith("_at") or name.startswith("valid_")]
        name, value = chance.choice(sorted(names)), chance.choice(_TIMES)
        row[name] = value
        return f"{table}.{name} is {value}"

    return _changed(genuine, change)


def _noted(genuine: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Let what the program notes about an item be something else than it notes."""

    def change(lines: Lines) -> str:
        odd: tuple[Any, ...] = (None, True, -1, 1e308, "x", "", [], {}, ["a", 1, None], [[1, 2]], [0, 10**9])
        value = chance.choice((*odd, {"a": {}}, _nested(90)))
        for table in ("memories", "messages", "conversations", "files"):
            for row in lines[table]:
                row["metadata"] = dict.fromkeys(_NOTED, value)
        for row in lines["messages"]:
            row["blocks"] = chance.choice([[], [{"type": "text", "text": value}], [{"type": value}], [{"a": value}]])
        return f"all that is noted is {str(value)[:40]}"

    return _changed(genuine, change)


def _reference(genuine: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Let rows belong to others, to none, or to themselves."""

    def circle(lines: Lines) -> str:
        rows = lines["memories"]
        for row, other in zip(rows, rows[1:] + rows[:1], strict=True):
            row["superseded_by"] = other["id"]
        return "memories that are superseded in a circle"

    def lost(lines: Lines) -> str:
        table = chance.choice(["conversations", "files", "messages", "memories", "folders"])
        lines[table].clear()
        return f"no {table}"

    def astray(lines: Lines) -> str:
        table, name = chance.choice(
            [("memories", "superseded_by"), ("messages", "conversation_id"), ("chunks", "file_id"),
             ("derivations", "made_id"), ("derivations", "source_id"), ("unread_messages", "item_id")]
        )  # fmt: skip
        rows = lines[table]
        for row in rows:
            row[name] = chance.choice([_NOWHERE, row.get("id", _NOWHERE), lines["memories"][0]["id"]])
        return f"{table}.{name} leads astray"

    def doubled(lines: Lines) -> str:
        table, row = _pick(lines, chance)
        lines[table].insert(chance.randrange(len(lines[table]) + 1), dict(row))
        return f"a row of {table} twice"

    def anothers(lines: Lines) -> str:
        table, row = _pick(lines, chance)
        row["user"] = chance.choice(["", "bob", "scope:x", "a" * 500, 7])
        return f"a row of {table} of the user {str(row['user'])[:10]}"

    return _changed(genuine, chance.choice([circle, lost, astray, doubled, anothers]))


def _bytes(genuine: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Change bytes: of the file, or of a member whose manifest then says so."""
    way = chance.randrange(5)
    if way == 0:
        changed = bytearray(genuine)
        for _ in range(chance.randint(1, 8)):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        return "bits of the file are others", bytes(changed)
    if way == 1:
        return "the file is cut off", genuine[: chance.randrange(len(genuine))]
    lines = lines_of(genuine)
    table = chance.choice(sorted(name for name, rows in lines.items() if rows))
    data = bytearray(encoded(lines[table]))
    at = chance.randrange(len(data))
    if way == 2:
        data[at] = chance.choice(b'\x00\xff\xed"{}[],:\\09e-')
    elif way == 3:
        data[at:at] = chance.choice(
            [b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\xff\xfe", b"[" * 5_000, b"\n", b"9" * 5_000]
        )
    else:
        data = bytearray(json.dumps(lines[table]).encode() + b"\n")
    return f"bytes of {table} at {at}", with_members(genuine, {f"{table}.jsonl": bytes(data)})
