"""What each view is for, in a real browser."""

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Visit
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # the page knows routes, not stores
expect.set_options(timeout=PATIENCE_S * 1000)


def test_the_timeline_leads_from_years_to_an_hour(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    for year in range(2010, 2024):
        anna.events.log(f"Fireworks of {year}", occurred_at=datetime(year, 6, 15, 12, tzinfo=UTC))
    anna.remember_many(
        {"content": f"Firework number {number}", "occurred_at": datetime(2023, 6, 15, 13, tzinfo=UTC)}
        for number in range(60)
    )
    anna.conversation("party").append("user", "What a show!", said_at=datetime(2023, 6, 15, 13, 5, tzinfo=UTC))
    visit.go("Timeline")
    plot = page.get_by_role("figure").get_by_role("link")
    expect(plot).to_have_count(14)
    plot.filter(has_text="2023").click()
    expect(page.get_by_text("Choose a bar to look closer")).to_be_visible()
    page.get_by_role("link", name=re.compile("^June 2023: 1 event, 60 memories, 1 message$")).click()
    page.get_by_role("link", name=re.compile("15")).click()
    expect(plot).to_have_count(2)
    expect(page.get_by_text("Fireworks of 2023")).to_be_visible()
    plot.last.click()
    expect(page.get_by_text("What a show!")).to_be_visible()
    expect(page.get_by_text("Fireworks of 2023")).to_have_count(0)
    page.get_by_role("checkbox", name="Memories").uncheck()
    expect(page.get_by_text("Firework number 7", exact=True)).to_have_count(0)
    page.get_by_role("link", name="party").click()
    expect(page.get_by_role("heading", name="party")).to_be_visible()
