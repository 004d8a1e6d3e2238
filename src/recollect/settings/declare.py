"""How a setting is declared: as a dataclass field with a default, a kind and a sentence about it.

Everything else follows from that one line: the names it goes by in files and in the environment, the check of its
value, its row in `recollect status` and in the documentation. Adding a setting means adding a field.
"""

import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from recollect.errors import SettingsError
from recollect.settings.kinds import Unfit, ValueKind, text

T = TypeVar("T")

PREFIX = "RECOLLECT_"
ARGUMENT = "an argument"

DECLARED = "recollect.setting"  # in the metadata of a field


class SettingsSection(Protocol):
    """A dataclass whose fields are settings, or sections with their class as the default factory."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


class CheckedSection:
    """A base for sections: what is built in code is checked as strictly as what is loaded."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def __post_init__(self) -> None:
        conform(self)


class Setting(NamedTuple):
    """What a field says about itself.

    - `default_words`: the default in words, where the value differs from machine to machine or says little.
    - `aliases`: other names it goes by, in snake_case.
    - `parts`: a section that may be written in place of the value, and whose `str` is then the value.
    - `beside_file`: a relative path in a configuration file is meant from that file's folder.
    """

    kind: ValueKind[Any]
    help: str
    default_words: str = ""
    aliases: tuple[str, ...] = ()
    parts: type[SettingsSection] | None = None
    beside_file: bool = False


def setting(
    default: T,
    kind: ValueKind[T],
    help: str,
    *,
    default_words: str = "",
    aliases: tuple[str, ...] = (),
    shown: bool = True,
) -> T:
    """Declare a field that is a setting; one that is not `shown` is left out of the section's `repr`."""
    declared = Setting(kind, help, default_words, aliases)
    return dataclasses.field(default=default, repr=shown, metadata={DECLARED: declared})


def unset(help: str, *, default_words: str = "none", secret: bool = False) -> str:
    """Declare a text that is empty unless it is set; a secret one is never shown."""
    return setting("", text(empty=True, secret=secret), help, default_words=default_words, shown=not secret)


class Entry(NamedTuple):
    """A field of a section: a setting, or a section of its own."""

    name: str
    setting: Setting | None
    section: type[SettingsSection] | None
    needed: bool

    def spellings(self) -> tuple[str, ...]:
        """Give every name that a file may use, the canonical one first."""
        names = (self.name, *(self.setting.aliases if self.setting else ()))
        return tuple(dict.fromkeys((*names, *map(camel_case, names))))


@cache
def entries(of: type[SettingsSection]) -> tuple[Entry, ...]:
    """Give what a section declares, in order. Fields that are neither setting nor section are left out."""
    found = []
    for field in dataclasses.fields(of):
        factory: object = field.default_factory
        section = factory if isinstance(factory, type) and dataclasses.is_dataclass(factory) else None
        setting = field.metadata.get(DECLARED)
        if setting or section:
            needed = field.default is dataclasses.MISSING and factory is dataclasses.MISSING
            found.append(Entry(field.name, setting, section, needed))
    return tuple(found)


def walk(of: type[SettingsSection], above: str = "") -> Iterator[tuple[str, Setting]]:
    """Give every setting with its dotted name, in order."""
    for entry in entries(of):
        if entry.setting:
            yield above + entry.name, entry.setting
        elif entry.section:
            yield from walk(entry.section, f"{above}{entry.name}.")


def camel_case(name: str) -> str:
    """Give the spelling that JSON files prefer: `near_threshold` is `nearThreshold`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def environment_name(path: str) -> str:
    """Give the environment variable of a setting: `recall.limit` is `RECOLLECT_RECALL_LIMIT`."""
    return PREFIX + path.replace(".", "_").upper()


def checked(kind: ValueKind[T], value: object, name: str, *, origin: str = "", written: object = None) -> T:
    """Read a value, or say in one sentence what is wrong with which setting and where it was set.

    `written` is the value before the environment was substituted into it. It is what the message shows, so that a
    secret which got into the wrong place is not printed.
    """
    try:
        return kind.parse(value)
    except Unfit as unfit:
        found = value if written is None else written
        raise SettingsError(_refusal(kind, found, name, origin, str(unfit) or kind.expected)) from None


def _refusal(kind: ValueKind[Any], found: object, name: str, origin: str, expected: str) -> str:
    shown = kind.show(found)
    if kind.noun:
        known = f"Known {kind.noun.split()[-1]}s: {expected}."
        return f"Unknown {kind.noun}: {shown}. {known} It is set by {name}{f' in {origin}' if origin else ''}."
    quoted = f'"{shown}"' if isinstance(found, str) else shown
    return f"{name} is {quoted}{f' (from {origin})' if origin else ''}; expected {expected}."


def conform(section: SettingsSection) -> None:
    """Check each value of a section."""
    for entry in entries(type(section)):
        if entry.setting:
            name = f"{type(section).__name__}.{entry.name}"
            object.__setattr__(section, entry.name, checked(entry.setting.kind, getattr(section, entry.name), name))
