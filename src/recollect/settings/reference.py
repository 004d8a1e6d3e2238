"""The table of all settings for the documentation, made from what the settings say about themselves."""

import dataclasses
from collections.abc import Iterator

from recollect.settings.declare import SettingsSection, entries, walk
from recollect.settings.model import Settings

_HEAD = ("Setting", "Default", "Accepts", "Environment variable", "What it does")


def settings_table() -> str:
    """Give the settings as a Markdown table. It is the same on every machine."""
    rows = [_HEAD, ("---",) * len(_HEAD), *_rows()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _rows() -> Iterator[tuple[str, ...]]:
    declared = dict(walk(Settings))
    for row in Settings().describe():
        setting = declared[row.name]
        default = setting.default_words or f"`{row.default}`"
        yield f"`{row.name}`", default, row.expected, f"`{row.environment}`", row.help
        if setting.parts:
            yield from _part_rows(row.name, setting.parts)


def _part_rows(name: str, parts: type[SettingsSection]) -> Iterator[tuple[str, ...]]:
    defaults = {field.name: field.default for field in dataclasses.fields(parts)}
    for entry in entries(parts):
        if setting := entry.setting:
            shown = "required" if entry.needed else f"`{setting.kind.show(defaults[entry.name])}`"
            yield f"`{name}.{entry.name}`", setting.default_words or shown, setting.kind.expected, "", setting.help
