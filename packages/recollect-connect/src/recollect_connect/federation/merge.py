"""Reciprocal rank fusion of the hits of several nodes.

Each node has a model of its own, so scores of two nodes cannot be compared, but ranks can. Each hit counts 1/(60 +
rank), and what several nodes found counts once for each. The invariant: the order of the nodes does not matter, and no
text comes twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from recollect.text.clean import fingerprint_text
from recollect_connect.federation.results import LOCAL_NODE, FederatedHit

_K: Final = 60  # the usual constant: the first places differ little, so that agreement decides


def merge_hits(answers: Mapping[str, Sequence[FederatedHit]], limit: int) -> tuple[FederatedHit, ...]:
    """Give the best hits of all nodes, each text once.

    `answers` has the hits of each node by rank. Of equal texts the local one is shown, or else the best ranked one;
    ties are decided for the local node, then by the names of the nodes.
    """
    groups: dict[str, dict[str, FederatedHit]] = {}
    for node, hits in answers.items():
        for hit in hits:
            groups.setdefault(fingerprint_text(hit.content), {}).setdefault(node, hit)
    best = sorted(groups.values(), key=_sort_key)
    return tuple(_representative(group) for group in best[:limit])


def _sort_key(group: Mapping[str, FederatedHit]) -> tuple[Fraction, tuple[bool, int, str]]:
    # Floats would add up differently in another order, and let the order of the nodes decide after all.
    weight = sum((Fraction(1, _K + hit.rank) for hit in group.values()), Fraction())
    return -weight, min(map(_precedence, group.values()))


def _precedence(hit: FederatedHit) -> tuple[bool, int, str]:
    return hit.node != LOCAL_NODE, hit.rank, hit.node


def _representative(group: Mapping[str, FederatedHit]) -> FederatedHit:
    first, *others = sorted(group.values(), key=_precedence)
    return replace(first, also_in=tuple(sorted(hit.node for hit in others)))
