"""What is thrown at the service: bodies, names, queries and headers that no client should send."""

import json

from hypothesis import strategies as st

_FIELDS = """
content type importance confidence subject key value context source trust session occurred_at valid_from valid_until
expires_at lat lng address place_label metadata memories near_duplicates query limit sources current since until
min_score prefer diverse threshold nodes role id speaker tool_calls tool_call_id sequence said_at model input_tokens
feedback keep_recent prompt messages everything dry_run jsonrpc method params name arguments cursor category entity kind
min_importance topic as_of max_tokens reasoning after folder files replace lines location near at radius_km
location_weight location_mode
"""
_HEADERS = """
Idempotency-Key If-Match If-None-Match Last-Event-ID X-Recollect-User X-Recollect-Scope Accept Accept-Encoding
Content-Type Range Cookie X-Request-Id Expect Mcp-Session-Id Mcp-Protocol-Version
"""
_MOMENTS = """
2026-03-01T12:00:00Z 0001-01-01T00:00:00+14:00 9999-12-31T23:59:60-12:00 9999-12-31T23:59:59-14:00 0000-00-00T00:00:00Z
-1 1e9 2026-03-01 24:00
"""
_WORDS = "%00 ../../etc true null user assistant tool fact preference anna c1 s1 rk_a_b ''-- shelf"
_CURSORS = (
    "0 -1 1.x 99999999999999999.x 999999999999999999 9999999999999999999999 ١٢ 1e5 019ca8a0-3eca-7000-809e-1034d82c71f2"
)


def _nested(before: bytes, step: bytes, depth: int, after: bytes, close: bytes = b"}") -> bytes:
    return before + step * depth + b"1" + close * depth + after


DEEP = [
    b"[" * 10_000,
    _nested(b"", b"[", 10_000, b"", b"]"),
    _nested(b'{"metadata":', b'{"a":', 10_000, b"}"),
    *(_nested(b'{"content":"x","metadata":', b'{"a":', depth, b"}") for depth in (90, 300, 900, 2_000)),
    *(_nested(b'{"role":"user","content":[', b'{"a":', depth, b"]}") for depth in (300, 900)),
    *(_nested(b'{"session":"s","messages":[', b'{"content":', depth, b"]}") for depth in (300, 900)),
    _nested(b'{"prompt":["x",', b'{"text":', 900, b'],"session":"s"}'),
    b'{"role":"assistant","tool_calls":[{"id":"a","name":"b","arguments":"' + b"[" * 9_000 + b'"}]}',
]
_RAW = [
    b"",
    b"nul",
    b"NaN",
    b"\xff\xfe",
    b"\xef\xbb\xbf{}",
    b"1" * 5_000,
    b'{"a":1' * 50,
    b'{"content": NaN}',
    b'{"content": Infinity}',
    b'{"content":"a","content":"b"}',
    b'{"content":"\\ud800"}',
    b'{"query":"\\udc00"}',
    b'{"role":"user","content":"\\ud800"}',
    b'{"role":"user","content":["\\ud800",{"type":"text","text":"\\udc00"}]}',
    b'{"prompt":"\\ud800","session":"s"}',
    b'{"session":"s","messages":[{"role":"user","content":"\\ud800"},{"role":"tool"},{"role":7}]}',
    b'{"content":"x","metadata":{"a":"\\ud800"}}',
    b'{"content":"x","metadata":{"\\u0000":1}}',
    b'{"content":"x","metadata":{"a":1e400,"b":' + b"9" * 5_000 + b"}}",
    b'{"content":"x","importance":1e999}',
    b'{"limit":' + b"9" * 5_000 + b"}",
    b'{"content":"' + b"y" * 1_048_000 + b'"}',
    b'{"content":"' + b"y" * 1_100_000 + b'"}',
    b'{"role":"user","content":"' + "ř".encode() * 520_000 + b'"}',
    *DEEP,
]

NAMES = st.sampled_from(_FIELDS.split())
NUMBERS = st.floats() | st.sampled_from(
    [0, 1, -1, 2**31, 2**53, 2**63, -(2**63) - 1, 10**30, 10**400, 1e308, 5e-324, 0.1]
)
_ODD = ["", " ", "\x00", "a\x00b", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "e" + "\u0301" * 2_000, "🧠" * 300]
_LONG = ["x" * 129, "x" * 2_001, "x" * 200_000]
TEXTS = st.text(st.characters(), max_size=40) | st.sampled_from([*_ODD, *_LONG, *_WORDS.split(), *_MOMENTS.split()])
_VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | TEXTS, inner, max_size=5),
    max_leaves=12,
)

# These get past the door more often than not, so that what is behind it has something to choke on.
_ANY = st.dictionaries(TEXTS, _VALUES, max_size=3)
_DEGREES = st.sampled_from([0, -90, 90, 180, -180, 49.1951, 16.6068, 5e-324]) | NUMBERS
_SPOT = st.fixed_dictionaries({"lat": _DEGREES, "lng": _DEGREES}, optional={"address": TEXTS, "place_label": TEXTS})
_PLACE = {"lat": _DEGREES, "lng": _DEGREES, "location": _SPOT, "place_label": TEXTS}
_MEMORY = st.fixed_dictionaries(
    {"content": TEXTS}, optional={"subject": TEXTS, "key": TEXTS, "value": TEXTS, "metadata": _ANY, "session": TEXTS}
)
_PLACED = st.fixed_dictionaries({"content": TEXTS}, optional=_PLACE)
_QUERY = st.fixed_dictionaries({"query": TEXTS})
_HERE = st.fixed_dictionaries(
    {"query": TEXTS}, optional={"location": _SPOT, "at": TEXTS, "near": TEXTS, "radius_km": NUMBERS | st.just(5)}
)
_ROLES = st.sampled_from(["user", "assistant", "tool", "system", "reasoning"])
_MESSAGE = st.fixed_dictionaries(
    {"role": _ROLES, "content": TEXTS | st.lists(_ANY, max_size=3), "tool_call_id": TEXTS},
    optional={"id": TEXTS, "speaker": TEXTS, "metadata": _ANY},
)
_TURN = st.lists(_MESSAGE | st.dictionaries(NAMES, _VALUES, max_size=4), max_size=4)
_TOOLS = st.sampled_from(
    [
        "memory_store",
        "memory_recall",
        "memory_forget",
        "search_context",
        "memory_about",
        "memory_places",
        "memory_rate",
        "memory_get",
        "memory_list",
        "memory_update",
        "memory_facts",
        "memory_similar",
        "memory_clusters",
        "search_federated",
    ]
)
_ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("content", "query", "topic", "memoryId", "id", "subject", "key", "value"), TEXTS),
        "location": _SPOT,
    },
)
_METHODS = st.sampled_from(["tools/call", "tools/list", "resources/read", "prompts/get", "initialize"])
_CALL = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "id": st.just(1),
        "method": st.just("tools/call") | _METHODS | TEXTS,
        "params": st.fixed_dictionaries({"name": _TOOLS | TEXTS, "arguments": _ARGUMENTS | _VALUES, "uri": TEXTS}),
    }
)
_FITTING = {
    "/api/memories/unified": _MEMORY | _PLACED,
    "/api/places/named/{name}": _SPOT,
    "/api/memories/bulk": st.fixed_dictionaries({"memories": st.lists(_MEMORY, min_size=1, max_size=4)}),
    "/api/conversations/{id}/messages": _MESSAGE | st.fixed_dictionaries({"messages": st.lists(_MESSAGE, max_size=4)}),
    "/api/hooks/before-prompt": st.fixed_dictionaries({"prompt": TEXTS | st.lists(TEXTS | _ANY), "session": TEXTS}),
    "/api/hooks/agent-end": st.fixed_dictionaries({"session": TEXTS, "messages": _TURN}),
    "/api/hooks/session-end": st.fixed_dictionaries({"session": TEXTS}),
    "/api/forget": _QUERY | st.fixed_dictionaries({"session": TEXTS}) | st.fixed_dictionaries({"source": TEXTS}),
    "/api/context/search": _QUERY | _HERE,
    "/search": _QUERY | _HERE,
    "/api/federated/search": _QUERY,
    "/mcp": _CALL,
}


def _written(value: object) -> bytes:
    return json.dumps(value).encode()


_BODIES = st.one_of(
    st.dictionaries(NAMES, _VALUES, max_size=8).map(_written),
    _VALUES.map(_written),
    st.sampled_from(_RAW),
    st.binary(max_size=200),
)


def bodies(path: str) -> st.SearchStrategy[bytes]:
    """Give bodies for a route: nearly what it takes, or anything."""
    return _FITTING[path].map(_written) | _BODIES if path in _FITTING else _BODIES


PLACES = TEXTS | st.sampled_from(_CURSORS.split())
QUERIES = st.lists(
    st.tuples(NAMES | st.sampled_from(["query", "topic"]), PLACES | NUMBERS.map(str) | st.sampled_from(["x", "shelf"])),
    max_size=5,
)
# Bytes as they go over the wire, without those by which a header ends.
HEADERS = st.dictionaries(
    st.sampled_from(_HEADERS.split()),
    st.binary(max_size=60).map(lambda raw: bytes(byte for byte in raw if byte not in b"\r\n\0"))
    | st.sampled_from([b"*", b'W/"a"', b'"', b"0", b"9" * 40, b"-1", b"anna", b"x" * 3_000, b"100-continue"]),
    max_size=2,
)
