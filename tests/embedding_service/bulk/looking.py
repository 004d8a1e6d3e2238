"""What can be seen of batches from outside, and how to get between handing one in and noting it."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest

from recollect import Memory
from recollect.embedding.batches import GeminiBulk, OpenAiBulk
from recollect.engine.base.embedders import PROBE
from recollect.engine.vectors.batch_embedding import PAIRS
from tests.providers.server import ProviderServer

TEXTS = [f"Lantern {number} hangs over pier {number % 7}" for number in range(20)]

Open = Callable[..., Memory]


def embedded(memory: Memory) -> tuple[int, int, int]:
    """Say how many memories have a vector, how many wait, and how many were given up on."""
    stats = memory.user("me").stats()
    return stats.with_vector, stats.pending_jobs, stats.parked_jobs


def ordinary(host: ProviderServer) -> int:
    """Count the texts that were embedded one request at a time, but for those that only try the provider."""
    return len([text for text in host.texts if text not in (PROBE, *chain.from_iterable(PAIRS))])


def kept_at(host: ProviderServer, provider: str) -> int:
    """Count what a provider has of the texts: files at OpenAI, batches at Gemini."""
    return len(host.batches.files if provider == "openai" else host.batches.batches)


def handed_in_at(provider: str) -> str:
    """Say where a batch is handed in."""
    return {"openai": "/batches", "gemini": ":asyncBatchEmbedContent"}[provider]


def patched_submit(
    provider: str, patch: pytest.MonkeyPatch, before: Callable[[], object], after: Callable[[], object] = int
) -> None:
    """Let something happen while the first batch is being handed in, and after any was."""
    adapter: Any = {"openai": OpenAiBulk, "gemini": GeminiBulk}[provider]
    submit = adapter.submit
    happened: list[object] = []

    def slowly(self: Any, texts: Any) -> Any:
        if not happened:
            happened.append(None)
            before()
        made = submit(self, texts)
        after()
        return made

    patch.setattr(adapter, "submit", slowly)
