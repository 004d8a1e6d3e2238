"""A service with a few memories, and a Chromium that looks at its page. Without one, these tests are left out.

`make page` installs what is missing and runs the slow ones, too.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from recollect import Memory
from tests.service.conftest import Running, Serve
from tests.service.conftest import serve as serve  # noqa: PLC0414 - a fixture of these tests, too
from tests.waiting import PATIENCE_S

expect.set_options(timeout=PATIENCE_S * 1000)

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="package")  # while it runs, no other test can run an event loop in this process
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("needs a Chromium: `make page` installs one on Debian")
    opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"], timeout=PATIENCE_S * 1000)
    yield opened
    opened.close()


@pytest.fixture
def running(serve: Serve, request: pytest.FixtureRequest) -> Running:
    """A service without vectors, unless a test gives a provider."""
    return serve(embedding__provider=getattr(request, "param", "none"), serve__search_log="queries")


@dataclass
class Visit:
    """A reader's window on the page, and what the browser complained of."""

    page: Page
    running: Running
    complaints: list[str] = field(default_factory=list)

    @property
    def memory(self) -> Memory:
        """The store behind the page."""
        return self.running.memory

    def go(self, view: str) -> None:
        """Choose a view in the navigation."""
        self.page.get_by_role("navigation").get_by_role("link", name=view, exact=True).click()

    def ask(self, question: str) -> None:
        """Ask the memory."""
        self.page.get_by_label("Question").fill(question)
        self.page.get_by_role("button", name="Ask", exact=True).click()


@pytest.fixture
def visit(browser: Browser, running: Running) -> Iterator[Visit]:
    """A visit of the user `anna`, logged in by a link."""
    with browser.new_context(viewport={"width": 1100, "height": 800}) as context:
        context.set_default_timeout(PATIENCE_S * 1000)
        visit = Visit(context.new_page(), running)
        visit.page.on("console", lambda told: visit.complaints.append(told.text) if told.type == "error" else None)
        visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        secret = running.memory.keys.create_link(user="anna").secret
        visit.page.goto(f"{running.url}/#login={secret}")
        visit.page.get_by_role("navigation").wait_for()
        yield visit
        assert visit.complaints == []
