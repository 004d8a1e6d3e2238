"""Programs that run agents, and how Recollect is installed in them.

    host         the protocol: find a host, plan what changes in its files
    changes      writes plans, keeps backups, shows differences
    json_text    edits JSON and leaves the rest of a file as it is; toml_text does so with TOML
    entries      Recollect's hooks and server of tools in such files
    json_host    what most hosts share
    programs     the hosts; openclaw is one of its own kind

The invariant: a host plans and `changes` writes; what is planned twice changes nothing the second time, and what is
uninstalled leaves no trace.
"""

from recollect.errors import InvalidInput
from recollect_connect.hosts.host import Host
from recollect_connect.hosts.openclaw import OpenClaw
from recollect_connect.hosts.programs import ClaudeCode, CodexCli, Cursor, GeminiCli, OpenCode

HOSTS: tuple[Host, ...] = (ClaudeCode(), CodexCli(), Cursor(), GeminiCli(), OpenClaw(), OpenCode())


def host_named(name: str) -> Host:
    """Give a host by the name that is typed. Raises InvalidInput if there is none of this name."""
    for host in HOSTS:
        if host.name == name:
            return host
    raise InvalidInput(f"Unknown host: {name}. There are {', '.join(host.name for host in HOSTS)}.")
