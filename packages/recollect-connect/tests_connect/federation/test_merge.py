"""One list out of several."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.text.clean import fingerprint_text
from recollect_connect.federation import FederatedHit
from recollect_connect.federation.node_answers import merge_hits

NOW = datetime(2026, 3, 1, tzinfo=UTC)
Answers = dict[str, list[FederatedHit]]


def made(node: str, *contents: str) -> list[FederatedHit]:
    return [
        FederatedHit(node, rank, f"{node}-{rank}", "memory", "fact", content, 0.5, NOW, None, 0)
        for rank, content in enumerate(contents, start=1)
    ]


def answers(**contents: Sequence[str]) -> Answers:
    return {node: made(node, *texts) for node, texts in contents.items()}


def shown(hits: Sequence[FederatedHit]) -> list[tuple[str, str]]:
    return [(hit.node, hit.content) for hit in hits]


def test_ranks_alternate_and_what_is_here_comes_first_among_equals() -> None:
    found = merge_hits(answers(office=["o1", "o2"], attic=["a1"], local=["l1", "l2", "l3"]), 10)
    assert shown(found) == [
        ("local", "l1"),
        ("attic", "a1"),
        ("office", "o1"),
        ("local", "l2"),
        ("office", "o2"),
        ("local", "l3"),
    ]
    assert [hit.rank for hit in found] == [1, 1, 1, 2, 2, 3]


def test_what_several_nodes_found_comes_first_and_the_local_copy_is_shown() -> None:
    found = merge_hits(answers(local=["l1", "Tea is nice"], office=["o1", "TEA  is nice!"], attic=["tea is nice."]), 10)
    assert shown(found) == [("local", "Tea is nice"), ("local", "l1"), ("office", "o1")]
    assert [hit.also_in for hit in found] == [("attic", "office"), (), ()]


def test_without_a_local_copy_the_best_rank_is_shown_then_the_first_name() -> None:
    by_rank = merge_hits(answers(local=[], attic=["other", "same"], office=["same"]), 10)
    assert (by_rank[0].node, by_rank[0].also_in) == ("office", ("attic",))
    by_name = merge_hits(answers(office=["same"], attic=["same"], local=[]), 10)
    assert [(hit.node, hit.also_in) for hit in by_name] == [("attic", ("office",))]


def test_scores_are_never_compared() -> None:
    low, high = answers(local=["l1", "l2"], office=["o1", "o2"]), answers(local=["l1", "l2"], office=["o1", "o2"])
    high["office"] = [replace(hit, score=1.0) for hit in high["office"]]
    low["office"] = [replace(hit, score=0.0) for hit in low["office"]]
    assert shown(merge_hits(low, 4)) == shown(merge_hits(high, 4))
    assert [hit.score for hit in merge_hits(high, 4)] == [0.5, 1.0, 0.5, 1.0]


def test_a_node_cannot_push_others_out_by_repeating_itself() -> None:
    found = merge_hits(answers(local=["l1", "l2"], office=["same", "Same", "SAME!"]), 3)
    assert shown(found) == [("local", "l1"), ("office", "same"), ("local", "l2")]


NODES = ("local", "attic", "home", "office")
TEXTS = st.sampled_from([f"text {number}" for number in range(6)] + ["TEXT 1", "text  2.", "Text 3!", "tĕxt", "."])
ANSWERS = st.dictionaries(st.sampled_from(NODES), st.lists(TEXTS, max_size=8)).map(lambda found: answers(**found))


def fingerprints(found: Mapping[str, Sequence[FederatedHit]]) -> set[str]:
    return {fingerprint_text(hit.content) for hits in found.values() for hit in hits}


@given(ANSWERS, st.integers(1, 40))
@settings(deadline=None)
def test_each_text_comes_once_and_none_is_lost_within_the_limit(found: Answers, limit: int) -> None:
    hits = merge_hits(found, limit)
    kept = [fingerprint_text(hit.content) for hit in hits]
    assert len(kept) == len(set(kept)) == min(limit, len(fingerprints(found)))
    assert set(kept) <= fingerprints(found)
    assert hits == merge_hits(found, 1_000)[:limit]
    for hit in hits:
        having = {
            node
            for node, theirs in found.items()
            if any(fingerprint_text(other.content) == fingerprint_text(hit.content) for other in theirs)
        }
        assert {hit.node, *hit.also_in} == having
        assert hit.node not in hit.also_in
        assert hit.node == "local" or "local" not in having


@given(ANSWERS, st.integers(1, 20), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_the_nodes_does_not_matter(found: Answers, limit: int, chance: random.Random) -> None:
    names = list(found)
    chance.shuffle(names)
    assert merge_hits({name: found[name] for name in names}, limit) == merge_hits(found, limit)


@given(ANSWERS)
@settings(deadline=None)
def test_a_node_keeps_its_own_order_among_what_only_it_has(found: Answers) -> None:
    hits = [hit for hit in merge_hits(found, 1_000) if not hit.also_in]
    for node in NODES:
        ranks = [hit.rank for hit in hits if hit.node == node]
        assert ranks == sorted(ranks)


@given(st.dictionaries(st.sampled_from(NODES), st.integers(0, 8), min_size=1), st.integers(1, 40))
@settings(deadline=None)
def test_places_are_shared_out_fairly(sizes: dict[str, int], limit: int) -> None:
    found = answers(**{node: [f"{node} {number}" for number in range(size)] for node, size in sizes.items()})
    hits = merge_hits(found, limit)
    given_places = {node: sum(hit.node == node for hit in hits) for node in sizes}
    for node, places in given_places.items():
        others = max(given_places.values())
        assert places >= min(sizes[node], others - 1)
