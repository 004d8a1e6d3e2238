"""Without the SDK, or with an old one, everything else works, and what needs it says what to do."""

from importlib import metadata

import pytest

from recollect.errors import SettingsError
from recollect.mcp import require_sdk
from tests.service.conftest import Serve

pytestmark = pytest.mark.parametrize("installed", ["", "1.30.0"])


@pytest.fixture(autouse=True)
def found(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if not installed:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr("recollect.mcp.version", version)


def test_the_requirement_is_named(installed: str) -> None:
    with pytest.raises(SettingsError, match=r"mcp, version 2\.3 or newer.*recollect\[mcp\]") as error:
        require_sdk()
    assert (installed or "not installed") in str(error.value)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_service_serves_everything_else(serve: Serve) -> None:
    service = serve(embedding__provider="none")
    with service.client(service.key()) as anna:
        assert anna.post("/api/memories/unified", json={"content": "The kettle is red"}).status_code == 201
        refused = anna.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert refused.status_code == 501
        assert "recollect[mcp]" in refused.json()["detail"]
