"""Any valid value survives the way through a file and through the environment."""

import json
import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.settings import (
    PROVIDERS,
    Settings,
    load_settings,
)
from recollect.settings.declare import environment_name, walk
from tests.settings.common import FILLED_TEXT, escaped

SHARES = st.floats(0, 1)
SECONDS = st.floats(1, 3600)
WORD = st.from_regex(r"[a-z0-9.:/$*-][a-z0-9.:/${}*-]{0,20}", fullmatch=True).filter(lambda word: word != "none")
WORDS = st.lists(WORD, max_size=3).map(tuple)
NODES = st.lists(st.tuples(WORD, WORD, WORD), max_size=3, unique_by=lambda node: node[0]).map(
    lambda nodes: tuple(f"{name} url={url} key={key} users=anna,ben" for name, url, key in nodes)
)
SERVER = st.from_regex(
    r"postgresql://[a-z]{1,5}(:[a-z]{1,5})?@[a-z]{1,9}(,[a-z]{1,9}:[0-9]{4})?/[a-z]{1,9}", fullmatch=True
)
VALUES: dict[str, st.SearchStrategy[object]] = {
    "database": st.from_regex(r"/[a-z0-9 =@._-]{1,20}", fullmatch=True).filter(lambda path: path == path.strip()),
    "user": FILLED_TEXT,
    "key": FILLED_TEXT,
    "timezone": st.sampled_from(["", "UTC", "Europe/Prague"]),
    "timezones": st.just(("anna: Europe/Prague",)) | st.just(()),
    "auto_capture": st.booleans(),
    "auto_recall": st.booleans(),
    "session_summaries": st.booleans(),
    "redact_secrets": st.booleans(),
    "secret_key_file": FILLED_TEXT,
    "embedding.provider": st.sampled_from(PROVIDERS),
    "embedding.model": FILLED_TEXT,
    "embedding.dimensions": st.integers(1, 4_000) | st.none(),
    "embedding.api_key": FILLED_TEXT,
    "embedding.endpoint": FILLED_TEXT,
    "embedding.openai_api_key": FILLED_TEXT,
    "embedding.zai_api_key": FILLED_TEXT,
    "embedding.gemini_api_key": FILLED_TEXT,
    "embedding.compatible_api_key": FILLED_TEXT,
    "embedding.openai_endpoint": FILLED_TEXT,
    "embedding.zai_endpoint": FILLED_TEXT,
    "embedding.gemini_endpoint": FILLED_TEXT,
    "embedding.e5_endpoint": FILLED_TEXT,
    "embedding.ollama_endpoint": FILLED_TEXT,
    "embedding.compatible_endpoint": FILLED_TEXT,
    "embedding.prefix": st.sampled_from(["auto", "none", "e5", "nomic", "bge", "gemma"]),
    "embedding.threads": st.integers(1, 1024) | st.none(),
    "embedding.timeout_s": st.floats(0.05, 600),
    "embedding.retries": st.integers(0, 10),
    "embedding.wait": st.sampled_from(["auto", "always", "never"]),
    "embedding.worker": st.booleans(),
    "embedding.concurrency": st.integers(1, 64),
    "embedding.lease_s": st.floats(1, 86_400),
    "embedding.cache_mb": st.integers(0, 1_000_000),
    "embedding.bulk": st.sampled_from(["off", "auto", "always"]),
    "embedding.bulk_threshold": st.integers(1, 10**9),
    "embedding.price": st.floats(0, 1_000) | st.none(),
    "recall.limit": st.integers(1, 100),
    "recall.min_score": SHARES,
    "recall.fusion": st.sampled_from(["weighted", "rrf", "fixed"]),
    "recall.vector_weight": st.floats(0, 1000),
    "recall.text_weight": st.floats(0, 1000, exclude_min=True),
    "recall.rrf_k": st.floats(0, 10_000, exclude_min=True),
    "recall.rerank": st.sampled_from(["auto", "off", "always"]),
    "recall.candidates": st.integers(50, 10_000),
    "recall.deadline_s": st.floats(0, 3600, exclude_min=True),
    "recall.time_words": st.booleans(),
    "recall.half_life_days": st.just(()) | st.just(("message: 7.5",)) | st.just(("event: 90", "fact: 365")),
    "recall.recency_weight": SHARES,
    "recall.importance_weight": SHARES,
    "recall.confidence_weight": SHARES,
    "recall.diversity": SHARES,
    "recall.scopes": st.sampled_from(["all", "none"]),
    "recall.cache": st.integers(0, 100_000),
    "rerank.provider": st.sampled_from(["local", "cohere", "jina", "tei", "compatible"]),
    "rerank.model": FILLED_TEXT,
    "rerank.url": FILLED_TEXT,
    "rerank.api_key": FILLED_TEXT,
    "rerank.budget_s": st.floats(0.01, 60),
    "rerank.threads": st.integers(1, 64) | st.none(),
    "rerank.timeout_s": st.floats(0.05, 600),
    "rerank.retries": st.integers(0, 10),
    "capture.limit": st.integers(0, 20),
    "capture.patterns": st.just(()) | st.just(("preference: (?i)my favou?rite",)),
    "capture.reader": st.sampled_from(["local", "llm", "none"]),
    "capture.confidence": SHARES,
    "capture.types": st.just(()) | st.just(("fact", "rule")),
    "capture.users": st.just(()) | st.just(("anna: fact rule", "bob: none")),
    "capture.when": st.sampled_from(["turn", "worker"]),
    "hooks.items": st.integers(1, 5),
    "hooks.min_score": SHARES,
    "hooks.max_tokens": st.integers(0, 1_000_000),
    "hooks.budget_s": st.floats(0.01, 60),
    "hooks.silence": st.booleans(),
    "hooks.rerank": st.sampled_from(["auto", "off", "always"]),
    "compaction.auto": st.booleans(),
    "compaction.window_tokens": st.integers(400_000, 10_000_000),
    "compaction.trigger_share": st.floats(0.1, 1),
    "compaction.max_messages": st.integers(4, 100_000),
    "compaction.keep_recent": st.integers(0, 1_000),
    "compaction.keep_tools": st.booleans(),
    "compaction.summary_tokens": st.integers(50, 32_000),
    "compaction.summarizer": st.sampled_from(["extractive", "llm"]),
    "compaction.idle_hours": st.floats(0, 100_000),
    "compaction.archive_days": st.floats(0, 100_000) | st.none(),
    "llm.base_url": FILLED_TEXT,
    "llm.model": FILLED_TEXT,
    "llm.api_key": FILLED_TEXT,
    "llm.timeout_s": st.floats(0.1, 600),
    "llm.retries": st.integers(0, 10),
    "llm.tokens_per_day": st.integers(0, 10**12),
    "forget.min_score": SHARES,
    "forget.margin": SHARES,
    "postgres.pool_size": st.integers(1, 100),
    "postgres.connect_timeout_s": SECONDS,
    "postgres.giant_user_rows": st.integers(1, 10**9),
    "postgres.role": FILLED_TEXT,
    "postgres.lock_timeout_s": st.floats(0.1, 3600),
    "postgres.prepare": st.sampled_from(["auto", "always", "never"]),
    "postgres.replicas": st.lists(SERVER, max_size=3, unique=True).map(tuple),
    "postgres.replica_max_lag_s": st.floats(0.1, 3600),
    "postgres.tools_folder": FILLED_TEXT,
    "sqlite.busy_timeout_s": SECONDS,
    "sqlite.reserve_mb": st.integers(0, 10**6),
    "sqlite.on_damage": st.sampled_from(["repair", "refuse"]),
    "serve.host": FILLED_TEXT,
    "serve.port": st.integers(0, 65_535),
    "serve.workers": st.integers(1, 64),
    "serve.allowed_hosts": WORDS,
    "serve.allowed_origins": WORDS,
    "serve.admin_key_file": FILLED_TEXT,
    "serve.requests_per_minute": st.integers(1, 10**9),
    "serve.burst": st.integers(1, 10**9),
    "serve.streams": st.integers(0, 100_000),
    "serve.heartbeat_s": st.floats(0.1, 3_600),
    "serve.drain_s": st.floats(0, 3_600),
    "serve.access_log": st.booleans(),
    "serve.search_log": st.sampled_from(["off", "counts", "queries"]),
    "limits.memories": st.integers(0, 10**12),
    "limits.storage_mb": st.integers(0, 10**9),
    "limits.texts_per_minute": st.integers(0, 10**9),
    "limits.users": st.just(()) | st.just(("anna: memories=1000 storage_mb=50",)),
    "backup.folder": FILLED_TEXT,
    "backup.every": st.floats(1, 86_400),
    "backup.keep": st.integers(1, 100_000),
    "backup.encrypt_to": WORDS,
    "backup.passphrase_file": FILLED_TEXT,
    "federation.nodes": NODES,
    "federation.budget_s": st.floats(0.05, 60),
    "files.include": WORDS,
    "files.exclude": WORDS,
    "files.hidden": st.booleans(),
    "files.gitignore": st.booleans(),
    "files.most_mb": st.integers(1, 1_024),
    "files.document_mb": st.integers(1, 1_024),
    "files.media_mb": st.integers(1, 1_024),
    "files.most_pieces": st.integers(10, 1_000_000),
    "files.chunk_tokens": st.integers(50, 4_000),
    "files.chunk_overlap": st.integers(0, 1_000),
    "files.originals": FILLED_TEXT,
    "files.extract_s": st.floats(1, 3_600),
    "files.extract_mb": st.integers(128, 65_536),
    "files.watch": WORDS,
    "files.debounce_s": st.floats(0.05, 60),
    "files.check_minutes": st.floats(0.01, 10_000),
    "places.geocoder": st.sampled_from(["auto", "offline", "nominatim", "none"]),
    "places.nominatim_url": FILLED_TEXT,
    "places.nominatim_timeout_s": st.floats(0, 60, exclude_min=True),
    "places.requests_per_s": st.floats(0, 1_000),
    "places.language": FILLED_TEXT,
    "places.smallest": st.sampled_from(["500", "1000", "5000", "15000"]),
    "places.precision": st.sampled_from(["exact", "street", "district", "city"]),
    "places.weight": SHARES,
    "places.scale_km": st.floats(0, 20_000, exclude_min=True),
    "places.cache": st.integers(0, 10_000_000),
}


def test_every_setting_is_among_the_values_tried() -> None:
    assert list(VALUES) == [path for path, _ in walk(Settings)]


AUTO = ("embedding.dimensions", "embedding.threads", "embedding.price", "rerank.threads")
NOTHING = {**dict.fromkeys(AUTO, "auto"), "compaction.archive_days": "never"}


def as_toml(name: str, value: object) -> str:
    if value is None:
        value = NOTHING.get(name, "off")
    return f"{name} = {json.dumps(escaped(value), ensure_ascii=False)}"


def as_text(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return "\n".join(value) or "none"
    return NOTHING.get(name, "off") if value is None else str(value)


@given(st.fixed_dictionaries({}, optional=VALUES))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_any_valid_value_round_trips(tmp_path: Path, values: dict[str, object]) -> None:
    overrides = {name: escaped(value) for name, value in values.items()}
    expected = load_settings(os.devnull, environ={}, overrides=overrides)
    path = tmp_path / "any.toml"
    path.write_text("\n".join(as_toml(name, value) for name, value in values.items()), encoding="utf-8")
    assert load_settings(path, environ={}) == expected
    variables = {environment_name(name): as_text(name, value) for name, value in values.items()}
    assert load_settings(os.devnull, environ=variables) == expected
    for name, value in values.items():
        section, _, field = name.rpartition(".")
        assert getattr(getattr(expected, section) if section else expected, field) == value
