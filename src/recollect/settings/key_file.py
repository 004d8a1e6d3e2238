"""Where the first admin key of a store is kept, and the key of kept secrets. Installations name the former."""

from pathlib import Path

from recollect.settings.database import IN_MEMORY, data_folder
from recollect.settings.model import Settings

_NAME = "admin.key"
_SECRETS_NAME = "secrets.key"


def admin_key_file(settings: Settings) -> Path:
    """Give the path of the first key: beside an SQLite file, in the data folder when the store is on a server."""
    if settings.serve.admin_key_file:
        return Path(settings.serve.admin_key_file).expanduser()
    if "://" in settings.database:
        return Path(data_folder()) / _NAME
    return Path(f"{Path(settings.database).expanduser()}.{_NAME}")


def secret_key_file(settings: Settings) -> Path | None:
    """Give the path of the key of kept secrets: beside an SQLite file; None where none is named."""
    if settings.secret_key_file:
        return Path(settings.secret_key_file).expanduser()
    if "://" in settings.database or settings.database == IN_MEMORY:
        return None
    return Path(f"{Path(settings.database).expanduser()}.{_SECRETS_NAME}")
