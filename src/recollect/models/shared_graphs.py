"""Loaded models that are shared within a process: any number of readers or rerankers over the same files use one."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from recollect.errors import ModelDamaged, RecollectError, SettingsError
from recollect.forking import module_lock
from recollect.models.bundled import FOLDER, ReleasedFile, check_files

G = TypeVar("G")


class SharedGraphs(Generic[G]):
    """The loaded graphs of one model, by folder and number of threads. The last user of one frees it.

    Make one for a module: it lasts as long as the process. A forked child loads its own, because another thread may
    have been in the middle of a graph.
    """

    def __init__(self, model: str, files: Mapping[str, ReleasedFile], error: type[RecollectError]) -> None:
        self._model = model
        self._files = files
        self._error = error
        self._graphs: WeakValueDictionary[tuple[Path, int], G] = WeakValueDictionary()
        self._loading = module_lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._graphs.clear)

    def get(self, key: tuple[Path, int], load: Callable[[Path, int], G]) -> G:
        """Give a graph, loaded if none is yet. Raises the model's error when its files or a library are unfit."""
        with self._loading:
            graph = self._graphs.get(key)
            if graph is None:
                graph = self._graphs[key] = self._load(key, load)
        return graph

    def _load(self, key: tuple[Path, int], load: Callable[[Path, int], G]) -> G:
        try:
            check_files(key[0], self._files)
            return load(*key)
        except ModelDamaged as error:
            raise self._error(str(error)) from error
        except ImportError as error:
            message = f"The local {self._model} cannot run, because a library cannot be imported: {error}."
            raise self._error(f"{message} Reinstall the package.") from error


def graph_key(threads: int, folder: Path | None) -> tuple[Path, int]:
    """Check how a model is to be loaded; without a folder, from the files that come with the package."""
    if threads < 1:
        raise SettingsError(f"threads is {threads}, expected at least 1.")
    return folder or FOLDER, threads
