"""The reranker that comes with the package: our own cross-encoder, run on this machine, without key or network.

The invariant: nothing is loaded before it is needed.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING

from recollect.errors import RerankerError
from recollect.models.bundled import RERANKER, RERANKER_NAME
from recollect.models.shared_graphs import SharedGraphs, graph_key
from recollect.ports import RerankText

if TYPE_CHECKING:
    from recollect.models.reranker_graph import RerankerGraph


_graphs: SharedGraphs["RerankerGraph"] = SharedGraphs("reranker", RERANKER, RerankerError)


class LocalReranker:
    """Scores texts with the bundled reranker. Any number of threads may share one.

    It reads at most 60 word pieces of a question, 40 of the turn before a text, and 96 of the text: those with the
    most pieces of the question in them.
    """

    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        """Take note of the settings; the model is loaded by `prepare` or by the first `score`.

        `threads` is how many threads one call computes with. `folder` holds the model's files, by default the bundled
        ones.
        """
        self._key = graph_key(threads, folder)
        self._graph: RerankerGraph | None = None
        self._preparing: Thread | None = None

    @property
    def name(self) -> str:
        return RERANKER_NAME

    @property
    def is_remote(self) -> bool:
        """It runs on this machine."""
        return False

    def prepare(self) -> None:
        """Load the model in another thread, if it is not loaded. What goes wrong there, `score` reports."""
        if self._graph is None and self._preparing is None:
            self._preparing = Thread(target=self._try_to_load, name="recollect-reranker")
            self._preparing.start()

    def score(self, question: str, texts: Sequence[RerankText], budget_s: float | None = None) -> Sequence[float]:
        """Score the first texts, as many as the time allows; the time to load the model does not count.

        Raises RerankerError when the model cannot be loaded or fails.
        """
        if not texts:
            return []
        graph = self._loaded()
        return graph.score(question, texts, None if budget_s is None else perf_counter() + budget_s)

    def close(self) -> None:
        """Let go of the model; scoring again would load it again."""
        preparing, self._preparing = self._preparing, None
        if preparing is not None:
            preparing.join()
        self._graph = None

    def _try_to_load(self) -> None:
        try:
            self._loaded()
        except RerankerError:
            self._preparing = None

    def _loaded(self) -> "RerankerGraph":
        graph = self._graph
        if graph is None:
            graph = self._graph = _graphs.get(self._key, _load)
        return graph


def _load(folder: Path, threads: int) -> "RerankerGraph":
    # Imported late on purpose: onnxruntime and tokenizers take time that most commands need not spend.
    from recollect.models.reranker_graph import PieceLimits, RerankerGraph  # noqa: PLC0415

    return RerankerGraph(folder, threads=threads, limits=PieceLimits())
