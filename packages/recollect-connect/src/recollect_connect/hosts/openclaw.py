"""OpenClaw: the plugin takes its memory slot, and its configuration says where the service and the key are.

OpenClaw's own hooks call the plugin, so it needs neither the hook client nor the server of tools.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from recollect.errors import InvalidInput
from recollect.settings import Settings, admin_key_file, load_settings
from recollect_connect.hosts import json_text
from recollect_connect.hosts.changes import backup_of
from recollect_connect.hosts.connection_file import is_local, port_of
from recollect_connect.hosts.host import FileChange, HostPlan, InstallRequest, InstallScope, Machine, read_file
from recollect_connect.hosts.json_host import parsed, plan_edit, plan_removal

_ID: Final = "recollect"
_ENTRY: Final = ("plugins", "entries", _ID)
_SLOT: Final = ("plugins", "slots", "memory")
_PATHS: Final = ("plugins", "load", "paths")
_ALLOWED: Final = ("plugins", "allow")
_ONE_CONFIGURATION: Final = (
    "OpenClaw has one configuration for all projects, so nothing changes. Leave out --scope project."
)
_NOTED: Final = ("key-file", "service.json")  # the latter by earlier versions, with secrets
_LOOPBACK: Final = "127.0.0.1"


class OpenClaw:
    """A gateway that runs agents for chats."""

    name = "openclaw"
    title = "OpenClaw"
    runs_hooks = False

    def find(self, machine: Machine) -> Path | None:
        """Give the program, or else its folder."""
        folder = _state_folder(machine)
        return machine.program("openclaw") or (folder if folder.is_dir() else None)

    def installed_in(self, machine: Machine) -> tuple[Path, ...]:
        """Give the configuration, if the plugin is in it."""
        file = _config_file(machine)
        return (file,) if _member(parsed(file), _ENTRY) is not None else ()

    def plan_install(self, machine: Machine, request: InstallRequest) -> HostPlan:
        """Plan to load the plugin, give it the memory slot, and say where the service is."""
        if request.scope == "project":
            return HostPlan((), (_ONE_CONFIGURATION,))
        settings = _settings(machine, request)
        entry = _entry(settings, request)
        path = str(plugin_folder())

        def edit(text: str) -> str:
            edited = json_text.put(text, _ENTRY, _merged(json_text.find(text, _ENTRY), entry))
            edited = json_text.put(edited, _SLOT, _ID)
            edited = _without_plugin_paths(edited, keep=path)
            if path not in _listed(edited, _PATHS):
                edited = json_text.append(edited, _PATHS, path)
            if json_text.find(edited, _ALLOWED) is not None and _ID not in _listed(edited, _ALLOWED):
                edited = json_text.append(edited, _ALLOWED, _ID)
            return edited

        config = entry["config"]
        start = "The gateway starts it." if request.starts_service else "Start it with `recollect serve`."
        key = "" if request.key_file else f" Its first start writes the key to {config['apiKeyFile']}."
        seen = "A running gateway sees it after `openclaw gateway restart`. `openclaw pgmem stats` shows that it works."
        notes = (f"The service is expected at {config['url']}. {start}{key}", seen)
        return HostPlan((plan_edit(_config_file(machine), edit),), notes)

    def plan_uninstall(self, machine: Machine, scope: InstallScope) -> HostPlan:
        """Plan to give the memory slot back, and to take the plugin out."""
        if scope == "project":
            return HostPlan((), (_ONE_CONFIGURATION,))
        file = _config_file(machine)
        slot_before = _member(parsed(backup_of(file)), _SLOT)

        def edit(text: str) -> str:
            edited = _remove(text, _ENTRY)
            if _member(json_text.parse(edited), _SLOT) == _ID:
                edited = (
                    _remove(edited, _SLOT) if slot_before in (None, _ID) else json_text.put(edited, _SLOT, slot_before)
                )
            edited = _without_plugin_paths(edited)
            if _ID in _listed(edited, _ALLOWED):
                edited = json_text.remove(edited, (*_ALLOWED, _listed(edited, _ALLOWED).index(_ID)))
            return _prune(edited, _PATHS)

        return HostPlan((plan_removal(file, edit), *_plan_forgetting_the_service(machine, parsed(file))))


def plugin_folder() -> Path:
    """Give the folder of the plugin: in the installed package, or in a checkout of the sources."""
    installed = Path(__file__).with_name("openclaw_plugin")
    return installed if installed.is_dir() else Path(__file__).parents[5] / "plugins" / "openclaw"


def _plan_forgetting_the_service(machine: Machine, config: object) -> Iterator[FileChange]:
    """Plan to delete what the plugin noted of a service that it started; what waits to be delivered stays."""
    named = _member(config, (*_ENTRY, "config", "spoolDir"))
    folder = Path(named).expanduser() if isinstance(named, str) and named else _state_folder(machine) / _ID
    for path in (folder / name for name in _NOTED):
        yield FileChange(path, read_file(path), None, private=True)


def _state_folder(machine: Machine) -> Path:
    return machine.folder("OPENCLAW_STATE_DIR", ".openclaw")


def _config_file(machine: Machine) -> Path:
    named = machine.environ.get("OPENCLAW_CONFIG_PATH")
    return Path(named).expanduser() if named else _state_folder(machine) / "openclaw.json"


def _settings(machine: Machine, request: InstallRequest) -> Settings:
    given = dict(zip(request.options[::2], request.options[1::2], strict=False))
    overrides = {name: given[f"--{name}"] for name in ("database", "user") if f"--{name}" in given}
    return load_settings(given.get("--config"), environ=machine.environ, overrides=overrides)


def _entry(settings: Settings, request: InstallRequest) -> dict[str, Any]:
    """Give what stands under the plugin's name. Raises InvalidInput for a URL that cannot be one, or lacks a key."""
    if request.url:
        port_of(request.url)  # which also refuses a login in it
    if request.url and not request.key_file and not is_local(request.url):
        raise InvalidInput(f"{request.url} is on another machine. Name a file with a key for it: --key-file FILE.")
    host = _LOOPBACK if settings.serve.host in ("0.0.0.0", "::", "") else settings.serve.host  # noqa: S104 - not bound
    config = {
        "url": request.url or f"http://{f'[{host}]' if ':' in host else host}:{settings.serve.port}",
        "apiKeyFile": request.key_file or str(admin_key_file(settings)),
        "ownerUser": settings.user,
        **({"startService": True} if request.starts_service else {}),
        **({"command": request.program[0]} if len(request.program) == 1 else {}),
    }
    return {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": config}


def _merged(node: json_text.JsonNode | None, entry: dict[str, Any]) -> dict[str, Any]:
    """Keep what the user set besides."""
    present = node.value if node and isinstance(node.value, dict) else {}
    config = present.get("config")
    return {**present, **entry, "config": {**(config if isinstance(config, dict) else {}), **entry["config"]}}


def _listed(text: str, path: tuple[str, ...]) -> list[object]:
    found = _member(json_text.parse(text), path)
    return found if isinstance(found, list) else []


def _without_plugin_paths(text: str, keep: str = "") -> str:
    """Take out paths of this plugin: of another version, too, whose package lay elsewhere."""
    while stale := [each for each in _listed(text, _PATHS) if each != keep and _is_plugin(each)]:
        text = json_text.remove(text, (*_PATHS, _listed(text, _PATHS).index(stale[0])))
    return text


def _is_plugin(path: object) -> bool:
    return isinstance(path, str) and (
        path == str(plugin_folder()) or Path(path).parts[-2:] == ("hosts", "openclaw_plugin")
    )


def _member(value: object, path: tuple[str, ...]) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _remove(text: str, path: tuple[str, ...]) -> str:
    return _prune(json_text.remove(text, path), path[:-1])


def _prune(text: str, path: tuple[str, ...]) -> str:
    """Remove what is empty on the way to a path, from its end on."""
    while path and _member(json_text.parse(text), path) in ({}, []):
        text, path = json_text.remove(text, path), path[:-1]
    return text
