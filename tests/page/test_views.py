"""What each view is for, in a real browser."""

import re
from datetime import UTC, datetime
from pathlib import Path

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


def test_files_show_what_is_in_step_and_take_documents(visit: Visit, tmp_path: Path) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "garden.md").write_text("# Garden\n\nThe roses need water.\n", encoding="utf-8")
    (notes / "clip.md").write_bytes(b"\0\1" * 50)
    anna.files.sync(notes)
    visit.go("Files")
    folder = page.get_by_role("article")
    expect(folder).to_contain_text("notes")
    folder.get_by_text("1 file was left out").click()
    expect(folder.get_by_role("listitem")).to_contain_text("not a text: 1")

    page.get_by_label("Add documents").set_input_files(
        {"name": "gate.md", "mimeType": "text/markdown", "buffer": b"# Gate\n\nIt opens at <b>seven</b>.\n"}
    )
    expect(page.get_by_text("gate.md was added.")).to_be_visible()
    page.get_by_role("link", name="gate.md").click()
    expect(page.get_by_role("listitem")).to_contain_text("It opens at <b>seven</b>.")
    page.get_by_role("button", name="Read the text").click()
    expect(page.locator("pre")).to_contain_text("# Gate")
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("button", name="Forget for good").click()
    expect(page.get_by_role("link", name="garden.md")).to_be_visible()
    expect(page.get_by_role("link", name="gate.md")).to_have_count(0)

    page.get_by_label("Add documents").set_input_files(
        {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 but not really"}
    )
    expect(page.get_by_role("alert")).to_contain_text("broken.pdf")
    visit.complaints.clear()  # the browser notes each answer that is no success, and this one was asked for
