"""The reader and the reranker that come with the package, run on this machine, without a key and without a network.

The invariant: nothing is loaded before it is needed, and any number of readers or rerankers over the same files share
what is loaded within a process.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar
from weakref import WeakValueDictionary

from recollect.errors import ModelDamaged, ReaderError, RecollectError, RerankerError, SettingsError
from recollect.forking import module_lock
from recollect.model.readings import NEED_NONE, Reading
from recollect.models.bundled import FOLDER, READER, READER_NAME, RERANKER, RERANKER_NAME, ReleasedFile, check_files
from recollect.ports import RerankText

if TYPE_CHECKING:
    from recollect.models.reader_graph import ReaderGraph
    from recollect.models.reranker_graph import RerankerGraph

G = TypeVar("G")


class SharedGraphs(Generic[G]):
    """The loaded graphs of one model, by folder and number of threads. The last user of one frees it.

    Make one for a module: it lasts as long as the process. A forked child loads its own, because another thread may
    have been in the middle of a graph.
    """

    def __init__(
        self,
        model: str,
        files: Mapping[str, ReleasedFile],
        error: type[RecollectError],
        load: Callable[[Path, int], G],
    ) -> None:
        self._model = model
        self._files = files
        self._error = error
        self._load = load
        self._graphs: WeakValueDictionary[tuple[Path, int], G] = WeakValueDictionary()
        self._loading = module_lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._graphs.clear)

    def get(self, folder: Path, threads: int) -> G:
        """Give a graph, loaded if none is yet. Raises the model's error when its files or a library are unfit."""
        with self._loading:
            graph = self._graphs.get((folder, threads))
            if graph is None:
                try:
                    check_files(folder, self._files)
                    graph = self._graphs[folder, threads] = self._load(folder, threads)
                except ModelDamaged as error:
                    raise self._error(str(error)) from error
                except ImportError as error:
                    message = f"The local {self._model} cannot run, because a library cannot be imported: {error}."
                    raise self._error(f"{message} Reinstall the package.") from error
        return graph


# Imported late on purpose: onnxruntime and tokenizers take time that most commands need not spend.


def _load_reader(folder: Path, threads: int) -> "ReaderGraph":
    from recollect.models.reader_graph import ReaderGraph  # noqa: PLC0415

    return ReaderGraph(folder, threads=threads)


def _load_reranker(folder: Path, threads: int) -> "RerankerGraph":
    from recollect.models.reranker_graph import PieceLimits, RerankerGraph  # noqa: PLC0415

    return RerankerGraph(folder, threads=threads, limits=PieceLimits())


class _LocalModel(Generic[G]):
    """A model that is loaded when it is first needed. Any number of threads may share one."""

    _graphs: ClassVar[SharedGraphs[Any]]

    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        """Take note of the settings.

        `threads` is how many threads one call computes with. `folder` holds the model's files, by default the bundled
        ones.
        """
        if threads < 1:
            raise SettingsError(f"threads is {threads}, expected at least 1.")
        self._folder = folder or FOLDER
        self._threads = threads
        self._graph: G | None = None

    def close(self) -> None:
        """Let go of the model; using it again would load it again."""
        self._graph = None

    def _loaded(self) -> G:
        graph = self._graph
        if graph is None:
            graph = self._graph = self._graphs.get(self._folder, self._threads)
        return graph


class LocalReader(_LocalModel["ReaderGraph"]):
    """Reads messages with the bundled reader. Any number of threads may share one.

    A message of at most 128 word pieces is read at once, a longer one in windows, and its need of memory is judged by
    its beginning and its end. One of more than 4,000 pieces is taken for pasted text: it has no statements.
    """

    _graphs = SharedGraphs("reader", READER, ReaderError, _load_reader)

    @property
    def name(self) -> str:
        return READER_NAME

    @property
    def costs(self) -> bool:
        """It spends nothing but time."""
        return False

    def read(self, text: str, before: str = "") -> Reading:
        """Read one message after the turn before it.

        One that is empty needs no memory; one that is not valid Unicode cannot be judged.

        Raises ReaderError when the model cannot be loaded or fails.
        """
        if not text.strip():
            return Reading(need=NEED_NONE, reader=READER_NAME)
        try:
            text.encode()
            before.encode()
        except UnicodeEncodeError:
            return Reading(reader=READER_NAME)
        return self._loaded().read(text, before)


class LocalReranker(_LocalModel["RerankerGraph"]):
    """Scores texts with the bundled reranker. Any number of threads may share one.

    It reads at most 60 word pieces of a question, 40 of the turn before a text, and 96 of the text: those with the
    most pieces of the question in them.
    """

    _graphs = SharedGraphs("reranker", RERANKER, RerankerError, _load_reranker)
    _preparing: Thread | None = None

    @property
    def name(self) -> str:
        return RERANKER_NAME

    @property
    def is_remote(self) -> bool:
        """It runs on this machine."""
        return False

    def prepare(self) -> None:
        """Load the model in another thread, if it is not loaded. What goes wrong there, `score` reports."""

        def load() -> None:
            try:
                self._loaded()
            except RerankerError:
                self._preparing = None

        if self._graph is None and self._preparing is None:
            self._preparing = Thread(target=load, name="recollect-reranker")
            self._preparing.start()

    def score(self, question: str, texts: Sequence[RerankText], budget_s: float | None = None) -> Sequence[float]:
        """Score the first texts, as many as so much processor time allows; that to load the model does not count.

        Raises RerankerError when the model cannot be loaded or fails.
        """
        if not texts:
            return []
        return self._loaded().score(question, texts, budget_s)

    def close(self) -> None:
        """Let go of the model; scoring again would load it again."""
        preparing, self._preparing = self._preparing, None
        if preparing is not None:
            preparing.join()
        super().close()
