"""Cuts texts into the pieces they are found by: at places that stand out, so that a small edit moves little.

The invariant: the same text always gives the same pieces. `RECIPE` is raised whenever it may give others.
"""

from typing import Final

from recollect.text.chunks.cutting import chunk_terms, cut, index
from recollect.text.chunks.masking import mask
from recollect.text.chunks.sessions import cut_session, render_session_line

RECIPE: Final = 2

__all__ = ["RECIPE", "chunk_terms", "cut", "cut_session", "index", "mask", "render_session_line"]
