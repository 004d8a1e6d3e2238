# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Whatever is typed into a search: an answer of one's own, or a clear refusal. On both stores."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

from recollect import InvalidInput, Memory, Recall, UserMemory
from recollect.engine.drafts.items import terms_of
from recollect.engine.search.prepared_query import MAX_QUERY
from recollect.text.clean import clean
from recollect.text.query import ParsedQuery, holds, normal, read_query
from tests.congruence.twins import WordSum
from tests.fixtures import OpenMemory
from tests.sizes import sized

BY_WORDS = sized(100, 4_800)  # queries on each store without vectors
BY_BOTH = sized(40, 200)  # and with them: ten thousand on both stores together in full size

SHARED = (
    "Anna keeps the green tea in the office",
    "light.office is the lamp above the desk, ticket #1204",
    "Invoices go to anna@example.org, see docs/setup.md",
    "text-embedding-3-small was chosen on 2026-03-01",
    "It's 100% true: SELECT * FROM memories WHERE content LIKE '%tea%'; --",
    "Билеты на поезд лежат в синей папке",
    "Klíče od auta jsou v šuplíku",
    "我的猫很可爱 and drinks no tea",
    "ฉันชอบกาแฟดำ",
    "המפתח נמצא במגירה",
    "القهوة السوداء في المكتب",
    "👩‍👩‍👧 family photo 🎂 on Friday",
)
WORDS = sorted({word for text in SHARED for word in text.split()})
SYNTAX = (
    *('"', "'", '""', "''", "*", "^", "(", ")", "{", "}", ":", "+", "-", "--", "/*", "*/", ";", "\\", "%", "_",
      "?", "!"),
    *("&", "|", "!", "<->", "<2>", ":*", "@@", "::text", "$1", "$$", "?1", ":user_id", "@id", "%s", "%(user_id)s",
      "{0}"),
    *("AND", "OR", "NOT", "NEAR(", "NEAR/2", "content:", "terms MATCH", "rowid:", "user_id = 'you'", "' OR 1=1 --"),
    *("'; DROP TABLE memories; --", "UNION SELECT * FROM memories", "pg_sleep(9)", "x' OR user_id='you", "\\x00",
      "\\'"),
    *("«", "»", "“", "”", "„", " -tea", " -Anna", " -", '"green tea"', ' -"green tea"', " -light.office", " -猫很可爱",
      '"', "«чай»", "<private>", "[[", "]]", "#", "@"),
    *("yesterday", "last week", "в марте", "včera", "gestern", "2026-02-30", "99999999999999999999", "-1", "1e309",
      "NaN"),
)  # fmt: skip
ODD = (
    *("\u200b", "\u200d", "\ufeff", "\u202e", "\u2066", "\u00ad", "\u0301", "\u0301" * 40, "e\u0323\u0307", "\u0f73"),
    *("\t", "\n", "\r\n", "\x00", "\x1f", "\x7f", "\x85", "\u2028", "\ufffd", "\ufffe", "\U0010ffff", "\ue000"),
    *("🎂", "👩‍👩‍👧", "🏳️‍🌈", "שלום", "قهوة", "กาแฟ", "猫", "ﷺ", "ﬁ", "İ", "ß", "ς", "Ⅷ", "①", "１２", "²"),
)
RANGES = ((0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x400, 0x4FF), (0x590, 0x6FF), (0xE00, 0xE7F), (0x4E00, 0x4EFF))


def invented(random: Random) -> str:
    """Draw a query that no user should type."""
    kind = random.randrange(40)
    if kind == 0:
        return random.choice(("", " ", "\n\t", "\x00", "\u200b", '"', "-", "?" * 9))
    if kind == 1:
        return _filled(random, MAX_QUERY + random.choice((-1, 0, 1, 500)))
    if kind <= 5:
        low, high = random.choice(RANGES)
        return "".join(chr(random.randint(low, high)) for _ in range(random.randint(1, 60)))
    parts = random.choices((WORDS, SYNTAX, ODD), weights=(3, 3, 1), k=random.randint(1, 10))
    return random.choice(("", " ", " ")).join(random.choice(part) for part in parts)


def _filled(random: Random, length: int) -> str:
    text = ""
    while len(text) < length:
        text += random.choice((*WORDS, *SYNTAX, *ODD)) + random.choice(("", " "))
    return text[:length]


def refused(typed: str) -> bool:
    return not 1 <= len(clean(typed)) <= MAX_QUERY


@pytest.fixture
def wordy(open_memory: OpenMemory) -> Memory:
    """A store with vectors that cost nothing."""
    return open_memory(WordSum())


@pytest.fixture
def wordless(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none")


def told(user: UserMemory) -> frozenset[str]:
    """Let a user say and store what the other does too, and give the ids."""
    stored = [one.id for one in user.remember_many([f"{text} ({user.user_id})" for text in SHARED])]
    chat = user.conversation("s1")
    chat.extend({"role": "user" if n % 2 else "assistant", "content": text} for n, text in enumerate(SHARED))
    return frozenset((*stored, *(message.id for message in chat.messages())))


def check(found: Recall, mine: frozenset[str], limit: int) -> None:
    assert mine.issuperset(hit.id for hit in found.hits)
    assert mine.issuperset(folded for hit in found.hits for folded in hit.folded)
    assert len({hit.id for hit in found.hits}) == len(found.hits) <= limit
    scores = [hit.score for hit in found.hits]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert all(hit.similarity is None or 0.0 <= hit.similarity <= 1.0 for hit in found.hits)
    assert 0.0 <= found.answerable <= 1.0
    assert found.degraded == ()


def keeps_to(found: Recall, query: ParsedQuery) -> None:
    """Check that no hit holds what is excluded or lacks what must be there, a neighbour of a message included."""
    for hit in found.hits:
        assert set(terms_of(hit.record)).isdisjoint(query.excluded)
        assert not any(holds(normal(hit.content), phrase) for phrase in query.unwanted)
        assert not query.strict or all(holds(normal(hit.content), phrase) for phrase in query.phrases)


def ask(user: UserMemory, mine: frozenset[str], queries: Sequence[str]) -> int:
    """Ask everything, every fifth time memories alone, and count the answers that found something."""
    answered = 0
    for number, query in enumerate(queries):
        search: Callable[..., Recall] = user.search_context if number % 5 else user.recall
        try:
            found = search(query, limit=7, only_related=False)
        except InvalidInput:
            assert refused(query), query
            continue
        assert not refused(query), query
        check(found, mine, 7)
        keeps_to(found, read_query(clean(query), None))
        answered += bool(found.hits)
    return answered


def harmless(memory: Memory, queries: Sequence[str]) -> None:
    """Let two users ask the queries, each a half of them."""
    users = [memory.user("me"), memory.user("you")]
    owned = [told(user) for user in users]
    memory.maintain()
    half = len(queries) // 2
    answered = ask(users[0], owned[0], queries[:half]) + ask(users[1], owned[1], queries[half:])
    assert answered > len(queries) // 3
    assert [user.count() for user in users] == [len(SHARED)] * 2
    assert memory.doctor() == ()


def test_nothing_that_is_typed_does_harm(wordless: Memory) -> None:
    random = Random(1204)
    harmless(wordless, [invented(random) for _ in range(BY_WORDS)])


def test_nothing_that_is_typed_does_harm_with_vectors(wordy: Memory) -> None:
    random = Random(1205)
    harmless(wordy, [invented(random) for _ in range(BY_BOTH)])


def test_the_same_words_find_each_user_their_own(wordless: Memory) -> None:
    users = {wordless.user(name): told(wordless.user(name)) for name in ("me", "you")}
    for query in ("tea", '"green tea"', "office -lamp", "anna@example.org", "猫", "yesterday tea"):
        for user, mine in users.items():
            found = user.search_context(query, limit=50, only_related=False)
            check(found, mine, 50)
            assert found.hits, query


def test_what_stands_beside_a_message_is_not_shown_when_it_is_excluded(wordless: Memory) -> None:
    me = wordless.user("me")
    me.conversation("c").extend({"role": "user", "content": text} for text in ("green tea", "milk, please", "so be it"))

    def found(query: str) -> set[str]:
        return {hit.content for hit in me.search_context(query, sources=["request"], only_related=False).hits}

    assert found("tea") == {"green tea", "milk, please", "so be it"}
    assert found("tea -milk") == {"green tea", "so be it"}
    assert found('tea -"milk, please"') == {"green tea", "so be it"}
    assert {hit.content for hit in me.search_context('"green tea"', only_related=False).hits} == {"green tea"}


UNWANTED = {
    'tea -"green tea"': ("Anna drinks a cup of Green  Tea", "tea that is green, not black"),
    'tea cup -"green tea" -"black tea"': ("a cup of green tea", "a cup of tea, green or black"),
    "froide -l'eau": ("L'eau est froide dans la piscine", "La soupe est froide, pas d'eau"),
    "寿司 -東京都": ("東京都の寿司", "京都の寿司と東京の寿司"),
    "lamp -light.office": ("light.office is a lamp", "the light in the office is a lamp"),
    '"green tea" -"blue cup"': ("green tea in the blue cup", "green tea in a cup that is blue"),
}


def test_an_unwanted_phrase_excludes_the_texts_that_hold_it(wordless: Memory) -> None:
    for query, texts in UNWANTED.items():
        me = wordless.user(str(texts))
        me.remember_many(texts)
        for number, text in enumerate(texts):
            me.conversation(f"c{number}").append("user", text)
        _, lacks = texts
        assert {hit.content for hit in me.search_context(query, only_related=False).hits} == {lacks}, query
        assert {hit.content for hit in me.search_context(query, sources=["request"], only_related=False).hits} == {
            lacks
        }, query
        assert [hit.content for hit in me.recall(query, only_related=False).hits] == [lacks], query
        assert len(me.recall(query.partition(" -")[0], only_related=False).hits) == 2, query


def test_an_unwanted_phrase_is_looked_up_in_subjects_and_values_too(wordless: Memory) -> None:
    me = wordless.user("me")
    me.remember("drinks tea", subject="Anna Nováková")
    kept = me.remember("likes tea", subject="Anna Svobodová")
    assert [hit.id for hit in me.recall('tea -"anna nováková"', only_related=False).hits] == [kept.id]


def test_however_many_crowd_a_phrase_the_rest_is_found(wordless: Memory) -> None:
    long = "Yesterday somebody in the large kitchen made a lot of good {} tea, then bread, butter, soup and salad"
    for crowd, kind, query in (("green tea", "black", 'tea -"green tea"'), ("tea green", "green", '"green tea"')):
        me = wordless.user(query)
        me.remember_many([*(f"{crowd} {number}" for number in range(100)), long.format(kind)])
        assert [hit.content for hit in me.recall(query, only_related=False).hits] == [long.format(kind)], query


def test_a_minus_inside_of_a_quotation_excludes_nothing(wordless: Memory) -> None:
    me = wordless.user("me")
    backups, _ = me.remember_many(["Backups run with rsync -avz at night", "rsync runs without avz at night"])
    assert [hit.id for hit in me.recall('"rsync -avz" night', only_related=False).hits] == [backups.id]


def test_what_somebody_says_to_an_agent_is_no_syntax(wordless: Memory) -> None:
    prompts = (
        "explain the flags of our nightly rsync -avz backups",
        'where do our nightly rsync -avz backups go, with "permission denied" and all',
        'where did I say our nightly rsync backups -"rsync -avz" go',
    )
    for number, prompt in enumerate(prompts):
        me = wordless.user(f"user {number}")
        kept = me.remember("Our nightly rsync -avz backups go to the cellar")
        me.remember("Anna likes green tea")
        assert [hit.id for hit in me.before_prompt(prompt, session="s1").hits] == [kept.id], prompt
        assert me.recall("our nightly rsync -avz backups", only_related=False).hits == (), prompt


def test_what_was_said_again_and_again_leaves_room_for_the_rest(wordless: Memory) -> None:
    me = wordless.user("me")
    me.conversation("c").extend({"role": "user", "content": "buy green tea"} for _ in range(30))
    for name in ("Anna", "Petr", "Jana", "Karel"):
        me.conversation(name).append("user", f"{name} likes a cup of green tea in the morning")
    assert len(me.search_context("green tea", limit=5, only_related=False).hits) == 5
