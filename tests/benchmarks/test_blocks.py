"""The benchmark of blocks: what it counts of a small set, at two budgets."""

from benchmarks.quality.bench import prepared
from benchmarks.quality.sets import OWN_SET, load, spread

from benchmarks import blocks


def test_a_longer_block_holds_at_least_as_much() -> None:
    chosen = load(OWN_SET)
    queries = spread(chosen.queries, 8)
    with prepared(chosen, "sqlite", "none") as bench:
        found = blocks.measure(bench, queries, {queries[0].id: "an answer"}, (80, 900))
    short, long = found[80], found[900]
    assert all(block.tokens <= 80 for block in short)
    assert all(block.tokens <= 900 for block in long)
    assert all(one.turns <= other.turns for one, other in zip(short, long, strict=True))
    assert any(block.turns == 1 for block in long)
    assert [block.words is None for block in long] == [False] + 7 * [True]
    head, total, *_ = blocks.table(long)
    assert head.split()[:3] == ["n", "any", "all"]
    assert total.split()[:2] == ["all", "8"]
