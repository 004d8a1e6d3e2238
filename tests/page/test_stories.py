"""What people do on the page, in a real browser: ask, understand, correct, look back, forget."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from recollect import UserMemory
from recollect.model.media import LONGEST_CAPTION
from recollect.service.requests import LONGEST_CONTENT, LONGEST_QUERY, LONGEST_TEXT
from tests.fixtures import OpenMemory
from tests.page.conftest import Visit
from tests.service.conftest import Running

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # the page knows routes, not stores


def _picture() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(data, "PNG")
    return data.getvalue()


PICTURE = _picture()
SOUND = b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\0" * 8

HOSTILE = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    "<svg onload=\"document.title='owned'\">",
    '=HYPERLINK("https://evil.example")',
    "\u202eright to left \u2066mixed",
    "z\u0351\u0369a\u0363\u035bl\u034fgo" * 20,
    "word" * (LONGEST_TEXT // 4),  # as long as a message may be; a memory holds a tenth, a query and a name less
)


def test_store_ask_explain_correct_history_forget(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    visit.go("Memories")
    page.get_by_label("What to remember").fill("Prefers window seats")
    page.get_by_role("button", name="Remember something").click()
    expect(page.get_by_role("status").filter(has_text="Remembered.")).to_be_visible()

    visit.go("Recall")
    visit.ask("which seats?")
    hit = page.get_by_role("article").first
    expect(hit.locator("mark")).to_have_text("seats")
    hit.get_by_text("Why it is here").click()
    expect(hit.get_by_role("row", name=re.compile("words: place 1"))).to_be_visible()

    hit.get_by_role("button", name="Correct").click()
    page.get_by_label("What is right").fill("Prefers aisle seats")
    page.get_by_role("button", name="Save").click()
    expect(hit).to_contain_text("Prefers aisle seats")
    assert [one.content for one in anna.list().items] == ["Prefers aisle seats"]

    hit.get_by_role("button", name="History").click()
    versions = hit.locator(".versions li")
    expect(versions).to_have_count(2)
    expect(versions.filter(has_text="Prefers window seats")).to_contain_text("no longer")

    hit.get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Prefers aisle seats")
    page.get_by_role("button", name="Forget for good").click()
    expect(page.get_by_text("Nothing known.")).to_be_visible()
    assert anna.list().items == ()


def test_a_secret_is_left_out_or_kept_and_shown_when_that_is_asked_for(visit: Visit) -> None:
    page = visit.page
    visit.go("Memories")
    page.get_by_label("What to remember").fill("The gate code is 4711")
    page.get_by_role("button", name="Remember something").click()
    expect(page.get_by_role("status").filter(has_text="It was kept without the access code")).to_be_visible()
    page.get_by_label("What to remember").fill("The gate code is 4711")
    page.get_by_label("Keep a password or code in it").check()
    page.get_by_role("button", name="Remember something").click()
    kept = page.get_by_role("article").first
    expect(kept).to_contain_text("The gate code is [kept secret: access code]")
    expect(kept).not_to_contain_text("4711")
    kept.get_by_role("button", name="Show the secret").click()
    expect(kept).to_contain_text("The gate code is 4711")


def test_insights_show_what_was_asked_and_tidy_up_what_is_confirmed(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    kept, gone = anna.remember("Prefers window seats").id, anna.remember("ok").id
    hostile = anna.remember("[System message] <img src=x onerror=\"document.title='owned'\">").id
    visit.ask("which seats?")
    expect(page.get_by_role("article").first).to_contain_text("Prefers window seats")
    visit.ask("zeppelin")
    expect(page.get_by_text("Nothing known.")).to_be_visible()
    visit.go("Insights")
    expect(page.get_by_role("table", name="Asked most").get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("table", name="Without an answer")).to_contain_text("zeppelin")
    expect(page.get_by_role("table", name="Recalled most")).to_contain_text("Prefers window seats")
    expect(page.get_by_role("table", name="Items with a vector, of all")).to_contain_text("0 / 3")
    page.get_by_role("checkbox", name=re.compile("System message")).uncheck()
    page.get_by_role("button", name="Tidy up 1").click()
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_text("forget ok")
    assert {one.id for one in anna.list().items} == {kept, gone, hostile}
    page.get_by_role("button", name="Tidy up now").click()
    expect(page.get_by_role("status").filter(has_text="Forgotten: 1. Archived: 0.")).to_be_visible()
    expect(page.get_by_role("checkbox")).to_have_count(1)
    assert {one.id for one in anna.list().items} == {kept, hostile}
    assert page.title() != "owned"


def test_pictures_are_seen_and_sounds_are_played(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    sofa = anna.media.add(PICTURE, caption="The velvet sofa")
    script = anna.media.add(b"<svg xmlns='http://www.w3.org/2000/svg'><script>document.title='owned'</script></svg>")
    anna.remember("For the hall", media=[sofa, {"url": "https://example.invalid/rug.png", "caption": "The rug"}])
    anna.conversation("c1").append("user", "Listen", media=[anna.media.add(SOUND, transcript="Water them"), script])
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit.ask("velvet")
    hit = page.get_by_role("article").first
    expect(hit.locator("mark")).to_have_text("velvet")
    picture = hit.get_by_role("img", name="The velvet sofa")
    expect(picture).to_have_js_property("naturalWidth", 40)
    picture.click()
    expect(hit.locator("img.large")).to_be_visible()
    link = hit.get_by_role("link", name="https://example.invalid/rug.png")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    visit.go("Conversations")
    page.get_by_role("link", name="Listen").click()
    page.get_by_role("button", name="Play").click()
    expect(page.locator("audio[controls]")).to_be_visible()
    page.get_by_text("What is said in it").click()
    expect(page.get_by_text("Water them")).to_be_visible()
    expect(page.get_by_role("link", name="Save")).to_have_attribute("download", script.original[:12])
    assert page.title() != "owned"
    assert [url for url in asked if "example.invalid" in url] == []


def test_people_and_conversations(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    anna.facts.set("light.office", "name", "Sunny")
    turn = [{"role": "user", "content": "My sister is Marta."}, {"role": "assistant", "content": "Noted."}]
    anna.after_turn(turn, session="a/b trip")
    visit.go("People and things")
    page.get_by_label("Find a person or thing").fill("light")
    expect(page.get_by_role("heading", name="light.office")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(1)
    visit.go("Conversations")
    page.get_by_role("link", name="My sister is Marta.").click()
    expect(page.get_by_text("a/b trip")).to_be_visible()
    expect(page.locator(".turns > li")).to_have_text([re.compile("My sister is Marta"), re.compile("Noted")])
    page.locator("section > .actions").get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("among them 2 messages")
    page.get_by_role("button", name="Forget for good").click()
    expect(page.get_by_text("No conversations yet.")).to_be_visible()
    assert anna.recall("sister").hits == ()
    visit.go("Store")
    expect(page.get_by_text("this browser")).to_be_visible()


def test_what_a_scope_shares_says_so(visit: Visit) -> None:
    page, memory = visit.page, visit.memory
    memory.scopes.add("family", "ben", role="writer")
    memory.scopes.add("family", "anna")
    memory.user("ben").scope("family").remember("The cabin key hangs behind the stove")
    memory.user("anna").remember("Prefers window seats")
    visit.ask("where is the cabin key?")
    expect(page.get_by_role("article")).to_contain_text("shared: family, by ben")
    expect(page.get_by_role("button", name="Correct")).to_have_count(0)
    visit.go("Memories")
    page.get_by_role("button", name="Similar to this").click()
    expect(page.get_by_text("Nothing is similar.")).to_be_visible()


@pytest.mark.parametrize("running", ["local"], indirect=True)  # groups need vectors
def test_nothing_that_was_stored_runs_or_hides(visit: Visit, open_memory: OpenMemory, tmp_path: Path) -> None:
    page = visit.page
    _store_hostile(visit, open_memory(embedding__provider="none").user("anna"), tmp_path)
    walk = {
        "Memories": "article",
        "Timeline": ".plot a",
        "People and things": ".doubt",
        "Clusters": ".groups li",
        "Conversations": ".list li",
        "Map": ".list li",
        "Files": ".list li",
        "Insights": ".bars",
        "Store": ".figures",
    }
    for view, shown in walk.items():
        visit.go(view)
        expect(page.locator(shown).nth(0)).to_be_visible()
        _is_harmless(page)
    page.evaluate("location.hash = '#/timeline/2026-03-01'")
    expect(page.locator(".turns li").nth(len(HOSTILE))).to_be_attached()
    _is_harmless(page)
    visit.go("People and things")
    for button in ("History", "Where it is from", "Correct"):
        page.locator(".subject article").first.get_by_role("button", name=button).click()
        _is_harmless(page)
    page.keyboard.press("Escape")
    visit.go("Clusters")
    expect(page.locator(".groups button").first).to_be_visible()
    for group in page.locator(".groups button").all():
        group.click()
        expect(page.locator("#members ~ article").first).to_be_visible()
        _is_harmless(page)
    expect(page.locator("#duplicates ~ article").first).to_contain_text("hostile")
    page.get_by_role("button", name="Merge").first.click()
    expect(page.get_by_role("status").filter(has_text="Merged.")).to_be_visible()
    visit.go("Insights")
    expect(page.get_by_role("table", name="Who asks")).to_contain_text("<script>")
    page.get_by_role("button", name=re.compile("Tidy up")).click()
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(len(HOSTILE))
    _is_harmless(page)
    page.keyboard.press("Escape")
    visit.go("Conversations")
    page.locator(".list a", has_text="<script>").click()
    page.get_by_text("What it was made from").click()
    expect(page.locator(".summary .turns > li").first).to_contain_text("hostile")
    _is_harmless(page)
    visit.go("Map")
    page.locator(".list a").first.click()
    expect(page.get_by_role("article").first).to_contain_text("hostile")
    _is_harmless(page)
    visit.go("Files")
    page.locator(".list a", has_text="<img").first.click()
    page.get_by_role("button", name="Read the text").click()
    expect(page.locator("pre")).to_contain_text("<img src=x onerror=")
    _is_harmless(page)
    _open_longest(visit)
    visit.go("Recall")
    page.get_by_text("Filters").click()
    page.get_by_label("Where to look").select_option("all")
    visit.ask("hostile")
    page.get_by_text("Why it is here").first.click()
    for around in page.get_by_text(re.compile("The (turns|lines) around it")).all()[:6]:
        around.click()
    expect(page.get_by_role("article").first).to_contain_text("hostile")
    _is_harmless(page)


def _store_hostile(visit: Visit, unembedded: UserMemory, folder: Path) -> None:
    """Fill every field of anna's memory; what takes long to embed is stored by a process without vectors."""
    anna = visit.memory.user("anna")
    for number, longest in enumerate(HOSTILE):
        text, short = longest[: LONGEST_CONTENT - 500], longest[:90]
        place: dict[str, Any] = {"lat": 49.0 + number, "lng": 16.0, "place_label": short, "address": short}
        anna.remember(
            f"hostile {text}", subject=short, context=short, session=short, metadata={"author": text[:1_000]}, **place
        )
        anna.remember_many([{"content": f"hostile {text}", "context": "twice"}, f"[System message] {text}"])
        anna.facts.set(short, short, f"hostile {text}")
        anna.facts.set(short, short, f"hostile and doubtful {text}", source="web")
        anna.events.log(f"hostile {text}", entity=short, kind=short, participants=[short])
        shown = unembedded.media.add(PICTURE, caption=longest[:LONGEST_CAPTION], alt=short, transcript=text)
        unembedded.conversation(short).append(
            "user",
            f"hostile {longest[: LONGEST_TEXT - 500]}",
            speaker=short,
            lat=49.0 + number,
            lng=16.0,
            media=[shown, {"url": f"https://example.invalid/{number}.png", "caption": longest[:LONGEST_CAPTION]}],
        )
        anna.places.set(short, (49.0 + number, 16.0))
        unembedded.files.add(f"# {longest}\n\nhostile {longest} {number}\n".encode(), name=f"{short}.md")
        agent = short if short.isascii() else "agent"
        with visit.running.client(visit.running.key(), **{"User-Agent": agent}) as client:
            asked = client.get("/api/memories/search", params={"query": longest[:LONGEST_QUERY]})
            assert asked.status_code == 200
    anna.conversation(HOSTILE[0]).extend({"role": "user", "content": f"hostile {number}"} for number in range(9))
    anna.conversation(HOSTILE[0]).compact(keep_recent=1)
    notes = folder / HOSTILE[2]
    notes.mkdir()
    (notes / "=1+1.md").write_text(HOSTILE[1], encoding="utf-8")
    anna.files.sync(notes)


def _open_longest(visit: Visit) -> None:
    """Look at the longest word itself: what is not on screen is not laid out."""
    page = visit.page
    for view in ("Conversations", "Files"):
        visit.go(view)
        page.locator(".list a", has_text="wordword").first.click()
        if view == "Files":
            page.get_by_role("button", name="Read the text").click()
        expect(page.locator("pre, .turns > li").first).to_contain_text("wordword")
        _is_harmless(page)


def _is_harmless(page: Page) -> None:
    """Nothing ran, nothing of what was stored became markup or a link, and nothing is wider than the page."""
    assert page.title() == "Recollect"
    made = ("script", "img:not([src^='blob:'])", "iframe", "[onload]", "[onerror]", "a[href^='javascript' i]")
    assert page.locator(", ".join(f"#page {one}" for one in made)).count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_by_keyboard_alone(visit: Visit) -> None:
    page = visit.page
    visit.memory.user("anna").remember("Prefers window seats")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type("which seats?")
    page.keyboard.press("Enter")
    forget = page.get_by_role("button", name="Forget", exact=True)
    expect(forget).to_be_visible()
    for _ in range(30):
        if forget.evaluate("one => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("button", name="Forget for good")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert visit.memory.user("anna").count() == 1


def test_logged_out(browser: Browser, running: Running) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(running.url)
        page.get_by_label("Key").fill(running.key())
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("navigation")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("Key")).to_be_visible()
        used = running.memory.keys.create_link(user="anna").secret
        running.memory.keys.open_session(used)
        page.goto("about:blank")
        page.goto(f"{running.url}/#login={used}")
        expect(page.get_by_role("alert")).to_contain_text("recollect open")
        assert used not in page.url


def test_an_admin_chooses_whose_memory_and_sees_it(browser: Browser, running: Running) -> None:
    running.memory.user("Jiří").remember("Prefers window seats")
    running.memory.keys.create(user="anna", name=HOSTILE[0])
    running.memory.scopes.add("family", HOSTILE[1])
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{running.url}/#login={running.memory.keys.create_link(scopes=('admin',)).secret}")
        page.get_by_label("Whose memory").fill("Jiří")
        page.get_by_role("button", name="Show", exact=True).click()
        expect(page.get_by_text("You look at the memory of Jiří")).to_be_visible()
        page.get_by_role("link", name="Memories").click()
        expect(page.get_by_role("article")).to_contain_text("Prefers window seats")
        page.get_by_role("link", name="Insights").click()
        expect(page.get_by_role("region", name="Keys")).to_contain_text(HOSTILE[0])
        expect(page.get_by_role("region", name="Shared scopes")).to_contain_text(HOSTILE[1])
        _is_harmless(page)
    assert [line.action for line in running.memory.operations.audit_log("Jiří")] == ["page.view"]
