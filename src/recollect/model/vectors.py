"""Validation of vectors: whatever their source, those that pass are finite, of one length and of unit norm."""

from collections.abc import Sequence

import numpy as np

from recollect.errors import InvalidVector
from recollect.model.memories import Vector, VectorLike

_SMALLEST_SQUARE = 1e-12
_ROUNDING = 1e-6


def as_unit(vector: VectorLike, dimensions: int) -> Vector:
    """Check one vector and scale it to length 1."""
    unit: Vector = np.asarray(vector, np.float32)
    if unit.shape == (dimensions,) and abs(float(unit @ unit) - 1.0) < _ROUNDING:
        return unit  # what most models give; the checks below would find nothing
    (unit,) = as_units([vector], dimensions)
    return unit


def as_units(vectors: Sequence[VectorLike] | Vector, dimensions: int) -> Vector:
    """Check vectors and scale each to length 1."""
    matrix = _as_matrix(vectors, dimensions)
    squares = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
    if not np.isfinite(squares).all() or (squares < _SMALLEST_SQUARE).any():
        row = int(np.flatnonzero(~(np.isfinite(squares) & (squares >= _SMALLEST_SQUARE)))[0])
        what = "is all zeros" if np.isfinite(matrix[row]).all() else "holds NaN or infinity"
        raise InvalidVector(f"Vector {row} {what}. Such a vector would rank at random; ask the model again.")
    if (np.abs(squares - 1.0) < _ROUNDING).all():
        return matrix
    units: Vector = (matrix / np.sqrt(squares)[:, None]).astype(np.float32)
    return units


def _as_matrix(vectors: Sequence[VectorLike] | Vector, dimensions: int) -> Vector:
    try:
        matrix = np.asarray(vectors, np.float32)
    except ValueError:  # they are not even of one length
        matrix = np.empty(0, np.float32)
    if matrix.shape == (len(vectors), dimensions):
        return matrix
    for position, vector in enumerate(vectors):
        if np.shape(vector) != (dimensions,):
            raise InvalidVector(
                f"Vector {position} has the shape {np.shape(vector)}; the embedding model has {dimensions} dimensions."
            )
    return matrix.reshape(-1, dimensions)
