"""What the other distributions of Recollect add: commands, routes, readers, adapters, and modules under older names.

A distribution `recollect-*` names a module of tables in the entry-point group `recollect.plugins`. A table is named
like its group, and says for each name where to find what stands behind it:

    commands = {"slack": "recollect_connect.cli.slack"}

The invariant: the core imports no other distribution, reads nothing before something is looked up, and then imports
what was asked for and no more. It reads the entry points itself: `importlib.metadata` takes 50 ms to be imported.
"""

import os
import sys

TYPE_CHECKING = False  # a hook imports this, and has no time for `typing`

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

    from recollect.errors import PackageMissing

_GROUP = "recollect.plugins"

# Parts of the core that have moved out, by the names under which programs go on importing them.
_MOVED = {
    "e5": "recollect_connect.e5",
    "federation": "recollect_connect.federation",
    "hook_client": "recollect_connect.hook_client",
    "hosts": "recollect_connect.hosts",
    "importing": "recollect_connect.importing",
    "integrations": "recollect_connect.integrations",
}
_tables: "list[ModuleType] | None" = None


def find(group: str, name: str, package: str) -> "Any":  # noqa: ANN401 - a plugin is whatever its group says
    """Import what a package adds to a group under a name. Raises PackageMissing when the package is not installed."""
    for found in installed(group, name):
        return found
    raise missing(name, package)


def installed(group: str, name: str) -> "list[Any]":
    """Import what a package adds to a group under a name; nothing when it is not installed."""
    global _tables  # noqa: PLW0603 - as `functools.cache` would, whose import takes longer than this
    if _tables is None:  # those of all distributions on the path are imported once
        _tables = [_import(module) for module in _entry_points()]
    targets = [getattr(tables, group, {}).get(name) for tables in _tables]
    found = []
    for module, _, attribute in (target.partition(":") for target in targets if target):
        plugin = _import(module)
        found.append(getattr(plugin, attribute) if attribute else plugin)
    return found


def missing(what: str, package: str) -> "PackageMissing":
    """Make the error for something that comes with a package."""
    from recollect.errors import PackageMissing  # noqa: PLC0415 - a hook has no time for it

    return PackageMissing(f"{what} needs the package {package}, which is not installed: pip install {package}")


def _entry_points() -> "list[str]":
    """Give the modules that distributions name in our group; each distribution counts where it is found first."""
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")  # noqa: PTH208 - pathlib is slow
        except OSError:  # not a folder
            continue
        for entry in entries:
            distribution = entry.partition("-")[0]
            is_ours = entry.startswith("recollect_") and entry.endswith(".dist-info")
            if is_ours and distribution not in found:
                found[distribution] = os.path.join(folder, entry, "entry_points.txt")  # noqa: PTH118 - pathlib is slow
    return sorted(module for file in found.values() for module in _named_in(file))


def _named_in(file: str) -> "list[str]":
    try:
        with open(file, encoding="utf-8") as lines:  # noqa: PTH123 - pathlib is slow
            _, _, section = lines.read().partition(f"[{_GROUP}]\n")
    except OSError:
        return []
    listed = section.partition("\n[")[0].splitlines()
    return [line.partition("=")[2].strip() for line in listed if "=" in line]


def _import(module: str) -> "ModuleType":
    __import__(module)
    return sys.modules[module]


class _StandIn:
    """Finds and loads what has moved under its older name, as the same module object."""

    def find_spec(self, fullname: str, *_given: object) -> "ModuleSpec | None":
        """Find a module that has moved. Raises PackageMissing if its package is not installed."""
        if not fullname.startswith("recollect."):
            return None
        part, _, rest = fullname[len("recollect.") :].partition(".")
        if part not in _MOVED:
            return None
        from importlib.util import find_spec, spec_from_loader  # noqa: PLC0415 - most programs get by without

        home = _MOVED[part]
        try:
            found = find_spec(f"{home}.{rest}" if rest else home)
        except ModuleNotFoundError as error:
            if error.name != home.partition(".")[0]:
                raise
            raise missing(fullname, home.partition(".")[0].replace("_", "-")) from None
        if found is None:
            return None
        package = found.submodule_search_locations is not None
        return spec_from_loader(fullname, _StandInLoader(found), is_package=package)  # type: ignore[arg-type]


class _StandInLoader:
    def __init__(self, spec: "ModuleSpec") -> None:
        self._spec = spec

    def create_module(self, _spec: object) -> "ModuleType":
        """Give the module itself."""
        return _import(self._spec.name)

    def exec_module(self, module: "ModuleType") -> None:
        """Leave the module as it is; the import system has replaced its spec by that of the older name."""
        module.__spec__ = self._spec

    def get_code(self, _fullname: str) -> "CodeType | None":
        """Give what `python -m` runs."""
        return self._spec.loader.get_code(self._spec.name)  # type: ignore[union-attr, no-any-return]


def stand_in() -> None:
    """Let what has moved be imported under its older names, too; before all others, which would load it once more."""
    sys.meta_path.insert(0, _StandIn())
