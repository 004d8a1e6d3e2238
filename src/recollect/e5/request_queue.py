"""The line before the model. One thread computes: a call uses all cores it may, and two calls would share them."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from recollect.e5.models import ServedModel
from recollect.model.memories import Vector
from recollect.ports import Role

VectorEncoder = Callable[[Vector], bytes]


class RequestQueue:
    """Lets requests have their vectors one after the other, in the order in which they came."""

    def __init__(self, model: ServedModel) -> None:
        self._model = model
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="e5-model")

    async def serve(self, texts: Sequence[str], role: Role, write: VectorEncoder) -> bytes:
        """Embed the texts and write the answer, both off the event loop, which stays free to take requests."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._work, texts, role, write)

    def _work(self, texts: Sequence[str], role: Role, write: VectorEncoder) -> bytes:
        return write(self._model.embed(texts, role))

    def close(self) -> None:
        """Let the thread go when it has finished what it is at."""
        self._thread.shutdown(wait=False, cancel_futures=True)
