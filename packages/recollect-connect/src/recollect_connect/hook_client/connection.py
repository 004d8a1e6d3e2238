"""Where the service is, with which key, and how long a hook may take: a small private JSON file.

Without the file, the service of this machine at its usual port is meant, with the key that its first start wrote.
"""

import os

from recollect_connect.hook_client import folders, light_json

DEFAULT_URL = "http://127.0.0.1:8787"
DEFAULT_USER = "default"
PROMPT_BUDGET_S = 2.0
TURN_BUDGET_S = 5.0

_PORTS = {"http": 80, "https": 443}


class InvalidConnection(ValueError):
    """The file cannot be used; the message says why."""


class Connection:
    """How to reach the service. `prompt_budget_s` bounds what a user waits for, `turn_budget_s` the other events."""

    __slots__ = (
        "host", "key", "port", "prefix", "prompt_budget_s", "secure", "spool_folder", "start", "turn_budget_s", "url",
        "user",
    )  # fmt: skip

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str = "",
        user: str = DEFAULT_USER,
        start: "tuple[str, ...]" = (),
        spool_folder: str = "",
        prompt_budget_s: float = PROMPT_BUDGET_S,
        turn_budget_s: float = TURN_BUDGET_S,
    ) -> None:
        self.url = url.rstrip("/")
        self.secure, self.host, self.port, self.prefix = _split(self.url)
        self.key = key
        self.user = user
        self.start = start
        self.spool_folder = spool_folder or os.path.join(folders.data_folder(), "spool")  # noqa: PTH118 - slow import
        self.prompt_budget_s = prompt_budget_s
        self.turn_budget_s = turn_budget_s

    @property
    def target(self) -> str:
        """Whose memory is meant: what is spooled for one is never sent to another."""
        return f"{self.url} {self.user}"


def load(path: str = "") -> Connection:
    """Load a connection from a file, by default the user's own. Raises InvalidConnection."""
    try:
        with open(path or folders.config_file(), "rb") as file:  # noqa: PTH123 - slow import
            given = light_json.loads(file.read())
    except FileNotFoundError:
        if path:
            raise InvalidConnection(f"{path} does not exist") from None
        given = {}
    except (OSError, ValueError) as error:
        raise InvalidConnection(f"{path or folders.config_file()} cannot be read: {error}") from None
    if not isinstance(given, dict):
        raise InvalidConnection(f"{path} holds no JSON object")
    default_key = os.path.join(folders.data_folder(), "recollect.db.admin.key")  # noqa: PTH118 - slow import
    return Connection(
        url=_text(given, "url", DEFAULT_URL),
        key=_text(given, "key", "") or _read_key(_text(given, "key_file", default_key)),
        user=_text(given, "user", DEFAULT_USER),
        start=_words(given, "start"),
        spool_folder=_text(given, "spool_folder", ""),
        prompt_budget_s=_seconds(given, "prompt_budget_s", PROMPT_BUDGET_S),
        turn_budget_s=_seconds(given, "turn_budget_s", TURN_BUDGET_S),
    )


def _read_key(path: str) -> str:
    """Read a key; without one the service refuses, and what is to be saved waits in the spool."""
    try:
        with open(os.path.expanduser(path), encoding="ascii") as file:  # noqa: PTH111, PTH123 - slow import
            return file.read(500).strip()
    except (OSError, ValueError):
        return ""


def _text(given: "dict[str, object]", name: str, default: str) -> str:
    value = given.get(name, default)
    if not isinstance(value, str) or any(letter < " " for letter in value):
        raise InvalidConnection(f"{name} must be a text of one line")
    return value


def _words(given: "dict[str, object]", name: str) -> "tuple[str, ...]":
    value = given.get(name, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise InvalidConnection(f"{name} must be a list of texts")
    return tuple(value)


def _seconds(given: "dict[str, object]", name: str, default: float) -> float:
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 600:  # noqa: PLR2004
        raise InvalidConnection(f"{name} must be a number of seconds, at most 600")
    return float(value)


def _split(url: str) -> "tuple[bool, str, int, str]":
    """Give whether a URL is encrypted, its host, port and path."""
    scheme, mark, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    host, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        host, port = place, str(_PORTS.get(scheme, 0))
    host = host.strip("[]")
    if not mark or scheme not in _PORTS or not host or not port.isdigit() or "@" in place or not url.isascii():
        raise InvalidConnection(f"url is {url!r}; it must be http:// or https:// with a host and perhaps a port")
    return scheme == "https", host, int(port), slash + path
