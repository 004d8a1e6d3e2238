"""What reranking costs: the processor time of 20 turns of a chat, and how far a time budget is exceeded.

How much better the hits are with it: `python -m benchmarks.quality --rerank always`.
"""

import time
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.figures import Figure
from benchmarks.lifelike import questions, sentences
from recollect.models.local import LocalReranker
from recollect.ports import RerankText

_TURNS = 20
_WORDS_A_TURN = 26  # as the chats between people that were measured have them
_CPU_BAR_S = 0.35
_BUDGETS_S = (0.05, 0.15, 0.4)
_CALLS = 20
_MOST_OVER = 1.2


def measure() -> Iterator[Figure]:
    """Give all figures."""
    reranker = LocalReranker()
    turns, asked = _turns(), list(questions(_CALLS)[0])
    reranker.score(asked[0], turns)
    started = time.process_time()
    reranker.score(asked[1], turns)
    spent_s = time.process_time() - started
    detail = f"{spent_s * 1000:.0f} ms of one core for {_TURNS} turns with the turn before each"
    yield Figure("reranking 20 turns, processor time", spent_s, _CPU_BAR_S, "at most", detail)
    for budget_s in _BUDGETS_S:
        yield _overrun(reranker, asked, turns, budget_s)
    reranker.close()


def _overrun(reranker: LocalReranker, asked: list[str], turns: list[RerankText], budget_s: float) -> Figure:
    shares, scored = [], []
    for question in asked:
        started = time.perf_counter()
        scored.append(len(reranker.score(question, turns, budget_s)))
        shares.append((time.perf_counter() - started) / budget_s)
    detail = f"{min(scored)} to {max(scored)} of {_TURNS} turns read in {budget_s * 1000:.0f} ms, {_CALLS} calls"
    return Figure(
        f"reranking within {budget_s * 1000:.0f} ms, longest call", max(shares), _MOST_OVER, "at most", detail
    )


def _turns() -> list[RerankText]:
    """Give turns of the usual length, each with the one before it."""
    words = " ".join(sentences(3 * _TURNS)).split()
    texts = [" ".join(words[number * _WORDS_A_TURN :][:_WORDS_A_TURN]) for number in range(_TURNS + 1)]
    return [RerankText(f"Ann: {text}", f"Tom: {before}") for before, text in pairwise(texts)]
