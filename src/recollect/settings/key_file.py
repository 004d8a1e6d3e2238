"""Where the first admin key of a store is kept. The service writes it, and installations name it."""

from pathlib import Path

from recollect.settings.database import data_folder
from recollect.settings.model import Settings

_NAME = "admin.key"


def admin_key_file(settings: Settings) -> Path:
    """Give the path of the first key: beside an SQLite file, in the data folder when the store is on a server."""
    if settings.serve.admin_key_file:
        return Path(settings.serve.admin_key_file).expanduser()
    if "://" in settings.database:
        return Path(data_folder()) / _NAME
    return Path(f"{Path(settings.database).expanduser()}.{_NAME}")
