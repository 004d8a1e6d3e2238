"""Scores by the embeddings that a program configures with `index`: the cosine of the nearest text of an item.

The vectors are kept with the item, as whole numbers of 16 bits: a list of them is not taken for a secret, and the
cosine is right to four digits.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidVector
from recollect_connect.integrations.langgraph.items import StoredItem

_LARGEST: Final = 32_767


def coded(vector: Sequence[float]) -> list[int]:
    """Code a vector for keeping. Raises InvalidVector for one that points nowhere."""
    floats = np.asarray(vector, dtype=np.float64)
    largest = float(np.abs(floats).max(initial=0.0))
    if floats.ndim != 1 or not np.isfinite(largest):
        raise InvalidVector("The embeddings of the store's index gave a vector that is not a list of finite numbers.")
    if not largest:
        return [0] * len(floats)
    codes: list[int] = np.rint(floats / largest * _LARGEST).astype(int).tolist()
    return codes


def best_scores(query: Sequence[float], items: Sequence[StoredItem]) -> dict[str, float]:
    """Give the cosine of each item that has vectors of the query's length, by the id of its memory."""
    wanted = _unit(np.asarray(query, dtype=np.float64))
    scores: dict[str, float] = {}
    for item in items:
        near = [float(wanted @ _unit(row)) for row in _rows(item) if len(row) == len(wanted)]
        if near:
            scores[item.record.id] = max(near)
    return scores


def _rows(item: StoredItem) -> list[NDArray[np.float64]]:
    return [np.asarray(row, dtype=np.float64) for row in item.vectors]


def _unit(row: NDArray[np.float64]) -> NDArray[Any]:
    length = float(np.linalg.norm(row))
    return row / length if length else row
