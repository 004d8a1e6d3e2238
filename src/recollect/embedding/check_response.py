"""Vectors as they come over the wire, checked before they are stored.

The invariant: what leaves here is one finite row of unit length per text, in the order of the texts. Whatever cannot be
made that is refused with what was found, never repaired.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbeddingError
from recollect.http_client import HttpResponse
from recollect.model.memories import Vector

_NUMBERS = frozenset("fiu")


def by_index(received: HttpResponse, body: Mapping[str, Any], count: int) -> Sequence[object]:
    """Give the embeddings of an answer that numbers them, in the order of the numbers."""
    items = listed(received, body.get("data"), count)
    found: dict[int, object] = {}
    for item in items:
        index = item.get("index") if isinstance(item, Mapping) else None
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            raise EmbeddingError(
                f"{received.host} numbered a vector {index!r}, expected a number from 0 to {count - 1}. {_ADVICE}"
            )
        if index in found:
            raise EmbeddingError(f"{received.host} gave two vectors for text {index}. {_ADVICE}")
        found[index] = item.get("embedding")
    return [found[index] for index in range(count)]


def listed(received: HttpResponse, found: object, count: int) -> Sequence[Any]:
    """Give what was found in an answer, if it is a list as long as that of the texts."""
    if not isinstance(found, list):
        raise EmbeddingError(f"{received.host} answered without a list of vectors: {received.excerpt}. {_ADVICE}")
    if len(found) != count:
        raise EmbeddingError(f"{received.host} gave {len(found)} vectors for {count} texts. {_ADVICE}")
    return found


def unit_rows(raw: Sequence[object], dimensions: int | None, host: str) -> Vector:
    """Give one row of unit length per embedding, each of them `dimensions` long if that is known."""
    rows = [_numbers(item, number, host) for number, item in enumerate(raw, start=1)]
    expected = dimensions or (len(rows[0]) if rows else 0)
    for number, row in enumerate(rows, start=1):
        if len(row) != expected:
            raise EmbeddingError(
                f"{host} gave a vector of {len(row)} numbers for text {number}, expected {expected}. "
                "Check the model and embedding.dimensions."
            )
    matrix = np.vstack(rows) if rows else np.empty((0, expected))
    return _scaled(matrix, host)


def tokens(found: object) -> int | None:
    """Read a number of tokens; None when there is none."""
    if isinstance(found, str) and found.isascii() and found.isdigit():
        found = int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _numbers(raw: object, number: int, host: str) -> NDArray[np.float64]:
    """Read numbers that come as a list, or as the base64 of little-endian floats."""
    try:
        if isinstance(raw, str):
            row = np.frombuffer(base64.b64decode(raw, validate=True), dtype="<f4")
        else:
            row = np.asarray(raw if isinstance(raw, list) else None)
    except (ValueError, OverflowError, binascii.Error) as error:
        raise EmbeddingError(f"{host} gave an unreadable vector for text {number}: {error}. {_ADVICE}") from error
    if row.ndim != 1 or row.dtype.kind not in _NUMBERS or not len(row):
        kind = type(raw).__name__
        raise EmbeddingError(f"{host} gave no list of numbers for text {number}, but a {kind}. {_ADVICE}")
    return row.astype(np.float64)


def _scaled(matrix: NDArray[np.float64], host: str) -> Vector:
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        raise EmbeddingError(
            f"{host} gave a vector for text {int(np.argmin(finite)) + 1} that holds NaN or infinity. {_ADVICE}"
        )
    peaks = np.abs(matrix).max(axis=1, initial=0.0, keepdims=True)
    if not peaks.all():
        raise EmbeddingError(f"{host} gave a vector of zeros for text {int(np.argmin(peaks)) + 1}. {_ADVICE}")
    level = matrix / peaks  # so that squares neither overflow nor vanish
    return np.asarray(level / np.linalg.norm(level, axis=1, keepdims=True), dtype=np.float32)


_ADVICE = "Nothing was stored of it. Check the model and the address."
