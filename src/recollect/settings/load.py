"""Loading settings: precedence first, then `${VAR}` substitution, then validation."""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from recollect.errors import SettingsError
from recollect.settings.database import beside
from recollect.settings.declare import Setting, SettingsSection, checked, entries, walk
from recollect.settings.files import read_config
from recollect.settings.model import Settings
from recollect.settings.sources import (
    SettingValue,
    UnknownSetting,
    by_path,
    from_environment,
    from_file,
    from_overrides,
)
from recollect.settings.unknown_names import refuse

S = TypeVar("S", bound=SettingsSection)

_REFERENCE = re.compile(r"\$(?P<escaped>\$\{)|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}|(?P<broken>\$\{)")


def load_settings(
    config: Path | str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Settings:
    """Load the settings: defaults, then the configuration file, then the environment, then `overrides`.

    The file is `config`, or what `RECOLLECT_CONFIG` names, or `recollect.toml` in the user's configuration folder if it
    exists. Overrides are nested mappings or dotted names: `{"recall.limit": 3}`. Raises SettingsError.
    """
    environ = os.environ if environ is None else environ
    file = read_config(config, environ)
    layers = [list(items) for items in (from_file(file), from_environment(environ), from_overrides(overrides or {}))]
    refuse([item for layer in layers for item in layer if isinstance(item, UnknownSetting)])
    set_items = {path: item for layer in layers for path, item in by_path(layer).items()}
    values = _values(Settings, set_items, environ)
    sources = {path: (values[path], item.origin.name) for path, item in set_items.items()}
    return replace(_assembled(Settings, values, set_items), sources=sources)


def _values(
    of: type[SettingsSection], set_items: Mapping[str, SettingValue], environ: Mapping[str, str]
) -> dict[str, object]:
    declared = dict(walk(of))
    return {path: _value(item, declared[path], environ) for path, item in set_items.items()}


def _value(item: SettingValue, declared: Setting, environ: Mapping[str, str]) -> object:
    if item.parts is not None and declared.parts:
        return str(_joined(declared.parts, item, item.parts, environ))
    value = _substituted(item, environ)
    if declared.beside_file and item.origin.folder:
        value = beside(item.origin.folder, value)
    return checked(declared.kind, value, item.written, origin=item.origin.name, written=item.value)


def _joined(of: type[S], whole: SettingValue, parts: Mapping[str, SettingValue], environ: Mapping[str, str]) -> S:
    for entry in entries(of):
        if entry.needed and entry.name not in parts:
            raise SettingsError(f"{whole.written}.{entry.name} is missing (in {whole.origin.name}); it has no default.")
    return _assembled(of, _values(of, parts, environ), parts)


def _assembled(of: type[S], values: Mapping[str, object], set_items: Mapping[str, SettingValue], above: str = "") -> S:
    """Build a section from checked values. What it still refuses is how they go together."""
    arguments: dict[str, object] = {}
    for entry in entries(of):
        path = above + entry.name
        if entry.section:
            arguments[entry.name] = _assembled(entry.section, values, set_items, f"{path}.")
        elif path in values:
            arguments[entry.name] = values[path]
    try:
        return of(**arguments)
    except SettingsError as error:
        origins = dict.fromkeys(item.origin.name for path, item in set_items.items() if path.startswith(above))
        raise SettingsError(f"{error} This section is set by {' and '.join(origins)}.") from None


def _substituted(item: SettingValue, environ: Mapping[str, str]) -> object:
    """Fill in what `${VAR}` stands for, in each text of a list too; `$${` is a `${` that stands for itself."""
    if not item.origin.substitutes:
        return item.value

    def fill(match: re.Match[str]) -> str:
        if match["escaped"]:
            return match["escaped"]
        if match["broken"]:
            raise SettingsError(
                f"{item.written} in {item.origin.name} holds a ${{ that names no variable; write ${{NAME}}, "
                "or $${ for a ${ that stands for itself."
            )
        name = match["name"]
        if name not in environ:
            raise SettingsError(
                f"Environment variable {name} is not set; {item.written} in {item.origin.name} refers to it."
            )
        return environ[name]

    def filled(value: object) -> object:
        return _REFERENCE.sub(fill, value) if isinstance(value, str) else value

    return [filled(part) for part in item.value] if isinstance(item.value, list | tuple) else filled(item.value)
