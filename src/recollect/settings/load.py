"""Loading settings: from a configuration file, the environment and arguments, each read into the same form.

Precedence first, then `${VAR}` substitution, then validation: values are looked at when it is known which of them
count, so that a file that needs a secret can be overridden where the secret is not at hand. Unknown names are refused
at once, all of them in one error.
"""

import difflib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from recollect.errors import SettingsError
from recollect.settings.database import beside
from recollect.settings.declare import (
    ARGUMENT,
    PREFIX,
    Entry,
    Setting,
    SettingsSection,
    checked,
    entries,
    environment_name,
    walk,
)
from recollect.settings.kinds import plain
from recollect.settings.model import Settings

S = TypeVar("S", bound=SettingsSection)

CONFIG_VARIABLE = f"{PREFIX}CONFIG"
MOST_SUGGESTIONS = 3

# Kubernetes sets these in every pod of a namespace that has a service called "recollect".
_INJECTED = re.compile(PREFIX + r"(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?)")

# Variables of other programs that are often set already.
_USUAL = {"NOMINATIM_URL": "places.nominatim_url"}

# Names at the top of a file that belong to a section here, as files of other programs have them.
_MOVED: Final = {"zaiApiKey": "embedding.zai_api_key", "zai_api_key": "embedding.zai_api_key"}
_REMOVED = {"duplicates.near_threshold": "It was removed: nearness no longer decides what is a duplicate. Take it out."}
_REFERENCE = re.compile(r"\$(?P<escaped>\$\{)|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}|(?P<broken>\$\{)")


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
    sources = (_from_file(config, environ), _from_environment(environ), _from_overrides(overrides or {}))
    layers = [list(items) for items in sources]
    _refuse([item for layer in layers for item in layer if isinstance(item, UnknownSetting)])
    set_items = {path: item for layer in layers for path, item in _by_path(layer).items()}
    values = _values(Settings, set_items, environ)
    loaded_from = {path: (values[path], item.origin.name) for path, item in set_items.items()}
    return replace(_assembled(Settings, values, set_items), sources=loaded_from)


def _from_file(config: Path | str | None, environ: Mapping[str, str]) -> Iterable[SourceItem]:
    """Read what the file sets that was asked for, or else the user's own if there is one."""
    if config is not None:
        return _read(Path(config), asked_by=ARGUMENT)
    if named := environ.get(CONFIG_VARIABLE):
        return _read(Path(named), asked_by=f"environment variable {CONFIG_VARIABLE}")
    own = default_config()
    return _read(own, asked_by="default") if os.path.exists(own) else ()  # noqa: PTH110 - a folder out of reach is no error


def default_config() -> Path:
    """Give the path of the file that is read when none is named."""
    import platformdirs  # noqa: PLC0415 - takes 7 ms, which only those who need the folder should pay

    return Path(platformdirs.user_config_dir("recollect", appauthor=False), "recollect.toml")


def _read(named: Path, asked_by: str) -> Iterable[SourceItem]:
    path = Path(os.path.abspath(os.path.expanduser(named)))  # noqa: PTH100, PTH111 - never raises, follows no link
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise SettingsError(f"Configuration file {path} does not exist; it was named by {asked_by}.") from None
    except OSError as error:
        raise SettingsError(f"Configuration file {path} cannot be read: {error.strerror}.") from error
    return _read_table(Settings, _parse(path, content), Origin(str(path), folder=str(path.parent)))


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


def _from_environment(environ: Mapping[str, str]) -> Iterator[SourceItem]:
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


def _from_overrides(overrides: Mapping[str, object]) -> Iterable[SourceItem]:
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
        yield SettingValue(path, written, origin, parts=_by_path(items))
    else:
        yield SettingValue(path, written, origin, value)


def _by_path(items: Iterable[SourceItem]) -> dict[str, SettingValue]:
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


def _refuse(unknown_settings: Sequence[UnknownSetting]) -> None:
    """Raise an error that names every unknown setting, if there is any."""
    if not unknown_settings:
        return
    lines = [_line(unknown) for unknown in unknown_settings]
    if not all(
        _suggestions(unknown) or "was removed" in line for unknown, line in zip(unknown_settings, lines, strict=True)
    ):
        lines.append(f"Known settings: {', '.join(name for name, _ in walk(Settings))}.")
    start = "Unknown setting:" if len(unknown_settings) == 1 else "Unknown settings:"
    raise SettingsError("\n".join([start, *lines]) if len(lines) > 1 else f"{start} {lines[0]}")


def _line(unknown: UnknownSetting) -> str:
    for path, what_became_of_it in _REMOVED.items():
        if unknown.name in (environment_name(path), path.partition(".")[0]) or _snake_case(unknown.name) == path:
            return f"{unknown.name} in {unknown.origin}. {what_became_of_it}"
    *most, last = _suggestions(unknown) or [""]
    question = f" Did you mean {', '.join(most)} or {last}?" if most else f" Did you mean {last}?" if last else ""
    return f"{unknown.name} in {unknown.origin}.{question}"


def _suggestions(unknown: UnknownSetting) -> list[str]:
    if unknown.name.startswith(PREFIX):
        variables = [environment_name(path) for path, _ in walk(Settings)]
        return difflib.get_close_matches(unknown.name, variables, MOST_SUGGESTIONS, cutoff=0.8)
    name, known = _snake_case(unknown.name), list(_names(Settings))
    typing_slips = difflib.get_close_matches(name, known, MOST_SUGGESTIONS, cutoff=0.85)
    elsewhere = [path for path in known if path.rpartition(".")[2] == name.rpartition(".")[2]]
    return typing_slips or elsewhere or difflib.get_close_matches(name, known, MOST_SUGGESTIONS, cutoff=0.75)


def _names(of: type[SettingsSection], above: str = "") -> Iterator[str]:
    """Give every name that may be written in a file, sections and parts of a value included."""
    for entry in entries(of):
        path = above + entry.name
        yield path
        if inner := entry.section or (entry.setting and entry.setting.parts):
            yield from _names(inner, f"{path}.")


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().replace("-", "_")


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
