"""Scores of what was found: recall, reciprocal rank and gain, averaged over all questions and over each category."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.figures import Figure
from benchmarks.quality.sets import Query

COLUMNS = ("R@1", "R@5", "R@10", "R@20", "R@50", "hit@10", "MRR", "nDCG@10")
COMPARED = ("R@1", "R@10", "MRR")
MOST_BELOW = 0.5
FEWEST_COMPARED = 40

Row = Mapping[str, float]
Table = Mapping[str, Row]


@dataclass(frozen=True, slots=True)
class Found:
    """What a question brought: lines, best first, and how sure the answer is that it is one."""

    lines: Sequence[str]
    answerable: float | None


def score(ranked: Sequence[str], relevant: frozenset[str]) -> Row:
    """Score one ranking, best first. An id that comes twice counts where it came first."""
    hits = [place for place, found in enumerate(dict.fromkeys(ranked)) if found in relevant]
    row = {f"R@{depth}": sum(place < depth for place in hits) / len(relevant) for depth in (1, 5, 10, 20, 50)}
    row["hit@10"] = float(any(place < 10 for place in hits))
    row["MRR"] = 1 / (hits[0] + 1) if hits else 0.0
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(relevant))))
    row["nDCG@10"] = sum(1 / math.log2(place + 2) for place in hits if place < 10) / ideal
    return row


def tabulate(queries: Sequence[Query], answers: Mapping[str, Found]) -> Table:
    """Average the scores of all queries and of each category, in percent."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for query in queries:
        row = score(answers[query.id].lines, query.relevant)
        groups["all"].append(row)
        groups[query.category].append(row)
    return {
        name: {
            "n": len(rows),
            **{column: round(100 * sum(r[column] for r in rows) / len(rows), 1) for column in COLUMNS},
        }
        for name, rows in groups.items()
    }


def shown(title: str, table: Table) -> str:
    """Give a table for people."""
    head = f"{title:16}{'n':>6}" + "".join(f"{column:>9}" for column in COLUMNS)
    body = [f"{name:16}{row['n']:>6}" + "".join(f"{row[c]:>9}" for c in COLUMNS) for name, row in table.items()]
    return "\n".join((head, *body))


def below_best(fused: Table, channels: Mapping[str, Table]) -> Iterator[Figure]:
    """Say for each group that is large enough how far the fusion is below the better of its channels, in points."""
    for name, row in fused.items():
        if row["n"] < FEWEST_COMPARED or not channels:
            continue
        below: dict[str, float] = {}
        for column in COMPARED:
            best = max(table[name][column] for table in channels.values())
            below[column] = round(best - row[column], 1)
        detail = ", ".join(f"{column} {points:+.1f}" for column, points in below.items())
        yield Figure(f"{name}, fusion below its best channel", max(below.values()), MOST_BELOW, "at most", detail)


def auc(own: Sequence[float], others: Sequence[float]) -> float:
    """Give the chance that one of the first is above one of the second; equal ones count half."""
    wins = sum((mine > other) + 0.5 * (mine == other) for mine in own for other in others)
    return wins / (len(own) * len(others))


def answerable(own: Mapping[str, Found], strangers: Mapping[str, Found]) -> str:
    """Say how well an answer tells that it is one, given what was found by those who can know and who cannot."""
    mine, others = (
        [one.answerable for one in found.values() if one.answerable is not None] for found in (own, strangers)
    )
    if not mine or not others:
        return "answerable: this version does not say"
    averages = f"{statistics.mean(mine):.2f} for the own user, {statistics.mean(others):.2f} for another"
    return f"answerable: AUC {auc(mine, others):.3f} | {averages}, {len(mine)} queries"
