"""The queue before the model. One thread computes: a call uses all cores, and two calls would share them."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from recollect.model.memories import Vector
from recollect.ports import Role
from recollect_connect.e5.models import ServedModel

VectorEncoder = Callable[[Vector], bytes]


class RequestQueue:
    """Computes vectors for one request after the other, first come, first served."""

    def __init__(self, model: ServedModel) -> None:
        self._model = model
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="e5-model")

    async def serve(self, texts: Sequence[str], role: Role, encode: VectorEncoder) -> bytes:
        """Embed texts and encode the answer, both off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._work, texts, role, encode)

    def _work(self, texts: Sequence[str], role: Role, encode: VectorEncoder) -> bytes:
        return encode(self._model.embed(texts, role))

    def close(self) -> None:
        """End the thread after its current request."""
        self._thread.shutdown(wait=False, cancel_futures=True)
