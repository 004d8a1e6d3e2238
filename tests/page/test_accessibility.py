"""Every view, in light and dark, on a desk and a phone: axe-core finds nothing serious, and nothing is cut off."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conformance.test_clusters import DOG, GUITAR
from tests.service.conftest import Running
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
AXE = ROOT / "build" / "page" / "node_modules" / "axe-core" / "axe.min.js"
PICTURES = ROOT / "build" / "page" / "pictures"
GATE = [f"The gate of {whose} garden opens at seven in the morning" for whose in ("the", "our")]
SIZES = {"desk": (1200, 800), "phone": (390, 800)}
VIEWS = (
    "recall",
    "memories",
    "timeline",
    "people",
    "clusters",
    "conversations",
    "conversations/trip",
    "map",
    "files",
    "insights",
    "store",
)


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("running", ["local"], indirect=True)  # groups need vectors
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_view(browser: Browser, running: Running, scheme: Any, size: str) -> None:
    anna = running.memory.user("anna")
    anna.after_turn([{"role": "user", "content": "My sister is Marta. I prefer window seats."}], session="trip")
    anna.facts.set("light.office", "name", "Sunny")
    anna.facts.set("light.office", "name", "Gloomy", source="web")
    anna.remember("Usually orders the dumplings", lat=49.1951, lng=16.6068, place_label="the pub")
    anna.remember_many(
        [*DOG, *GUITAR, *GATE, "ok", {"content": "New glasses", "occurred_at": datetime(2024, 5, 6, tzinfo=UTC)}]
    )
    width, height = SIZES[size]
    PICTURES.mkdir(parents=True, exist_ok=True)
    # axe-core is added by the test, which the policy of the page rightly forbids
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height}, bypass_csp=True)
    with context:
        context.set_default_timeout(PATIENCE_S * 1000)
        page = context.new_page()
        page.goto(f"{running.url}/#login={running.memory.keys.create_link(user='anna').secret}")
        page.get_by_role("navigation").wait_for()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        page.add_style_tag(content="* { content-visibility: visible !important }")  # a picture is of the whole view
        for view in VIEWS:
            page.evaluate(f"location.hash = '#/{view}'")
            if view == "recall":
                page.get_by_label("Question").fill("which seats?")
                page.get_by_role("button", name="Ask", exact=True).click()
                page.get_by_text("Why it is here").first.click()
            page.locator(f"a[aria-current='page'][href='#/{view.partition('/')[0]}']").wait_for()
            expect(page.get_by_text("Loading …")).to_have_count(0)
            if view == "clusters":
                page.locator(".groups button").first.click()
            page.screenshot(path=PICTURES / f"{view.replace('/', '-')}-{size}-{scheme}.png", full_page=True)
            assert _serious(page) == [], view
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view


def _serious(page: Page) -> list[str]:
    found = page.evaluate("async () => JSON.stringify((await axe.run()).violations)")
    return [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in json.loads(found)
        if one["impact"] in ("serious", "critical")
    ]
