"""What can go wrong with a provider, by name. `FAULTS` is the matrix that everything above must survive."""

from typing import Final

import numpy as np

from recollect.model.memories import Vector

FAULTS: Final[tuple[str, ...]] = (
    "down",
    "slow",
    "hang",
    "rate_limited_with_pause",
    "rate_limited",
    "error_500",
    "html",
    "truncated",
    "wrong_dimension",
    "nan",
    "zeros",
    "fewer",
    "swapped",
    "huge",
    "redirect",
    "reset",
)
MORE_FAULTS: Final[tuple[str, ...]] = (
    "duplicated",  # an index twice
    "trickled",  # headers that come letter by letter
    "dripped",  # a body that does
    "stalled",  # headers that begin late and do not end
    "announced",  # a length of ten megabytes, and then silence
    "endless",  # a body of unknown length that does not stop
    "unauthorized",
    "forbidden",
    "not_found",
    "refused",  # every request is a bad one
    "empty",  # a body without a byte
)

Indexed = list[tuple[int, Vector]]


def spoil(fault: str | None, vectors: list[Vector]) -> Indexed:
    """Number the vectors of an answer, and do to them what the fault says; most faults are none of theirs."""
    rows: Indexed = [(index, vector.copy()) for index, vector in enumerate(vectors)]
    match fault:
        case "wrong_dimension":
            return [(index, vector[:-1]) for index, vector in rows]
        case "nan":
            rows[-1][1][0] = np.nan
        case "zeros":
            rows[-1][1][:] = 0.0
        case "fewer":
            return rows[:-1]
        case "swapped":
            return rows[::-1]
        case "duplicated":
            return [*rows[:-1], (0, rows[-1][1])]
    return rows
