"""What reading a message costs: the processor's time for one, and what opening the reader takes in time and memory."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.figures import Figure
from recollect.models.local import LocalReader
from recollect.text.capture.replies import asked_in

_MESSAGE = (
    "hey, quick one: we moved to Brno last month, my wife Jana started at the university hospital and our son Petr "
    "is allergic to nuts. any ideas for Sunday lunch with all of us?"
)
_PIECES = 40
_MESSAGE_LIMIT_S = 0.025
_BEFORE = (
    "That is a lot of news at once! Congratulations to all of you. Where do you live now, and who is in the family?"
)
_BEFORE_LIMIT = 1.3
_OPENING_LIMIT_S = 0.15
_MEMORY_LIMIT_MB = 60
_ROUNDS = 5

# A process of its own, since memory that was given back stays with a process.
_OPENING = """
import json, sys, time
import numpy
from recollect.models.local import LocalReader
def resident():
    fields = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")]
def spent():
    return time.process_time(), time.perf_counter()
message, beside = sys.argv[1], sys.argv[2] == "beside"
if beside:
    from recollect.embedding import LocalEmbedder
    embedder = LocalEmbedder(threads=1)
    for number in range(50):
        embedder.embed([f"{message} {number}"], "query")
before, started = resident(), spent()
import recollect.models.reader_graph
imported, reader = spent(), LocalReader()
reader._loaded()
opened = spent()
for number in range(50):
    reader.read(f"{message} {number}")
grown = [after - first for after, first in zip(resident(), before)]
libraries, cpu, wall = imported[0] - started[0], opened[0] - imported[0], opened[1] - imported[1]
print(json.dumps({"libraries": libraries, "cpu": cpu, "wall": wall, "resident": grown[0], "private": grown[1]}))
"""


def measure() -> Iterator[Figure]:
    """Give all figures. What the reader adds is measured beside the encoder, with which it shares its libraries."""
    yield _message()
    yield _reply()
    beside, alone = _opening("beside"), _opening("alone")
    detail = (
        f"{beside['cpu'] * 1e3:.0f} ms of CPU, {beside['wall'] * 1e3:.0f} ms on the clock; without the encoder "
        f"{alone['cpu'] * 1e3:.0f} ms of CPU, and {alone['libraries'] * 1e3:.0f} ms for importing the libraries"
    )
    ratio = max(beside["cpu"], beside["wall"]) / _OPENING_LIMIT_S
    yield Figure("opening the reader beside the encoder, in 0.15 s", ratio, 1.0, "at most", detail)
    detail = ", ".join(
        f"{opened['resident']:.0f} MB ({opened['private']:.0f} MB private) {name} it"
        for name, opened in (("beside", beside), ("without", alone))
    )
    ratio = beside["resident"] / _MEMORY_LIMIT_MB
    yield Figure("memory of the reader beside the encoder, in 60 MB", ratio, 1.0, "at most", detail)


def _message() -> Figure:
    reader = LocalReader()
    pieces = len(reader._loaded()._pieces.encode(_MESSAGE).ids)  # noqa: SLF001 - the figure is for a message of this size
    if pieces != _PIECES:
        raise ValueError(f"The message has {pieces} pieces, expected {_PIECES}.")
    reader.read(_MESSAGE)
    spent = []
    for _ in range(50):
        start = time.process_time()
        reader.read(_MESSAGE)
        spent.append(time.process_time() - start)
    median = sorted(spent)[len(spent) // 2]
    detail = f"{median * 1e3:.1f} ms of CPU, {min(spent) * 1e3:.1f} ms at best"
    return Figure(f"reading a message of {_PIECES} pieces, in 25 ms", median / _MESSAGE_LIMIT_S, 1.0, "at most", detail)


def _reply() -> Figure:
    """Compare a message with the turn before it against the message alone, in turns, as other work slows both."""
    reader = LocalReader()
    spent: dict[str, list[float]] = {"": [], _BEFORE: []}
    for _ in range(50):
        for before, times in spent.items():
            start = time.process_time()
            reader.read(_MESSAGE, asked_in(before))
            times.append(time.process_time() - start)
    alone, after = (sorted(times)[len(times) // 2] for times in spent.values())
    pieces = len(reader._loaded()._pieces.encode(asked_in(_BEFORE)).ids)  # noqa: SLF001 - as above
    detail = (
        f"{after * 1e3:.1f} ms of CPU against {alone * 1e3:.1f} ms, with a question of {pieces} pieces before {_PIECES}"
    )
    return Figure("reading a message with the turn before it", after / alone, _BEFORE_LIMIT, "at most", detail)


def _opening(place: str) -> dict[str, float]:
    """Open the reader in fresh processes; gives the least of each figure, since other work only adds to them."""
    command = [sys.executable, "-c", _OPENING, _MESSAGE, place]
    found = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(_ROUNDS)]
    return {name: min(opened[name] for opened in found) for name in found[0]}
