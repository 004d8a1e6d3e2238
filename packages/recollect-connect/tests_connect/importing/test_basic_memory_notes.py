"""What is an observation or a relation in a note of basic-memory, and what only looks like one."""

from recollect_connect.importing.basic_memory import front_matter, is_note, read

NOTE = """---
title: Coffee Brewing Methods
type: note
permalink: coffee/brewing
tags: [coffee, 'slow mornings']
aliases:
  - brewing
  - "pour over"
---

# Coffee Brewing Methods

Some words about [[Water]] and more.

## Observations
- [method] Pour over gives more clarity #brewing #v60 (compared blind)
- [preference] Ethiopian beans for lighter roasts
* [decision] Grind by weight
- [lesson] Rinse the filter first
- Scales matter #gear
- [ ] buy filters
- [x] buy beans
- [00:01:12] hello and welcome
- [a link](https://example.org)
- just words

```
- [fact] not this, it is code
- implements [[Nothing]]
```

> - [note] not this either

## Relations
- requires [[Proper Grinding]]
- requires [[Clean Water]] (soft)
- "is better than" [[Instant Coffee]]
- see also [[Tea]] for more
"""


def test_a_note_becomes_typed_memories() -> None:
    note = read(NOTE, "coffee/brewing.md", 1)
    assert note.title == "Coffee Brewing Methods"
    assert [(one.type, one.content, one.key) for one in note.memories] == [
        ("fact", "Pour over gives more clarity #brewing #v60", ""),
        ("preference", "Ethiopian beans for lighter roasts", ""),
        ("decision", "Grind by weight", ""),
        ("lesson", "Rinse the filter first", ""),
        ("fact", "Scales matter #gear", ""),
        ("fact", "Coffee Brewing Methods requires Proper Grinding", "requires"),
        ("fact", "Coffee Brewing Methods requires Clean Water", "requires"),
        ("fact", "Coffee Brewing Methods is better than Instant Coffee", "is better than"),
    ]
    first = note.memories[0]
    assert (first.subject, first.context, first.source, first.trust) == (
        "Coffee Brewing Methods", "compared blind", "import:basic-memory", 1,
    )  # fmt: skip
    assert first.metadata == {
        "imported_from": "basic-memory", "note": "coffee/brewing.md", "permalink": "coffee/brewing",
        "tags": ["brewing", "v60"], "line": 16, "category": "method",
    }  # fmt: skip
    assert note.skipped == {("links", "a link within a sentence says no relation"): 3}


def test_front_matter_is_read_in_either_manner() -> None:
    matter, rest = front_matter(NOTE)
    assert matter["tags"] == ["coffee", "slow mornings"]
    assert matter["aliases"] == ["brewing", "pour over"]
    assert rest.lstrip().startswith("# Coffee")
    assert front_matter("---\ntitle: never closed\n") == ({}, "---\ntitle: never closed\n")
    assert front_matter('---\r\ntitle: "a: b"\r\n---\r\nx')[0] == {"title": "a: b"}
    assert front_matter("") == ({}, "")


def test_a_note_without_a_title_goes_by_its_name() -> None:
    note = read("- [fact] Water boils at 100 °C", "science/Boiling Points.md", 0)
    assert note.memories[0].subject == "Boiling Points"


def test_ordinary_markdown_is_no_note() -> None:
    assert is_note(NOTE)
    assert not is_note("# Shopping\n\n- milk\n- [ ] bread\n- [docs](https://example.org)\n")


def test_hostile_lines_take_no_time() -> None:
    text = "\n".join(
        ["- [" + "a" * 19_000, "- " + "[[" * 9_000, "- [" * 5_000, "- x [[" + "a" * 19_000, "#" * 19_000] * 20
    )
    assert read(text, "n.md", 0).memories == ()
    assert read("- [fact] " + "word " * 1_000_000, "n.md", 0).memories == ()
