"""Whether what is told in a chat is found as well as what is stored by hand, and as the message alone.

    python -m benchmarks.told SET

SET is a folder with `corpus.jsonl` and `queries.jsonl` as `data/README.md` describes it, whose texts are statements in
the first person. Each is stored by `remember`, told in a turn of its own, and appended as a message, to three
users; then each question is asked of all three. The last figures are of the questions whose answer was captured.
"""

import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from recollect import Hit, Memory, UserMemory
from recollect.model.messages import Message

PLACES = (1, 3, 10)


def lines(path: Path) -> list[dict[str, Any]]:
    """Read a file of the set."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def tell(memory: Memory, corpus: Sequence[dict[str, Any]]) -> tuple[dict[str, str], set[str]]:
    """Store all statements in three ways; gives the ids of those stored by hand, and which were captured."""
    stated = memory.user("stated").remember_many([line["text"] for line in corpus])
    captured = set()
    for line in corpus:
        memory.user("message").conversation(line["id"]).append("user", line["text"])
        turn = [{"role": "user", "content": line["text"]}, {"role": "assistant", "content": "I see."}]
        if memory.user("told").after_turn(turn, session=line["id"]).captured:
            captured.add(line["id"])
    memory.maintain()
    return {kept.id: line["id"] for kept, line in zip(stated, corpus, strict=True) if kept.id}, captured


def found(me: UserMemory, question: str, ids: dict[str, str]) -> list[str]:
    """Give the statements that a search finds, best first; what was learned is known by its session."""
    hits = me.search_context(question, limit=2 * PLACES[-1], only_related=False).hits
    return list(dict.fromkeys(ids.get(hit.id) or session_of(hit) for hit in hits))


def session_of(hit: Hit) -> str:
    """Give the conversation that a hit is from."""
    record = hit.record
    return record.conversation if isinstance(record, Message) else str(getattr(record, "session", ""))


def shares(ranked: Iterable[tuple[list[str], set[str]]]) -> str:
    """Say how many questions have an answer among the first hits."""
    rows = list(ranked)
    count = max(1, len(rows))
    parts = (100 * sum(not right.isdisjoint(ids[:place]) for ids, right in rows) / count for place in PLACES)
    return "  ".join(f"R@{place} {part:.1f}" for place, part in zip(PLACES, parts, strict=True))


def main() -> None:
    """Print the figures of a set."""
    folder = Path(sys.argv[1])
    corpus, questions = lines(folder / "corpus.jsonl"), lines(folder / "queries.jsonl")
    with tempfile.TemporaryDirectory() as place, Memory.open(Path(place) / "told.db") as memory:
        ids, captured = tell(memory, corpus)
        print(f"{folder.name}: {len(captured)} of {len(corpus)} statements were captured")
        for name in ("stated", "told", "message"):
            me = memory.user(name)
            ranked = [(found(me, one["text"], ids), set(one["relevant"])) for one in questions]
            of_captured = [row for row in ranked if not captured.isdisjoint(row[1])]
            print(f"{name:8} all {len(ranked)}: {shares(ranked)}   captured {len(of_captured)}: {shares(of_captured)}")


if __name__ == "__main__":
    main()
