"""The part for agents is made at their first request, once; without the SDK all else works, and says what to do."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import SettingsError
from recollect.mcp import require_sdk
from recollect.mcp.http import Mcp
from recollect.service.app import DeferredMcp
from tests.service.conftest import Serve


class Agents:
    """Makes parts for agents, and notes what becomes of them; the first attempts fail."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.seen: list[str] = []

    def __call__(self) -> Mcp:
        self.seen.append("made")
        if len(self.seen) <= self.failures:
            raise ImportError("no such module")
        return Mcp(self._answer, self._lifespan)

    async def _answer(self, *_: object) -> None:
        self.seen.append("answered")

    @asynccontextmanager
    async def _lifespan(self) -> AsyncIterator[None]:
        self.seen.append("opened")
        try:
            yield
        finally:
            self.seen.append("closed")


async def asked(mcp: DeferredMcp) -> None:
    """Send a request of which only the arrival matters."""
    request: Any = {}
    await mcp(request, request, request)


def test_requests_that_come_first_at_once_share_what_is_made() -> None:
    agents = Agents()

    async def use() -> None:
        mcp = DeferredMcp(agents)
        async with mcp.lifespan():
            assert agents.seen == []
            await asyncio.gather(*(asked(mcp) for _ in range(5)))

    asyncio.run(use())
    assert agents.seen == ["made", "opened", *["answered"] * 5, "closed"]


def test_a_failure_is_that_of_its_request_and_the_next_tries_again() -> None:
    agents = Agents(failures=1)

    async def use() -> None:
        mcp = DeferredMcp(agents)
        async with mcp.lifespan():
            with pytest.raises(ImportError):
                await asked(mcp)
            await asked(mcp)

    asyncio.run(use())
    assert agents.seen == ["made", "made", "opened", "answered", "closed"]


def test_a_service_starts_without_the_sdk_and_without_tracing(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from recollect import Memory\n"
        "from recollect.service.app import create_service\n"
        "with Memory.open(sys.argv[1]) as memory:\n    create_service(memory)\n"
        "assert not {'mcp', 'mcp_types'} & set(sys.modules)\n"
        "telemetry = [name for name in sys.modules if 'opentelemetry' in name or name.endswith('metrics.tracing')]\n"
        "for name in telemetry:\n    del sys.modules[name]\n"
        "sys.modules['opentelemetry'] = None\n"
        "import recollect.service.metrics.tracing\n"
        "assert not sys.modules['recollect.service.metrics.tracing'].INSTALLED"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "memory.db")], check=True)


@pytest.mark.parametrize("installed", ["", "1.30.0"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_without_the_sdk_or_with_an_old_one_the_service_serves_everything_else(
    serve: Serve, installed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if not installed:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr("recollect.mcp.version", version)
    with pytest.raises(SettingsError, match=r"mcp, version 2\.3 or newer.*recollect\[mcp\]") as error:
        require_sdk()
    assert (installed or "not installed") in str(error.value)
    service = serve(embedding__provider="none")
    with service.client(service.key()) as anna:
        assert anna.post("/api/memories/unified", json={"content": "The kettle is red"}).status_code == 201
        refused = anna.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert (refused.status_code, "recollect[mcp]" in refused.json()["detail"]) == (501, True)
