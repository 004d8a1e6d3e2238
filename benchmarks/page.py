"""The page over 10,000 memories and 50,000 messages: how soon a view is painted, and how long tasks block scrolling.

Needs `playwright` and a Chromium, as `make page` does. A first paint counts from the last answer of the service that a
view waits for, so that what is measured is the page and not the store.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import service_crew as crew
from benchmarks.figures import Figure
from recollect import Memory
from recollect.settings import load_settings

_MEMORIES = 10_000
_MESSAGES = 50_000
_CONVERSATIONS = 50
_VIEWS = {
    "memories": "article",
    "timeline": ".plot a",
    "people": "article",
    "conversations": ".list li",
    "conversations/talk-0": ".turns > li",
    "files": "h1",
    "map": ".map a",
}
_MOST_S = 1.0
_LONGEST_MS = 100.0
_SCREENS = 20
_TIMES = """
() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
  const answers = performance.getEntriesByType("resource").map((one) => one.responseEnd);
  done(performance.now() - Math.max(0, ...answers));
})))
"""
_WATCH = """
() => { window.longest = 0; new PerformanceObserver((seen) => {
  for (const task of seen.getEntries()) window.longest = Math.max(window.longest, task.duration);
}).observe({ type: "longtask" }); }
"""
_SCROLL = """
async (screens) => {
  for (let screen = 0; screen < screens; screen += 1) {
    document.querySelectorAll("main section > button").forEach((button) => button.click());
    window.scrollBy(0, innerHeight);
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  }
}
"""


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:  # noqa: ARG001 - the amounts are its own
    """Give the slowest paint and the longest task while scrolling."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only this measurement needs it

    settings = {"database": str(folder / "page.db"), "embedding.provider": "none", "places.geocoder": "none"}
    secret = _furnish(folder / "page.db")
    paints: dict[str, float] = {}
    tasks: dict[str, float] = {}
    with crew.service(settings, folder) as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1200, "height": 800}).new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{running.url}/#login={secret}")
        page.get_by_role("navigation").first.wait_for()
        for view, item in _VIEWS.items():
            page.goto("about:blank")
            page.goto(f"{running.url}/#/{view}")
            page.locator(item).first.wait_for()
            paints[view] = page.evaluate(_TIMES) / 1000
            page.wait_for_load_state("networkidle")
            page.evaluate(_WATCH)
            page.evaluate(_SCROLL, _SCREENS)
            tasks[view] = page.evaluate("longest")
        browser.close()
    yield _worst("page: first paint beyond the answer (s)", paints, _MOST_S)
    yield _worst("page: longest task while scrolling (ms)", tasks, _LONGEST_MS)


def _worst(name: str, measured: dict[str, float], bar: float) -> Figure:
    shown = ", ".join(f"{view} {value:.3g}" for view, value in measured.items())
    return Figure(name, max(measured.values()), bar, "at most", shown)


def _furnish(database: Path) -> str:
    """Fill a store, and give the secret of a link."""
    now = datetime.now(UTC)
    overrides = {"database": str(database), "embedding.provider": "none", "places.geocoder": "none"}
    with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides)) as memory:
        me = memory.me
        me.remember_many(
            {
                "content": f"Fact number {number} about thing {number % 200}",
                "type": "event" if number % 5 == 0 else "fact",
                "subject": f"thing {number % 200}",
                "occurred_at": now - timedelta(hours=number),
                "lat": 40 + (number % 100) / 10,
                "lng": 10 + (number % 70) / 10,
            }
            for number in range(_MEMORIES)
        )
        for talk in range(_CONVERSATIONS):
            me.conversation(f"talk-{talk}").extend(
                {
                    "role": "user",
                    "content": f"Message {number} of talk {talk}",
                    "said_at": now - timedelta(hours=number),
                }
                for number in range(_MESSAGES // _CONVERSATIONS)
            )
        return memory.keys.create_link(user=me.user_id).secret
