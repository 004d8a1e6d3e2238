"""The first admin key, made and written to a file when a store has never had one."""

import os
from dataclasses import dataclass
from pathlib import Path

from recollect.api.memory import Memory
from recollect.errors import SettingsError, UnknownKey
from recollect.settings import admin_key_file


@dataclass(frozen=True, slots=True)
class FirstKey:
    """The first admin key, and the file that only its owner can read."""

    secret: str
    file: Path


def find_key_file(memory: Memory) -> Path | None:
    """Give the file with the first key, if it is where it was put and still opens the store."""
    file = admin_key_file(memory.settings)
    try:
        memory.keys.identify(file.read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError, UnknownKey):
        return None
    return file


def create_first_key(memory: Memory) -> FirstKey | None:
    """Make the admin's key if the store never had one, and write it to a file. A revoked one is not replaced."""
    if memory.keys.had_admin():
        return None
    file = admin_key_file(memory.settings)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SettingsError(
            f"This store has no admin key yet, but {file} exists: it belongs to another store, or to a first start "
            "that was interrupted. Move it away, or set serve.admin_key_file."
        ) from None
    except OSError as error:
        raise SettingsError(f"The admin key cannot be written to {file}: {error}. Set serve.admin_key_file.") from error
    made = memory.keys.create("admin", scopes=("admin",))
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(f"{made.secret}\n")
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        memory.keys.revoke(made.key.id)
        raise SettingsError(
            f"The admin key cannot be written to {file}: {error}. It was revoked; make one with `recollect keys create "
            "--scope admin`."
        ) from error
    return FirstKey(made.secret, file)
