"""The file that tells the hook client where the service is: written by an installation, for the owner's eyes only."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from recollect.errors import InvalidInput
from recollect_connect.hook_client import connection, exchange, folders
from recollect_connect.hook_client.spool import Spool, SpoolStatus
from recollect_connect.hosts.host import FileChange, read_file

_LOCAL = ("127.0.0.1", "localhost", "::1")
_WAIT_S = 2.0


def connection_path() -> Path:
    """Give the path of the file."""
    return Path(folders.config_file())


def read_connection() -> dict[str, Any]:
    """Give what the file says; empty if it is not there. Raises InvalidInput if it cannot be understood."""
    content = read_file(connection_path())
    try:
        said = json.loads(content) if content else {}
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise InvalidInput(f"{connection_path()} is not a JSON object. Mend it, or delete it and install again.")
    return said


def plan_connection(said: Mapping[str, Any]) -> FileChange:
    """Plan to write the file. Raises InvalidInput for a URL that cannot be one."""
    port_of(str(said.get("url", connection.DEFAULT_URL)))
    path = connection_path()
    before = read_file(path)
    unchanged = before is not None and read_connection() == said
    content = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
    return FileChange(path, before, before if unchanged else content.encode(), private=True)


def plan_no_connection() -> FileChange:
    """Plan to delete the file."""
    return FileChange(connection_path(), read_file(connection_path()), None, private=True)


def port_of(url: str) -> int:
    """Give the port of a URL. Raises InvalidInput for a URL that cannot be one."""
    try:
        return connection.Connection(url).port
    except connection.InvalidConnection as error:
        raise InvalidInput(f"{error}.") from None


def is_local(url: str) -> bool:
    """Tell whether a URL is of this machine."""
    return urlsplit(url).hostname in _LOCAL


def service_answers() -> bool:
    """Tell whether the service of the file answers now, and takes the key."""
    try:
        opened = connection.load()
        answer = exchange.get(opened, "/api/hooks/session-start", {"max_tokens": "0"}, exchange.Deadline(_WAIT_S))
    except (connection.InvalidConnection, exchange.NoAnswer):
        return False
    return answer.status == 200  # noqa: PLR2004 - HTTP


def spool_status() -> SpoolStatus:
    """Count what waits for the service."""
    return Spool(spool_folder(), "").status()


def spool_folder() -> str:
    """Give the folder in which turns wait for the service."""
    try:
        return connection.load().spool_folder
    except connection.InvalidConnection:
        return connection.Connection().spool_folder
