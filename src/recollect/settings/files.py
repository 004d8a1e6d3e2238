"""The configuration file: where it is, and what stands in it."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from recollect.errors import SettingsError
from recollect.settings.declare import ARGUMENT, PREFIX

CONFIG_VARIABLE = f"{PREFIX}CONFIG"


class ConfigFile(NamedTuple):
    """A configuration file that was read."""

    path: Path
    table: Mapping[str, object]


def read_config(config: Path | str | None, environ: Mapping[str, str]) -> ConfigFile | None:
    """Read the file that was asked for, or else the user's own if there is one."""
    if config is not None:
        return _read(Path(config), asked_by=ARGUMENT)
    if named := environ.get(CONFIG_VARIABLE):
        return _read(Path(named), asked_by=f"environment variable {CONFIG_VARIABLE}")
    own = default_config()
    return _read(own, asked_by="default") if os.path.exists(own) else None  # noqa: PTH110 - a folder out of reach is no error


def default_config() -> Path:
    """Give the path of the file that is read when none is named."""
    import platformdirs  # noqa: PLC0415 - takes 7 ms, which only those who need the folder should pay

    return Path(platformdirs.user_config_dir("recollect", appauthor=False), "recollect.toml")


def _read(named: Path, asked_by: str) -> ConfigFile:
    path = Path(os.path.abspath(os.path.expanduser(named)))  # noqa: PTH100, PTH111 - never raises, follows no link
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise SettingsError(f"Configuration file {path} does not exist; it was named by {asked_by}.") from None
    except OSError as error:
        raise SettingsError(f"Configuration file {path} cannot be read: {error.strerror}.") from error
    return ConfigFile(path, _parse(path, content))


def _parse(path: Path, content: bytes) -> Mapping[str, object]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: expected text in UTF-8.") from None
    if path.suffix.lower() == ".json" or text.lstrip().startswith("{"):
        return _parse_json(path, text)
    return _parse_toml(path, text)


def _parse_toml(path: Path, text: str) -> Mapping[str, object]:
    import tomllib  # noqa: PLC0415 - takes 5 ms, which only those who have a file should pay

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        position = re.search(r"at line (\d+)", str(error))
        line = position[1] if position else text.count("\n") + 1
        raise SettingsError(f"{path}, line {line}: not valid TOML. {error}.") from None


def _parse_json(path: Path, text: str) -> Mapping[str, object]:
    try:
        table = json.loads(text, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        raise SettingsError(f"{path}, line {error.lineno}: not valid JSON. {error.msg}.") from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: not valid JSON. {error}.") from None
    if not isinstance(table, dict):
        raise SettingsError(f"{path}, line 1: expected a JSON object, which starts with {{.")
    return table


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that stands twice in one object; JSON would silently take the last."""
    table: dict[str, object] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"The key {key} occurs twice in one object")
        table[key] = value
    return table
