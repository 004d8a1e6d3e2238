"""What reranking costs: the processor time of 20 turns of a chat, how far a budget is exceeded, and a prompt with it.

How much better the hits are with it: `python -m benchmarks.quality --rerank always`.
"""

import statistics
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks.figures import CpuTime, Figure
from benchmarks.lifelike import questions, sentences
from benchmarks.stores import open_memory
from recollect import NewMessage
from recollect.models.local import LocalReranker
from recollect.ports import RerankText

_TURNS = 20
_WORDS_A_TURN = 26  # as the chats between people that were measured have them
_CPU_BAR_S = 0.35
_BUDGETS_S = (0.05, 0.15, 0.4)
_CALLS = 20
_MOST_OVER = 1.2
_MESSAGES, _TALK = 10_000, 100
_PROMPTS = 20
_PROMPT_BARS_S = {"off": 0.012, "auto": 0.35}


def measure(folder: Path) -> Iterator[Figure]:
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
    yield from _prompts(str(folder / "prompts.db"))


def _prompts(database: str) -> Iterator[Figure]:
    """Ask before prompts among many messages, with the reranker and without."""
    said = sentences(_MESSAGES)
    with open_memory(database) as memory:
        for start in range(0, _MESSAGES, _TALK):
            messages = [NewMessage("user", text) for text in said[start : start + _TALK]]
            memory.user("me").conversation(f"talk {start}").extend(messages)
        memory.embed_waiting()
    for when, bar_s in _PROMPT_BARS_S.items():
        spent_s, scored = [], 0
        with open_memory(database, hooks__rerank=when, hooks__budget_s=60.0, rerank__threads=1) as memory:
            me = memory.user("me")
            for number, question in enumerate(questions(_PROMPTS + 1)[0]):
                spent = CpuTime()
                with spent:
                    shown = me.before_prompt(question, session=f"{when} {number}")
                spent_s.append(spent.seconds)
                scored += any(hit.parts.rerank for hit in shown.hits)
        median_s = statistics.median(spent_s[1:])  # the first loads the models
        detail = f"{median_s * 1000:.0f} ms, {_MESSAGES:,} messages; {scored} of {_PROMPTS + 1} reranked"
        yield Figure(f"before a prompt, reranker {when}, p50 of the processor", median_s, bar_s, "at most", detail)


def _overrun(reranker: LocalReranker, asked: list[str], turns: list[RerankText], budget_s: float) -> Figure:
    shares, scored = [], []
    for question in asked:
        started = time.thread_time()
        scored.append(len(reranker.score(question, turns, budget_s)))
        shares.append((time.thread_time() - started) / budget_s)
    detail = f"{min(scored)} to {max(scored)} of {_TURNS} turns read in {budget_s * 1000:.0f} ms, {_CALLS} calls"
    return Figure(
        f"reranking within {budget_s * 1000:.0f} ms, longest call", max(shares), _MOST_OVER, "at most", detail
    )


def _turns() -> list[RerankText]:
    """Give turns of the usual length, each with the one before it."""
    words = " ".join(sentences(3 * _TURNS)).split()
    texts = [" ".join(words[number * _WORDS_A_TURN :][:_WORDS_A_TURN]) for number in range(_TURNS + 1)]
    return [RerankText(f"Ann: {text}", f"Tom: {before}") for before, text in pairwise(texts)]
