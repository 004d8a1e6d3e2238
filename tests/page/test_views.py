"""What each view is for, in a real browser."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Visit

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # the page knows routes, not stores


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
    expect(page.get_by_role("heading", name="What a show!")).to_be_visible()


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


def test_recall_narrows_expands_and_says_why_not(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    anna.remember("Prefers window seats", type="preference")
    anna.remember("The seats of the car are red", type="fact", subject="car")
    for text in ("Which seats shall I book?", "Take the window seats.", "Booked."):
        anna.conversation("trip").append("user", text)
    anna.files.add(b"# Plane\n\nThe window seats are cold.\n\n# Train\n\nIt is late.\n", name="travel.md")
    page.get_by_text("Filters").click()
    page.get_by_label("Type").select_option("preference")
    visit.ask("window seats")
    expect(page.get_by_role("article")).to_have_text(re.compile("Prefers window seats"))

    page.get_by_text("Why not this one?").click()
    page.get_by_label("Words of the memory").fill("red car")
    page.get_by_role("button", name="Look for it").click()
    page.get_by_role("listitem").filter(has_text="are red").get_by_role("button").click()
    expect(page.get_by_text("The filter “Type” leaves it out.")).to_be_visible()
    expect(page.get_by_text("Without filters it is at place 2")).to_be_visible()

    page.get_by_label("Where to look").select_option("all")
    visit.ask("window seats")
    said = page.get_by_role("article").filter(has_text="Take the window seats.")
    said.get_by_text("The turns around it").click()
    expect(said.get_by_text("Which seats shall I book?")).to_be_visible()
    file = page.get_by_role("article").filter(has_text="seats are cold")
    file.get_by_text("The lines around it").click()
    expect(file.locator("pre")).to_contain_text("It is late.")


def test_people_settle_doubts_and_see_where_values_come_from(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    anna.facts.set("Marta", "birthday", "3 May")
    anna.facts.set("Marta", "birthday", "5 May", source="web")
    anna.facts.set("Marta", "city", "Brno")
    anna.facts.set("Marta", "city", "Praha", source="web")
    anna.after_turn([{"role": "user", "content": "My sister is Marta."}], session="trip")
    visit.go("People and things")
    doubts = page.locator(".doubt")
    expect(doubts).to_have_count(2)
    doubts.filter(has_text="birthday").get_by_role("button", name="Take the other").click()
    expect(doubts).to_have_count(1)
    doubts.get_by_role("button", name="Keep what is held true").click()
    expect(doubts).to_have_count(0)
    assert {fact.key: fact.value for fact in anna.facts("Marta")} == {"birthday": "5 May", "city": "Brno"}

    city = page.get_by_role("article").filter(has_text="city: Brno").first
    city.get_by_role("button", name="Correct").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("city").fill("Olomouc")
    expect(dialog.get_by_label("What is right")).to_have_value("Marta city: Olomouc")
    expect(dialog).to_contain_text("Searches and prompts use it from now on")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("article").filter(has_text="Marta city: Olomouc")).to_be_visible()
    assert anna.facts("Marta", key="city")[0].value == "Olomouc"

    sister = page.get_by_role("article").filter(has_text="My sister is Marta")
    sister.get_by_role("button", name="Where it is from").click()
    expect(sister.get_by_role("link", name="trip").last).to_be_visible()
    expect(sister.locator("mark")).to_contain_text("Marta")


def test_a_conversation_shows_its_summary_what_it_taught_and_its_switch(visit: Visit) -> None:
    page, talk = visit.page, visit.memory.user("anna").conversation("trip")
    visit.memory.user("anna").after_turn([{"role": "user", "content": "My sister is Marta."}], session="trip")
    for number in range(8):
        talk.append("assistant" if number % 2 else "user", f"Thing number {number} of the trip")
    talk.compact(keep_recent=2)
    visit.go("Conversations")
    page.get_by_role("link", name="My sister is Marta").click()
    summary = page.get_by_role("region", name="Live summary")
    summary.get_by_text("What it was made from").click()
    expect(summary.get_by_text("Thing number 0 of the trip", exact=True)).to_be_visible()
    turn = page.locator("section > .turns > li").filter(has_text="My sister is Marta.")
    expect(turn.get_by_role("list", name="Learned here")).to_contain_text("Marta")
    page.get_by_label("private").check()
    expect(page.get_by_text("From now on nothing that is said here is kept.")).to_be_visible()
    assert talk.append("user", "Psst").action == "skipped"


def test_a_circle_on_the_map_shows_what_was_there(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    anna.remember("Usually orders the dumplings", lat=49.1951, lng=16.6068, place_label="the pub")
    anna.remember("Usually orders the schnitzel", lat=48.2082, lng=16.3738)
    anna.conversation("trip").append("user", "The tram is late", lat=49.1951, lng=16.6068)
    anna.places.set("home", (49.1951, 16.6068))
    visit.go("Map")
    expect(page.locator("path.land")).to_have_attribute("d", re.compile("^M.*L"))
    page.get_by_role("group", name="Map of places").get_by_role(
        "link", name=re.compile("^home: 1 memory, 1 message")
    ).click()
    expect(page.get_by_text("Usually orders the dumplings")).to_be_visible()
    expect(page.get_by_text("The tram is late")).to_be_visible()
    expect(page.get_by_text("schnitzel")).to_have_count(0)

    page.get_by_text("Choose a circle by numbers").click()
    page.get_by_label("Within km").fill("300")
    page.get_by_role("button", name="Look there").click()
    expect(page.get_by_text("schnitzel")).to_be_visible()

    page.get_by_role("button", name="All places").click()
    box = page.locator(".map svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 15, box["y"] + 5, steps=3)
    page.mouse.up()
    expect(page.get_by_text("Nothing is known of here.")).to_be_visible()
