"""Other turns: what the user said besides, to ask the same questions in a store that is larger."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from benchmarks.lifelike import sentences
from benchmarks.quality.sets import Line, QualitySet, load, spread

MOST_QUESTIONS = 200
_SESSION_TURNS = 50
_SEED = 3
_EARLIEST, _LATEST = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 12, 31, tzinfo=UTC)


def of_one_user(chosen: QualitySet) -> QualitySet:
    """Keep the user with the most questions, and at most 200 of them: other turns count only beside the user's own."""
    user, _ = Counter(query.user for query in chosen.queries).most_common(1)[0]
    queries = [query for query in chosen.queries if query.user == user]
    return QualitySet([line for line in chosen.lines if line.user == user], spread(queries, MOST_QUESTIONS))


def other_turns(chosen: QualitySet, amount: int, folder: Path | None = None) -> Sequence[Line]:
    """Make turns of the set's user in conversations of their own; the first ones are the same for every amount.

    The texts are those of the corpus in `folder`, in its order, and made-up sentences when it has too few. They are
    said while the set's lines are, so that no date tells them apart.
    """
    user = chosen.users[0]
    rng = random.Random(_SEED)
    known = [line.said_at for line in chosen.lines if line.said_at]
    first, last = (min(known), max(known)) if known else (_EARLIEST, _LATEST)
    made: list[Line] = []
    for number, text in enumerate(islice(_texts(chosen, folder), amount)):
        if number % _SESSION_TURNS == 0:
            session_start = first + (last - first) * rng.random()
        said_at = session_start + timedelta(seconds=30 * (number % _SESSION_TURNS))
        made.append(Line(f"other-{number}", user, f"other-{number // _SESSION_TURNS}", said_at, "", text))
    return made


def _texts(chosen: QualitySet, folder: Path | None) -> Iterator[str]:
    """Give distinct texts that are none of the set's own, without end."""
    seen = {line.content for line in chosen.lines}
    for line in load(folder).lines if folder else ():
        if line.content and line.content not in seen:
            seen.add(line.content)
            yield line.content
    seed = _SEED
    while True:
        for text in sentences(10_000, seed):
            if text not in seen:
                seen.add(text)
                yield f"{text}."
        seed += 1
