"""The sources of settings: a configuration file, the environment and arguments, each read into the same form.

Nothing is checked here but names. Values are looked at when it is known which of them count, so that a file that needs
a secret can be overridden where the secret is not at hand.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from recollect.errors import SettingsError
from recollect.settings.declare import ARGUMENT, PREFIX, Entry, SettingsSection, entries, environment_name, walk
from recollect.settings.files import CONFIG_VARIABLE, ConfigFile
from recollect.settings.kinds import plain
from recollect.settings.model import Settings

# Kubernetes sets these in every pod of a namespace that has a service called "recollect".
_INJECTED = re.compile(PREFIX + r"(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?)")

# Variables of other programs that are often set already.
_USUAL = {"NOMINATIM_URL": "places.nominatim_url"}


class Origin(NamedTuple):
    """Where a value was set. `folder` is where a file lies; `substitutes` says whether `${VAR}` is expanded."""

    name: str
    folder: str = ""
    substitutes: bool = True


class SettingValue(NamedTuple):
    """A value that was set. `written` is the name as it was spelled; `parts` stand in place of the value."""

    path: str
    written: str
    origin: Origin
    value: object = None
    parts: "Mapping[str, SettingValue] | None" = None


class UnknownSetting(NamedTuple):
    """A name that no setting has."""

    name: str
    origin: str


SourceItem = SettingValue | UnknownSetting


def from_file(file: ConfigFile | None) -> Iterable[SourceItem]:
    """Read what a configuration file sets."""
    if file is None:
        return ()
    return _read_table(Settings, file.table, Origin(str(file.path), folder=str(file.path.parent)))


def from_environment(environ: Mapping[str, str]) -> Iterator[SourceItem]:
    """Read what environment variables set. An empty one counts as absent, as it does in a shell script."""
    paths = {environment_name(path): path for path, _ in walk(Settings)}
    for name, known in _USUAL.items():
        if environ.get(name) and not environ.get(environment_name(known)):
            yield SettingValue(known, known, Origin(f"environment variable {name}", substitutes=False), environ[name])
    for name, value in environ.items():
        if not value or not name.startswith(PREFIX) or name == CONFIG_VARIABLE or _INJECTED.fullmatch(name):
            continue
        if path := paths.get(name):
            yield SettingValue(path, path, Origin(f"environment variable {name}", substitutes=False), value)
        else:
            yield UnknownSetting(name, "the environment")


def from_overrides(overrides: Mapping[str, object]) -> Iterable[SourceItem]:
    """Read what arguments set, given as nested mappings or by dotted names."""
    nested: dict[str, object] = {}
    for path, value in _leaves(overrides):
        _put(nested, path, value)
    return _read_table(Settings, nested, Origin(ARGUMENT))


def _leaves(table: Mapping[str, object], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, value in table.items():
        path = (*above, *str(name).split("."))
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, path)
        else:
            yield path, value


def _put(table: dict[str, object], path: tuple[str, ...], value: object) -> None:
    *above, last = path
    for part in above:
        inner = table.setdefault(part, {})
        if not isinstance(inner, dict):
            raise SettingsError(f"{part} is given by {ARGUMENT} both as a whole and in parts; keep one of them.")
        table = inner
    if last in table:
        raise SettingsError(f"{'.'.join(path)} is given by {ARGUMENT} twice; keep one of them.")
    table[last] = value


# Names at the top of a file that belong to a section here, as files of other programs have them.
_MOVED: Final = {"zaiApiKey": "embedding.zai_api_key", "zai_api_key": "embedding.zai_api_key"}


def _read_table(
    of: type[SettingsSection], table: Mapping[str, object], origin: Origin, path: str = "", written: str = ""
) -> Iterator[SourceItem]:
    known = {spelling: entry for entry in entries(of) for spelling in entry.spellings()}
    for key, value in table.items():
        entry = known.get(key)
        if entry is None and of is Settings and key in _MOVED:
            yield SettingValue(_MOVED[key], key, origin, value)
        elif entry is None:
            yield UnknownSetting(written + key, origin.name)
        else:
            yield from _read_entry(entry, value, origin, path + entry.name, written + key)


def _read_entry(entry: Entry, value: object, origin: Origin, path: str, written: str) -> Iterator[SourceItem]:
    if entry.section:
        if not isinstance(value, Mapping):
            names = ", ".join(inner.name for inner in entries(entry.section))
            raise SettingsError(
                f"{written} is {plain(value)} (from {origin.name}); expected a table with any of {names}."
            )
        yield from _read_table(entry.section, value, origin, f"{path}.", f"{written}.")
    elif entry.setting and entry.setting.parts and isinstance(value, Mapping):
        items = list(_read_table(entry.setting.parts, value, origin, written=f"{written}."))
        yield from (item for item in items if isinstance(item, UnknownSetting))
        yield SettingValue(path, written, origin, parts=by_path(items))
    else:
        yield SettingValue(path, written, origin, value)


def by_path(items: Iterable[SourceItem]) -> dict[str, SettingValue]:
    """Arrange what one source set by canonical name, and refuse what it set twice in different spellings."""
    arranged: dict[str, SettingValue] = {}
    for item in items:
        if isinstance(item, UnknownSetting):
            continue
        if twin := arranged.get(item.path):
            raise SettingsError(
                f"{twin.written} and {item.written} are the same setting (in {item.origin.name}); keep one of them."
            )
        arranged[item.path] = item
    return arranged
