"""The files of the page: small, local, the versions they say they are, and nothing else is served."""

import hashlib
import re
from pathlib import Path

import pytest

from recollect.service.routes.page import page_files
from tests.service.conftest import Running

MOST_BYTES = 400 * 1024
VENDORED = {
    "vendor/htm-preact-3.1.1.js": "72284e8e9079c87817145df1110f74e8a2aa040b2fc384922e18dfcb46fc1fd7",
    "vendor/world-atlas-2.0.2-countries-110m.json": "2516c915867c7baf18ddec727aec46c315541a07cfb3d79a6559b05d5e94eee8",
}
SOURCES = Path(__file__).parents[2] / "src" / "recollect" / "service" / "page"


def test_it_is_light() -> None:
    assert sum(len(file.compressed) for file in page_files().values()) <= MOST_BYTES


def test_vendored_files_are_what_their_projects_published() -> None:
    found = {name: hashlib.sha256(file.plain).hexdigest() for name, file in page_files().items() if "vendor/" in name}
    assert {name: found[name] for name in found if name.endswith((".js", ".json"))} == VENDORED


def test_it_loads_nothing_from_elsewhere_and_makes_no_markup() -> None:
    own = [path for path in SOURCES.rglob("*.*") if "vendor" not in path.parts and path.suffix != ".svg"]
    assert len(own) > 8
    for path in own:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|innerHTML|dangerously|document\.write|eval\(|\bstyle=", text), path.name


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_what_a_browser_may_do_with_them(running: Running) -> None:
    with running.client() as browser:
        page = browser.get("/", headers={"Accept": "text/html"})
        policy = page.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert (page.headers["x-frame-options"], page.headers["referrer-policy"]) == ("DENY", "no-referrer")
        script = browser.get("/page/main.js", headers={"Accept-Encoding": "gzip"})
        assert (script.headers["content-encoding"], "import" in script.text) == ("gzip", True)
        again = browser.get("/page/main.js", headers={"If-None-Match": script.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        for path in ("%2e%2e/app.py", "..%2fapp.py", "nothing.js", "", "views", "views/"):
            assert browser.get(f"/page/{path}").status_code == 404
