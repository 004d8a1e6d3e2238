"""Where the memories are kept: a path, a PostgreSQL URL, or the parts of one.

The invariant: a URL that leaves this module is read by libpq exactly as it is read here, so what `hide_password` takes
for the password is the password. What the two might read differently is refused.
"""

import os
import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from recollect.settings.declare import DECLARED, CheckedSection, Setting, setting, unset
from recollect.settings.kinds import HIDDEN, Unfit, ValueKind, clean, plain, switch, text, whole

SCHEME = "postgresql://"
IN_MEMORY = ":memory:"

_URL = re.compile(
    r"""postgres(?:ql)?://
        (?: (?P<user> [^:@/?]* ) (?: : (?P<password> [^@/?]* ) )? @ )?
        (?P<hosts> [^@/?]* )
        (?: / (?P<database> [^@/?]* ) )?
        (?: \? (?P<query> [^@]* ) )?""",
    re.VERBOSE,
)
_HOST = re.compile(r"(?: \[ [^\[\]]+ \] | [^:\[\]]* ) (?: : \d* )?", re.VERBOSE)
_UNESCAPED = re.compile(r"\s | %(?![0-9A-Fa-f]{2})", re.VERBOSE)
_QUERY_PASSWORD = re.compile(r"(?<![^&])(\w*password=)[^&]*", re.IGNORECASE)
_ANY_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/+")
_CONNECTION_STRING = re.compile(r"\s*(?:host|hostaddr|port|dbname|user|password|service|sslmode)\s*=")
_LOGIN = re.compile(r"[^:/\\]{2,}:.*@")


def hide_password(location: str) -> str:
    """Give a database's path or URL as it may be shown, with `***` in place of every password.

    Where it is not clear which part the password is, more is hidden.
    """
    if url := _split(location):
        if url["query"]:
            location = location[: url.start("query")] + _QUERY_PASSWORD.sub(rf"\1{HIDDEN}", url["query"])
        if url["password"]:
            location = location[: url.start("password")] + HIDDEN + location[url.end("password") :]
        return location
    if scheme := _ANY_SCHEME.match(location):
        return scheme[0] + HIDDEN
    return location if _is_path(location) else HIDDEN


def data_folder() -> str:
    """Give the folder in which this user's programs keep their data."""
    import platformdirs  # noqa: PLC0415 - takes 7 ms, which only those who need the folder should pay

    return platformdirs.user_data_dir("recollect", appauthor=False)


def default_database() -> str:
    """Give the path of the database in the user's data folder."""
    return os.path.join(data_folder(), "recollect.db")  # noqa: PTH118


def beside(folder: str, value: object) -> object:
    """Let a relative path start from a folder; anything else stays as it is."""
    if isinstance(value, str) and value.strip() and value != IN_MEMORY and value[0] != "~" and _is_path(value):
        return os.path.join(folder, value.strip())  # noqa: PTH118 - pathlib would drop the dots and slashes of a typo
    return value


def _is_path(value: str) -> bool:
    return not any(pattern.match(value) for pattern in (_ANY_SCHEME, _CONNECTION_STRING, _LOGIN))


def _split(value: str) -> re.Match[str] | None:
    """Split a URL, if it is unambiguous."""
    url = _URL.fullmatch(value)
    if not url or _UNESCAPED.search(value) or not all(map(_HOST.fullmatch, url["hosts"].split(","))):
        return None
    try:
        decoded = unquote(value, errors="strict")
    except UnicodeDecodeError:
        return None
    return None if "\0" in decoded else url


def _parse(value: object) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str) or not value.strip():
        raise Unfit
    location = clean(value.strip())
    if _is_path(location):
        return _parse_path(location)
    if not location.startswith(("postgresql://", "postgres://")):
        raise Unfit(f"a path, or a URL that starts with {SCHEME}")
    if not _split(location):
        raise Unfit(
            f"{SCHEME}user:password@host:port/database with special characters percent-encoded (@ as %40, / as %2F), "
            "or a table with the parts, which may hold any character"
        )
    return SCHEME + location.partition("://")[2]


def _parse_path(value: str) -> str:
    path = os.path.expanduser(value)  # noqa: PTH111 - pathlib would drop a final slash
    if path.startswith("~"):
        raise Unfit("a path below a home folder that exists")
    if path.endswith(("/", os.sep)):
        raise Unfit("the path of a file, not of a folder")
    return path


def _show(value: object) -> str:
    return hide_password(str(value)) if isinstance(value, str | os.PathLike) else plain(value)


LOCATION = ValueKind("a path, a postgresql:// URL, or a table with its parts", _parse, _show)


def _parse_servers(value: object) -> tuple[str, ...]:
    parts = [] if value == "none" else value.split() if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise Unfit
    urls = [clean(part.strip()) if isinstance(part, str) else "" for part in parts]
    if not all(url.startswith(("postgresql://", "postgres://")) and _split(url) for url in urls):
        raise Unfit(f"a list of {SCHEME}user:password@host:port/database with special characters percent-encoded")
    return tuple(dict.fromkeys(SCHEME + url.partition("://")[2] for url in urls))


def _show_servers(value: object) -> str:
    parts = value.split() if isinstance(value, str) else value
    return " ".join(map(_show, parts)) or "none" if isinstance(parts, list | tuple) else plain(value)


SERVERS = ValueKind(
    "a list of postgresql:// URLs (in one text, with spaces between them), or none", _parse_servers, _show_servers
)


@dataclass(frozen=True, slots=True)
class DatabaseServer(CheckedSection):
    """The parts of a PostgreSQL URL, for people who would rather not percent-encode a password."""

    database: str = field(metadata={DECLARED: Setting(text(), "Name of the PostgreSQL database.")})
    host: str = setting("localhost", text(), "Host name, address, or folder of the server's socket.")
    port: int = setting(5432, whole(1, 65535), "Port of the server.")
    user: str = unset("Role to log in as.", default_words="the account that runs it")
    password: str = unset("Password of the role.", secret=True)
    ssl: bool = setting(False, switch(), "Refuse a connection that is not encrypted.")

    def __str__(self) -> str:
        host = f"[{quote(self.host, safe=':')}]" if ":" in self.host else _quoted(self.host)
        password = f":{_quoted(self.password)}" if self.password else ""
        login = f"{_quoted(self.user)}{password}@" if self.user or password else ""
        query = "?sslmode=require" if self.ssl else ""
        return f"{SCHEME}{login}{host}:{self.port}/{_quoted(self.database)}{query}"

    def __repr__(self) -> str:
        return f"DatabaseServer({hide_password(str(self))!r})"


def _quoted(part: str) -> str:
    return quote(part, safe="")
