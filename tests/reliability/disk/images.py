"""Replays a recording and makes images of what a disk could hold after the power went out at a certain call.

What a file held at its last sync is there. Of what came later, each sector holds any of the versions it has had since:
so writes are lost, torn and reordered alike. Sectors beyond that may hold anything. Entries of the folder are lost from
the newest one on, since file systems keep them in order.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.reliability.disk.recorder import Event

SECTORS = (512, 4096)
_ODDS = (0.02, 0.5, 0.98)  # of a sector to be written out: hardly any, some, nearly all
_ANYTHING = 0.5  # how often a sector that was never written out holds what a disk had there before, and not zeros


@dataclass
class _History:
    """What each sector of a file has held since the last sync, newest last, and how long the file has been."""

    sector: int
    sizes: list[int]
    held: dict[int, list[bytes]] = field(default_factory=dict)


@dataclass
class _File:
    """One file: what it held at its last sync, what it holds now, and the calls in between."""

    settled: bytes = b""
    content: bytearray = field(default_factory=bytearray)
    pending: list[Event] = field(default_factory=list)

    def apply(self, event: Event) -> None:
        _change(self.content, event)
        self.pending.append(event)

    def sync(self) -> None:
        self.settled, self.pending = bytes(self.content), []

    def history(self, sector: int) -> _History:
        """Look back to the last sync."""
        content, found = bytearray(self.settled), _History(sector, [len(self.settled)])
        for event in self.pending:
            end = len(content) if event.kind == "truncate" else event.offset + len(event.data)
            touched = range(min(event.offset, len(content)) // sector, -(-end // sector))
            for number in touched:
                found.held.setdefault(number, [bytes(content[number * sector : (number + 1) * sector])])
            _change(content, event)
            found.sizes.append(len(content))
            for number in touched:
                found.held[number].append(bytes(content[number * sector : (number + 1) * sector]))
        return found


def _change(content: bytearray, event: Event) -> None:
    if event.kind == "truncate":
        del content[event.offset :]
        content.extend(bytes(event.offset - len(content)))
        return
    content.extend(bytes(max(0, event.offset - len(content))))
    content[event.offset : event.offset + len(event.data)] = event.data


Image = Mapping[str, bytes]


@dataclass
class Disk:
    """The files of a folder while a recording is replayed. A folder maps names to files; a change makes a new one."""

    folders: list[dict[str, _File]]  # the first is durable, the last is what programs see

    @classmethod
    def of(cls, files: Image) -> "Disk":
        """Begin with files that are durable."""
        return cls([{name: _File(data, bytearray(data)) for name, data in files.items()}])

    def apply(self, event: Event) -> None:
        """Replay one call."""
        now = self.folders[-1]
        if event.kind == "create":
            self.folders.append({**now, event.file: _File()})
        elif event.kind == "delete":
            self.folders.append({name: file for name, file in now.items() if name != event.file})
        elif event.kind == "settle":
            self.folders = [now]
        elif event.kind == "sync":
            now[event.file].sync()
        elif event.kind in {"write", "truncate"}:
            now[event.file].apply(event)

    def whole(self) -> Image:
        """Give what programs see: nothing is lost."""
        return {name: bytes(file.content) for name, file in self.folders[-1].items()}

    def synced(self) -> Image:
        """Give what is left when everything that was not synced is lost."""
        return {name: file.settled for name, file in self.folders[0].items()}

    def images(self, chance: random.Random, amount: int) -> Iterator[Image]:
        """Make images of what could be left; the first has lost everything that was not synced."""
        yield self.synced()
        cache: dict[tuple[int, int], _History] = {}
        for _ in range(amount - 1):
            folder = chance.choice(self.folders)
            sector = chance.choice(SECTORS)
            odds = chance.choice(_ODDS)
            image = {}
            for name, file in folder.items():
                if (id(file), sector) not in cache:
                    cache[id(file), sector] = file.history(sector)
                image[name] = _survivor(file.settled, cache[id(file), sector], chance, odds)
            yield image


def _survivor(settled: bytes, history: _History, chance: random.Random, odds: float) -> bytes:
    """Choose a version of each sector: the newest by the odds, else any that it has had."""
    size = history.sizes[-1] if chance.random() < odds else chance.choice(history.sizes)
    content = bytearray(settled[:size])
    content.extend(bytes(size - len(content)))
    for number, versions in history.held.items():
        start = number * history.sector
        room = min(history.sector, size - start)
        if room <= 0:
            continue
        version = versions[-1] if chance.random() < odds else chance.choice(versions)
        if not version and chance.random() < _ANYTHING:
            version = chance.randbytes(history.sector)
        content[start : start + room] = version[:room].ljust(room, b"\0")
    return bytes(content)
