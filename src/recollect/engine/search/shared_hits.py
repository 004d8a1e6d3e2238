"""Hits of shared scopes among a user's own: one list, in which each says where it comes from."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.engine.base.shared_scopes import no_such_scope
from recollect.engine.search import hits as search_hits
from recollect.engine.search import rerank
from recollect.engine.search.channels import SearchRun
from recollect.engine.search.rerank import UncutRecall
from recollect.model.scopes import ScopeChoice
from recollect.model.search import Hit
from recollect.ports import RerankText, StoreReader
from recollect.text.clean import fingerprint_text


def chosen_scopes(reader: StoreReader, chosen: ScopeChoice) -> tuple[str, ...]:
    """Give the names of the scopes to search, of which the user is a member. Raises NotFound for any other."""
    if not chosen or chosen == "none":
        return ()
    own = [membership.scope for membership in reader.memberships()]
    if chosen == "all":
        return tuple(own)
    for name in chosen:
        if name not in own:
            raise no_such_scope(name)
    return tuple(dict.fromkeys(chosen))


def labelled(found: UncutRecall, name: str) -> UncutRecall:
    """Let hits say from which shared scope they are; a user's own are of none."""
    return replace(found, hits=[replace(hit, scope=name) for hit in found.hits]) if name else found


def merged(search: SearchRun, parts: Sequence[UncutRecall]) -> UncutRecall:
    """Give what was found in the user's memory and in scopes as one answer, best first; equals in the order of parts.

    Scores are of one scale everywhere. What happened in a time that the query names stays in the order of time.
    """
    degraded = tuple(dict.fromkeys(part for found in parts for part in found.degraded))
    answerable = max(found.answerable for found in parts)
    timelines = [found for found in parts if found.is_timeline]
    if timelines:
        hits = sorted(
            (hit for found in timelines for hit in found.hits), key=lambda hit: search_hits.moment(hit.record)
        )
        return UncutRecall(hits[-search.query.options.limit :], degraded, answerable, "time")
    ranked = _without_repetitions(sorted(_with_texts(parts), key=lambda row: -row[0].score))
    hits = [hit for hit, _ in ranked]
    skipped = rerank.reason_to_keep_order(search, [hit.score for hit in hits])
    if not skipped:
        texts = [text for _, text in ranked[: rerank.POOL] if text is not None]
        return UncutRecall(hits, degraded, answerable, "", texts)
    options = search.query.options
    if options.diverse:
        hits = search_hits.spread(hits[: 2 * options.limit], search.engine.settings.recall.diversity)
    return UncutRecall(hits[: options.limit], degraded, answerable, skipped)


def _with_texts(parts: Sequence[UncutRecall]) -> list[tuple[Hit, RerankText | None]]:
    """Give hits with what a reranker reads of them; the first of each part have it."""
    rows: list[tuple[Hit, RerankText | None]] = []
    for found in parts:
        texts = [*found.texts, *[None] * (len(found.hits) - len(found.texts))]
        rows += zip(found.hits, texts, strict=True)
    return rows


def _without_repetitions(rows: Sequence[tuple[Hit, RerankText | None]]) -> list[tuple[Hit, RerankText | None]]:
    """Fold what is said in the same words in several scopes."""
    places: dict[str, int] = {}
    kept: list[tuple[Hit, RerankText | None]] = []
    for hit, text in rows:
        place = places.setdefault(fingerprint_text(hit.content), len(kept))
        same, its_text = kept[place] if place < len(kept) else (hit, text)
        if same.scope == hit.scope:  # the first, or one that its own search has not folded
            kept.append((hit, text))
        else:
            kept[place] = replace(same, folded=(*same.folded, hit.id)), its_text
    return kept
