"""One byte of the file is not what was written: each answer is right, or an error, or says what it lacks."""

import os
import random
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from recollect import Memory, RecollectError, UserMemory
from recollect.errors import StoreDamaged
from recollect.model.backups import Repaired
from recollect.storage.sqlite.connection import open_connection, translated
from tests.fixtures import SteppingClock
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory
from tests.sizes import sized

_FLIPS = sized(12, 1000)
_REPAIRED_FLIPS = sized(4, 1000)
_SEED = 25
_ROWS = 400  # more than are held in memory whole, so that indexes and codes are read, too

_QUESTIONS: dict[str, Callable[[UserMemory], object]] = {
    "recall": lambda me: me.recall("Tool 7 hangs on hook 49"),
    "words": lambda me: me.recall("tool 133 hook", limit=20),
    "context": lambda me: me.search_context("pump garden"),
    "list": lambda me: me.list(limit=1000),
    "facts": lambda me: me.facts("pump"),
    "messages": lambda me: me.conversation("c").messages(),
    "stats": lambda me: me.stats(),
    "history": lambda me: [me.history(fact.id) for fact in me.facts("pump")],
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a store with something of everything."""
    path = tmp_path_factory.mktemp("filled") / "memory.db"
    with open_memory(str(path), clock=SteppingClock(), **WITH_QUICK_VECTORS) as memory:
        me = memory.user("me")
        texts = [f"Tool {number} hangs on hook {number * 7}" for number in range(_ROWS)]
        me.remember_many([{"content": text} for text in texts])
        for number in range(30):
            me.conversation("c").append("user", f"The pump {number} in the garden. " + "It drips. " * number * 20)
            me.facts.set("pump", "place", f"bed {number}")
    return path.read_bytes()


@pytest.fixture
def path(filled: bytes, tmp_path: Path) -> Path:
    """A file with them."""
    (tmp_path / "memory.db").write_bytes(filled)
    return tmp_path / "memory.db"


def _answers(path: Path, on_damage: str = "refuse") -> dict[str, object]:
    """Ask everything; what was refused, and what says that it lacks a part, is told by a word."""
    try:
        memory = open_memory(str(path), clock=SteppingClock(), **WITH_QUICK_VECTORS, **{"sqlite.on_damage": on_damage})
    except RecollectError:
        return dict.fromkeys(_QUESTIONS, "refused")
    with memory:
        answers = {name: _asked(memory, ask) for name, ask in _QUESTIONS.items()}
        repaired = memory.repaired
    return answers if repaired is None else {"repaired": repaired, **answers}


def _asked(memory: Memory, ask: Callable[[UserMemory], object]) -> object:
    try:
        answer = ask(memory.user("me"))
    except RecollectError:
        return "refused"
    return "lacking" if getattr(answer, "degraded", ()) else repr(answer)


def test_no_answer_is_wrong_silently(path: Path, tmp_path: Path) -> None:
    content, chance = path.read_bytes(), random.Random(_SEED)
    right = _answers(path)
    assert not {"refused", "lacking"} & set(map(str, right.values()))
    told: Counter[str] = Counter()
    wrong = []
    for number in range(_FLIPS):
        flipped, place = bytearray(content), chance.randrange(len(content))
        flipped[place] ^= chance.randrange(1, 256)
        copy = tmp_path / f"{number}.db"
        copy.write_bytes(flipped)
        for name, answer in _answers(copy).items():
            said = str(answer) if answer in {"refused", "lacking"} else "right" if answer == right[name] else "wrong"
            told[said] += 1
            wrong += [(place, name)] if said == "wrong" else []
        for left in tmp_path.glob(f"{number}.db*"):
            left.unlink()
    figure(15, "answers", flips=_FLIPS, wrong_answers=len(wrong), refused=told["refused"], right=told["right"])
    assert wrong == []
    assert told["refused"] > 0
    assert told["right"] > 0


def test_no_answer_is_wrong_after_a_repair(path: Path, tmp_path: Path) -> None:
    """The store is opened again until it works: by then what could not be read was repaired, and lost rows are told."""
    content, chance = path.read_bytes(), random.Random(_SEED + 1)
    right, told = _answers(path), Counter[str]()
    rows = _rows(path)
    for number in range(_REPAIRED_FLIPS):
        flipped, place = bytearray(content), chance.randrange(len(content))
        flipped[place] ^= chance.randrange(1, 256)
        copy = tmp_path / f"{number}.db"
        copy.write_bytes(flipped)
        repaired = None
        for _ in range(2):
            repaired = repaired or _answers(copy, "repair").get("repaired")
        answers = _answers(copy, "repair")  # with a clock that a repair has not asked
        lost = isinstance(repaired, Repaired) and repaired.lost_rows > 0
        told["repaired" if repaired else "untouched"] += 1
        told["lost rows"] += lost
        for name, answer in answers.items():
            assert answer in {"refused", "lacking", right[name]} or lost, (place, name)
            assert answer != "refused" or not repaired, (place, name)
        assert _rows(copy) <= rows, place
        for left in tmp_path.glob(f"{number}.db*"):
            left.unlink()
    assert told["repaired"] > 0


def _rows(path: Path) -> set[tuple[object, ...]]:
    """Give the texts of all memories and messages, old versions included; none when the file is still damaged."""
    memories = "SELECT id, user_id, content, value, superseded_by FROM memories"
    messages = "SELECT id, user_id, content, blocks, role FROM messages"
    try:
        with translated(path), closing(open_connection(path, 10)) as connection:
            return set(connection.execute(f"{memories} UNION ALL {messages}").fetchall())
    except RecollectError:
        return set()


def test_the_header_is_read_at_opening(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    for place, mask in ((20, 8), *((place, 0x11) for place in (0, 16, 18, 20, 21, 40, 60, 99, 100, 105))):
        flipped = bytearray(content)
        flipped[place] ^= mask
        copy = tmp_path / f"{place}.{mask}.db"
        copy.write_bytes(flipped)
        with pytest.raises(StoreDamaged, match=str(copy)):
            open_memory(str(copy), clock=None, **{"sqlite.on_damage": "refuse"}).close()
        assert copy.read_bytes() == flipped


def test_a_file_that_is_cut_short_is_an_error(path: Path) -> None:
    right = _answers(path)
    memory = open_memory(str(path), clock=SteppingClock(), **WITH_QUICK_VECTORS)
    memory.user("me").stats()  # the file is open, and was read from
    os.truncate(path, path.stat().st_size // 2)
    told = {name: _asked(memory, ask) for name, ask in _QUESTIONS.items()}
    assert "refused" in told.values()
    assert [name for name, answer in told.items() if answer not in {"refused", "lacking", right[name]}] == []
