"""What of the evidence stands in the block before a prompt, and for how many tokens: `python -m benchmarks.blocks DIR`.

A folder has a set as `benchmarks/quality/sets.py` reads it. Each question is asked as a request of a conversation that
keeps nothing, at several budgets. Of its block is told: whether any and all of the turns that answer it are in it, and
which share of them, how many of the telling words of the expected answer, if the set has one, and how long it is.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.quality.bench import Bench, prepared
from benchmarks.quality.models import embedder_of
from benchmarks.quality.sets import Query, load, spread
from recollect import PromptContext, UserMemory
from recollect.embedding.local import LocalTokenizer
from recollect.text.terms import count_held, query_words

BUDGETS = (250, 500, 1_000, 1_500, 2_000)
_SESSION = "asked by the benchmark"
_UNHURRIED = {"hooks.budget_s": 60.0}


@dataclass(frozen=True, slots=True)
class Block:
    """What is in the block of one question: shares of turns and of words in [0, 1]; None without an answer."""

    category: str
    turns: float
    words: float | None
    tokens: int


def measure(
    bench: Bench, queries: Sequence[Query], answers: Mapping[str, str], budgets: Sequence[int]
) -> dict[int, list[Block]]:
    """Ask all questions at each budget."""
    count = LocalTokenizer().count
    found: dict[int, list[Block]] = {budget: [] for budget in budgets}
    with bench.open(_UNHURRIED) as memory:
        for query in queries:
            me = memory.user(query.user)
            telling = query_words(answers.get(query.id, ""))
            for budget in budgets:
                context = _asked(me, query.text, budget)
                shown = {
                    line
                    for hit in context.hits
                    for known in (hit.id, *hit.folded)
                    for line in bench.stored.get(known, ())
                }
                words = count_held(telling, context.block) / len(telling) if telling else None
                turns = len(query.relevant & shown) / len(query.relevant)
                found[budget].append(Block(query.category, turns, words, count(context.block)))
    return found


def _asked(me: UserMemory, question: str, budget: int) -> PromptContext:
    """Ask in a private conversation, so that no question becomes evidence for another."""
    me.conversation(_SESSION).set_private()
    context = me.before_prompt(question, session=_SESSION, max_tokens=budget)
    if context.degraded:
        raise RuntimeError(f"A block lacks {', '.join(context.degraded)}; nothing can be said of it.")
    return context


def table(blocks: Sequence[Block]) -> Iterator[str]:
    """Give a table for people: all questions, then by category, in percent."""
    groups: defaultdict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        groups["all"].append(block)
        groups[block.category].append(block)
    yield f"{'':16}{'n':>6}{'any':>8}{'all':>8}{'turns':>8}{'words':>8}{'silent':>8}{'tokens':>8}{'longest':>8}"
    for name, group in groups.items():
        told = [block.words for block in group if block.words is not None]
        shares = [fmean(block.turns > 0 for block in group), fmean(block.turns == 1 for block in group)]
        shares += [
            fmean(block.turns for block in group),
            fmean(told) if told else 0.0,
            fmean(not block.tokens for block in group),
        ]
        columns = "".join(f"{100 * share:>8.1f}" for share in shares)
        tokens = [block.tokens for block in group]
        yield f"{name:16}{len(group):>6}{columns}{fmean(tokens):>8.0f}{max(tokens):>8}"


def expected_answers(folder: Path) -> dict[str, str]:
    """Read the answers that a set expects, where it has them."""
    entries = map(json.loads, (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines())
    return {entry["id"]: str(entry["answer"]) for entry in entries if entry.get("answer") is not None}


def main() -> None:
    """Measure the sets that are named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blocks", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--tokens", type=lambda text: [*map(int, text.split(","))], default=BUDGETS, metavar="N,…")
    parser.add_argument("--limit", type=int, metavar="N", help="so many questions, from all over the set")
    parser.add_argument("--model", default="encoder-4", help="the encoder (default encoder-4)")
    parser.add_argument(
        "--vectors", type=Path, default=Path("build/vectors"), metavar="DIR", help="where they are kept"
    )
    asked = parser.parse_args()
    with embedder_of(asked.model, asked.vectors) as embedder:
        for folder in asked.folders:
            chosen = load(folder)
            with prepared(chosen, "sqlite", embedder) as bench:
                queries = spread(chosen.queries, asked.limit)
                found = measure(bench, queries, expected_answers(folder), asked.tokens)
            for budget, blocks in found.items():
                print(f"\n{folder.name}, at most {budget} tokens\n" + "\n".join(table(blocks)), flush=True)


if __name__ == "__main__":
    main()
