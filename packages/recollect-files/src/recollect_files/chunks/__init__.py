"""Cuts texts into the pieces they are found by: at places that stand out, so that a small edit moves little.

The invariant: the same text always gives the same pieces; where it may give others, `RECIPE` of the core is raised.
"""

from recollect_files.chunks.cutting import cut, cut_session, render_session_line

__all__ = ["cut", "cut_session", "render_session_line"]
