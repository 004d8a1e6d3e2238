"""What docs/http.md says is true: its Python and its curl calls run against a real service, its table is whole."""

import re
import shutil
import subprocess
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.service.conftest import Running
from tests.service.test_permissions import ROUTES
from tests.test_docs import examples
from tests.waiting import PATIENCE_S

PAGE = Path(__file__).parents[2] / "docs" / "http.md"
_SHELL = re.compile(r"```sh\n(KEY=.*?)```", re.DOTALL)
_ROUTE = re.compile(r"`(?:[A-Z]+ )?(/[^`]*)`")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_python(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_URL", service.url)
    monkeypatch.setenv("RECOLLECT_KEY", service.key())
    monkeypatch.setattr(httpx2, "Client", partial(httpx2.Client, timeout=PATIENCE_S))  # a busy machine takes its time
    names: dict[str, Any] = {"__name__": "__main__"}
    for source, expected in examples(PAGE):
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(source, str(PAGE), "exec"), names)  # noqa: S102 - our own documentation
        assert expected is not None
        assert printed.getvalue() == expected


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_shell(service: Running, tmp_path: Path) -> None:
    (tmp_path / "recollect.db.admin.key").write_text(service.key(scopes=("admin",)), encoding="ascii")
    (block,) = _SHELL.findall(PAGE.read_text(encoding="utf-8"))
    script = block.replace("http://127.0.0.1:8787", service.url).replace("curl ", "curl --fail --silent ")
    ran = subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.count("dark mode") == 1
    assert '"action":"created"' in ran.stdout


def test_every_route_is_named() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(_ROUTE.findall(text))
    assert {line.partition(" ")[2].replace(":path", "") for line in ROUTES} <= named
