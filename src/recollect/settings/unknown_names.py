"""Unknown setting names: all of them in one error, each with suggestions."""

import difflib
import re
from collections.abc import Iterator, Sequence

from recollect.errors import SettingsError
from recollect.settings.declare import PREFIX, SettingsSection, entries, environment_name, walk
from recollect.settings.model import Settings
from recollect.settings.sources import UnknownSetting

MOST_SUGGESTIONS = 3
_REMOVED = {"duplicates.near_threshold": "It was removed: nearness no longer decides what is a duplicate. Take it out."}


def refuse(unknown_settings: Sequence[UnknownSetting]) -> None:
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
    suggestions = _suggestions(unknown)
    question = f" Did you mean {_one_of(suggestions)}?" if suggestions else ""
    return f"{unknown.name} in {unknown.origin}.{question}"


def _one_of(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


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
