"""How a store bears growth: one user with up to a million memories, and many users in one file.

    python -m benchmarks scale [--sizes 1e4,1e5,1e6] [--stores DIR] [--write]

Stores are built once and kept in DIR. `--write` makes docs/scale.md and its curves from what was measured.
"""

from benchmarks.scale.command import SIZES, Scale

__all__ = ["SIZES", "Scale"]
