"""Real processes: the gateway of OpenClaw, its command line, and the memory service."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final

from tests.openclaw.installed_host import InstalledHost
from tests.waiting import until

TOKEN: Final = "scripted"  # noqa: S105 - of a gateway that lives for one run
_START_S: Final = 180.0
_STARTS: Final = 5  # on a busy machine the host gives up on itself after five seconds
_OURS: Final = "run-"  # begins the ids of requests that do not come from the plugin


def free_port() -> int:
    """Find a port that is free now."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port: int = opened.getsockname()[1]
        return port


class MemoryService:
    """`recollect serve` on a SQLite file, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self.key_file = folder / "memory.db.admin.key"
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        program = str(Path(sys.executable).with_name("recollect"))
        command = [program, "--database", str(self._folder / "memory.db"), "--json", "serve", "--port", str(self._port)]
        environ = {**os.environ, "RECOLLECT_SESSION_SUMMARIES": "true"}
        with (self._folder / "service.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environ)
        until(lambda: _answers(f"{self.url}/livez"), "the service")

    def kill(self) -> None:
        """Kill it, without a chance to finish anything."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def get(self, path: str, user: str, **query: str) -> Any:
        """Ask it for a user, with the admin's key."""
        address = f"{self.url}{path}?{urllib.parse.urlencode(query)}"
        request = urllib.request.Request(address, headers={**self._bearer(), "X-Recollect-User": user})  # noqa: S310 - on loopback
        request.add_header("X-Request-ID", f"{_OURS}{next(self._numbers)}")
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - on loopback
            return json.load(response)

    def own_milliseconds(self) -> dict[str, list[float]]:
        """Give how long it worked on each request that is not of this run, by route and in their order."""
        took: dict[str, list[float]] = {}
        for line in (self._folder / "service.log").read_text().splitlines():
            entry = json.loads(line) if line.startswith('{"time"') else {}
            if "place" in entry and not entry["request_id"].startswith(_OURS):
                took.setdefault(entry["place"], []).append(entry["ms"])
        return took

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key_file.read_text().strip()}"}


class Gateway:
    """The gateway, which runs the agent's turns."""

    def __init__(
        self, host: InstalledHost, home: Path, config: Mapping[str, Any], environ: Mapping[str, str] | None = None
    ) -> None:
        self._environ = {**host.environ(home), **(environ or {})}
        self._home = home
        self._port = free_port()
        self.log = home / "gateway.log"
        self.debug_log = home / "debug.log"
        whole = {
            **config,
            "gateway": {
                "mode": "local", "port": self._port, "bind": "loopback", "auth": {"mode": "token", "token": TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "logging": {"level": "debug", "file": str(self.debug_log)},
        }  # fmt: skip
        (home / "openclaw.json").write_text(json.dumps(whole, indent=2))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        address = f"http://127.0.0.1:{self._port}/healthz"
        for _ in range(_STARTS):
            with self.log.open("ab") as log:
                process = subprocess.Popen(
                    ["openclaw", "gateway", "run"], env=self._environ, stdout=log, stderr=log, cwd=self._home
                )
            self._process = process
            until(lambda process=process: process.poll() is not None or _answers(address), "the gateway")  # type: ignore[misc]
            if process.poll() is None:
                return
        raise AssertionError(f"the gateway does not start: {self.log.read_text(errors='replace')[-2000:]}")

    def stop(self) -> int:
        """Stop it as a system would, and give its exit code."""
        if self._process is None:
            return 0
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(timeout=_START_S)
        self._process = None
        return code

    def say(self, session: str, text: str) -> str:
        """Run a turn of the agent, and give its answer."""
        body = {"model": "openclaw", "messages": [{"role": "user", "content": text}]}
        headers = {
            "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
            "x-openclaw-session-key": f"agent:main:{session}",
        }  # fmt: skip
        address = f"http://127.0.0.1:{self._port}/v1/chat/completions"
        request = urllib.request.Request(address, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=_START_S) as response:  # noqa: S310 - on loopback
            answer: str = json.load(response)["choices"][0]["message"]["content"]
        return answer

    def run(self, *arguments: str) -> str:
        """Run a command of OpenClaw, and give what it prints."""
        done = subprocess.run(
            ["openclaw", *arguments],
            check=False,
            env=self._environ,
            capture_output=True,
            text=True,
            timeout=_START_S,
            cwd=self._home,
        )
        if done.returncode:
            raise AssertionError(f"openclaw {' '.join(arguments)} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def call(self, method: str, **params: str) -> Any:
        """Call a method of the gateway."""
        given = ("--params", json.dumps(params), "--timeout", "120000", "--token", TOKEN)
        return json.loads(self.run("gateway", "call", method, *given, "--json"))

    def plugin_milliseconds(self) -> list[tuple[str, float]]:
        """Give each hook and tool of the plugin that ran, with its time, from the log."""
        took: list[tuple[str, float]] = []
        seen = set()
        for line in self.debug_log.read_text(errors="replace").splitlines():
            match = re.search(r'"message":"recollect: (\w+) took ([0-9.]+) ms"', line)
            if match and match[0] not in seen:  # the host logs a line twice
                seen.add(match[0])
                took.append((match[1], float(match[2])))
        return took


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as response:  # noqa: S310 - on loopback
            return bool(response.status == 200)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
