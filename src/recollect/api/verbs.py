"""The verbs of a user that a service has, too: what doors say of them is read from their signatures.

The invariant: importing this imports no engine, so that a client may. What carries out a verb is imported when it is
first called.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Unpack, cast

from recollect import ids
from recollect.api.scoped import (
    Scoped,
    canonical,
    check_between,
    check_limit,
    check_path,
    check_types,
    new_memory,
    scope_choice,
    search_location,
)
from recollect.errors import InvalidInput, InvalidMemory, NotFound, NotPermitted
from recollect.model import kinds
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters
from recollect.model.insights import TIDY_RULES, Clusters, Insights, Tidying, TidyRule
from recollect.model.kinds import MOST_CLUSTERS, MOST_EXAMPLES, FilterFields
from recollect.model.literals import USUAL_SOURCES
from recollect.model.memories import MemoryChanges, MemoryFields, MemoryRecord, NewMemory, OwnVector, Page, Remembered
from recollect.model.messages import NewMessage
from recollect.model.places import Location, as_location, with_location
from recollect.model.scopes import is_reserved
from recollect.model.search import About, Forgotten, PromptContext, Recall, TurnOutcome
from recollect.model.stats import Stats
from recollect.verbs import route

_MEMORY_ONLY_FILTERS = ("type", "subject", "key", "context", "session", "as_of", "min_importance")


class MemoryVerbs(Scoped):
    """One user's memories: storing, finding, changing and forgetting them, and the hooks around a turn."""

    @route("POST /api/memories/unified")
    def remember(
        self, content: kinds.MemoryText, *, wait: kinds.Wait | None = None, **fields: Unpack[MemoryFields]
    ) -> Remembered:
        """Store a memory. It is durable when this returns, and found by its words.

        With `wait` it also has its vector, if one can be made; otherwise a worker makes it later. By default only the
        local encoder is waited for.

        The same words twice are a `duplicate`, whatever their case, punctuation and spacing; what is new in the second,
        such as a place, is taken over. A new value for the same `subject`, `key` and `context` supersedes the old one,
        which stays in the history.

        `location` stands for `lat`, `lng`, `address` and `place_label`: a pair, a name, a `Location` or a mapping.
        """
        from recollect.engine.memories import remember

        return remember.remember(self._engine, self._scope, new_memory({"content": content, **fields}), wait=wait)

    @route("GET /api/memories/search", whole=True)
    def recall(
        self,
        query: kinds.QueryText,
        *,
        limit: kinds.UsualLimit | None = None,
        min_score: kinds.LeastScore | None = None,
        prefer: kinds.Preferred = (),
        diverse: kinds.Diverse = False,
        rerank: kinds.Reranked | None = None,
        files: kinds.WithFiles = False,
        only_related: kinds.OnlyRelated | None = None,
        vector: OwnVector | None = None,
        location: kinds.SearchPlace | None = None,
        radius_km: kinds.RadiusKm | None = None,
        location_weight: kinds.PlaceWeight | None = None,
        location_mode: kinds.PlaceMode = "boost",
        location_radius_km: kinds.SameRadius | None = None,
        scopes: kinds.SharedScopes | None = None,
        **filters: Unpack[FilterFields],
    ) -> Recall:
        """Find memories by meaning and by words, best first; with `files` also in synced folders and documents.

        Query syntax: a "quoted phrase" must be there word for word (inside a sentence it is preferred), `-word` must
        not, and words like "last week" prefer that time. Filters: `type`, `subject`, `key`, `context` and `session`
        must be equal; `since` (inclusive) and `until` (exclusive) bound when it happened or was stored, `when` is a
        stretch of time, and `as_of` asks what was held true at a moment; all take words such as "last night". Files
        have none of the fields but time: with such a filter only memories are searched. Types to `prefer` come first
        among equals; `diverse` hits say different things. With `rerank` (`auto`, `always`) a model reads the first hits
        with the query, and the best answers come first. `vector` is the query's embedding, if you have it. Hits are
        what answers the query, and none when nothing has to do with it; with a `min_score` or a `vector`, or without
        `only_related`, they are what comes closest, and `answerable` of the result says how likely that answers.
        `scopes` are shared scopes to search as well: `all` of the user's, `none`, or names.

        `location` is where the user is: coordinates, the name of a place (`home`), a kind of place (`supermarket`), or
        a `Location`. What is near, or at a place like that, ranks higher: the score is (1 - `location_weight`) times
        that of the content plus `location_weight` times that of the place; without a place it stays. `radius_km` (or
        `location_radius_km`) leaves out what is further. In the `location_mode` `semantic` names count, not distances.
        """
        from recollect.engine.conversations import silence
        from recollect.engine.search import recall
        from recollect.engine.search.prepared_query import SearchOptions

        defaults = self._engine.settings.recall
        related = min_score is None and vector is None if only_related is None else only_related
        options = SearchOptions(
            defaults.limit if limit is None else limit,
            defaults.min_score if min_score is None else min_score,
            preferred=check_types(prefer),
            diverse=diverse,
            rerank=rerank,
            location=search_location(location, (radius_km, location_radius_km), location_weight, location_mode),
            scopes=scope_choice(scopes, defaults.scopes),
            answers=related,
        )
        wanted: list[ItemFilters] = [memories := self._filters(filters)]
        if files and not any(name in filters for name in _MEMORY_ONLY_FILTERS):
            wanted.append(ChunkFilters(since=memories.since, until=memories.until))
        asked = self._reading, self._scope, query
        found = recall.recall(*asked, item_filters=wanted, options=options, vector=vector, log_as="recall")
        return silence.only_related(*asked, found) if related else found

    @route("POST /api/context/search", whole=True)
    def search_context(
        self,
        query: kinds.QueryText,
        *,
        limit: kinds.Limit = 10,
        sources: kinds.Sources = USUAL_SOURCES,
        session: kinds.OfSession | None = None,
        current: kinds.Current | None = None,
        since: kinds.Since | None = None,
        until: kinds.Until | None = None,
        when: kinds.When | None = None,
        min_score: kinds.LeastScore | None = None,
        prefer: kinds.Preferred = (),
        diverse: kinds.Diverse = False,
        rerank: kinds.Reranked | None = None,
        only_related: kinds.OnlyRelated | None = None,
        vector: OwnVector | None = None,
        location: kinds.SearchPlace | None = None,
        radius_km: kinds.RadiusKm | None = None,
        location_weight: kinds.PlaceWeight | None = None,
        location_mode: kinds.PlaceMode = "boost",
        location_radius_km: kinds.SameRadius | None = None,
        scopes: kinds.SharedScopes | None = None,
    ) -> Recall:
        """Search memories, messages and files together, best first. Arguments as in `recall` mean the same here.

        Messages that only ask or acknowledge are left out, unless `sources` are chosen. `session` narrows it down to a
        conversation, without files. The last turn of `current`, which is going on, is left out: the query is about it.
        """
        from recollect.engine.conversations import silence
        from recollect.engine.search import recall, times
        from recollect.engine.search.prepared_query import SearchOptions

        related = min_score is None and vector is None if only_related is None else only_related
        start, end = times.bounds(self._engine, since, until, when)
        excluded = recall.turn_going_on(self._engine, self._scope, current)
        asked = self._reading, self._scope, query
        found = recall.recall_sources(
            *asked,
            sources=sources,
            memories=Filters(now=self._engine.clock.now(), session=session, since=start, until=end),
            messages=MessageFilters(conversation=session, since=start, until=end, excluded=excluded),
            files=None if session is not None else ChunkFilters(since=start, until=end),
            options=SearchOptions(
                check_limit(limit),
                min_score or 0.0,
                preferred=check_types(prefer),
                diverse=diverse,
                rerank=rerank,
                location=search_location(location, (radius_km, location_radius_km), location_weight, location_mode),
                scopes=scope_choice(scopes, self._engine.settings.recall.scopes),
                answers=related,
                telling=frozenset(sources) == frozenset(USUAL_SOURCES),
            ),
            vector=vector,
            log_as="search",
        )
        return silence.only_related(*asked, found) if related else found

    @route("GET /api/about", whole=True)
    def about(self, topic: kinds.Topic, *, limit: kinds.RelatedLimit = 5) -> About:
        """Collect what is known about a topic: under its name, under its nicknames, and by meaning."""
        from recollect.engine.search import browsing

        return browsing.about(self._reading, self._scope, topic, limit=check_limit(limit))

    @route("GET /api/memories/{id}/similar", whole=True)
    def similar(self, id: kinds.ItemId, *, limit: kinds.Limit = 5) -> Recall:
        """Find the current memories nearest in meaning to a memory, nearest first. Raises NotFound.

        They are compared by their stored vectors, without a model; the score is how near they are. While the memory
        has no vector there are no hits, and `degraded` names `vector`.
        """
        from recollect.engine.search import browsing

        return browsing.similar(self._reading, self._scope, canonical(id), check_limit(limit))

    @route("GET /api/memories/clusters")
    def clusters(self, *, limit: kinds.MostClusters = 20, examples: kinds.MostExamples = 5) -> Clusters:
        """Find groups of similar memories, the largest first, and memories that say the same.

        At most `limit` groups (up to 200) and pairs, with as many `examples` (up to 100) of each group. Memories are
        compared by their stored vectors and their words, without a model, the newest 100,000 of them; that of so many
        takes up to a minute, gives way to searches meanwhile, and is used again for ten minutes.
        """
        from recollect.engine.search import clusters

        check_between("limit", limit, MOST_CLUSTERS)
        check_between("examples", examples, MOST_EXAMPLES)
        return clusters.clusters(self._reading, self._scope, limit=limit, examples=examples)

    @route("POST /api/memories/{id}/merge")
    def merge(self, id: kinds.ItemId, *, into: kinds.ItemId) -> MemoryRecord:
        """Merge a memory into another that says the same, and return that one, which stays as it is.

        Nothing is deleted: the merged memory is no longer found, and is in the `history` of the other. A memory cannot
        be merged into one that is trusted less. Raises NotFound and InvalidMemory.
        """
        from recollect.engine.memories import repetition

        return repetition.merge(self._engine, self._scope, canonical(id), canonical(into))

    @route("GET /api/memories/{id}")
    def get(self, id: kinds.ItemId, *, reveal: kinds.Reveal = False) -> MemoryRecord:
        """Return one memory, current or superseded. Raises NotFound. `reveal` shows the secrets that it keeps."""
        from recollect.engine.drafts import kept_secrets

        known_id = canonical(id)
        records = self._engine.store.read(self._scope, lambda reader: reader.get([known_id]))
        if not records:
            raise NotFound(f"No memory {id}. See what there is with `list`.")
        return kept_secrets.revealed(self._engine, self._scope, records[0]) if reveal else records[0]

    def update(self, id: kinds.ItemId, **changes: Unpack[MemoryChanges]) -> MemoryRecord:
        """Change a memory's content or fields and return it; the version before stays in its `history`."""
        from recollect.engine.memories import update

        known_names = {"location", *(field.name for field in fields(NewMemory))}
        unknown = sorted(changes.keys() - known_names)
        if unknown or not changes:
            problem = f"Unknown fields: {', '.join(unknown)}." if unknown else "Nothing to change."
            raise InvalidMemory(f"{problem} A memory has: {', '.join(sorted(known_names))}.")
        return update.update(self._engine, self._scope, canonical(id), with_location(changes))

    @route("POST /api/memories/{id}/feedback")
    def rate(self, id: kinds.ItemId, feedback: kinds.Rating | None, *, comment: kinds.Comment = "") -> MemoryRecord:
        """Store the user's feedback on a memory: 1, -1, or None to take it back. Raises NotFound.

        What was rated down is found later; `messages.rate` does the same for messages.
        """
        from recollect.engine.memories.update import rate_memory

        return rate_memory(self._engine, self._scope, canonical(id), feedback, comment)

    @route("GET /api/memories/{id}/history")
    def history(self, id: kinds.ItemId) -> tuple[MemoryRecord, ...]:
        """Return all versions of a memory, oldest first, by the id of any of them. Raises NotFound."""
        known_id = canonical(id)
        versions = self._engine.store.read(self._scope, lambda reader: reader.chain(known_id))
        if not versions:
            raise NotFound(f"No memory {id}. See what there is with `list`.")
        return tuple(versions)

    @route("GET /api/memories")
    def list(
        self, *, limit: kinds.Limit = 50, cursor: kinds.PageCursor | None = None, **filters: Unpack[FilterFields]
    ) -> Page:
        """List current memories, newest first, a page at a time."""
        check_limit(limit)
        before = None if cursor is None else ids.canonical(cursor)
        if cursor is not None and before is None:
            raise InvalidInput(f"The cursor {cursor!r} is not one. Pass the cursor of the page before, or none.")
        memory_filters = self._filters(filters)
        records = self._reading.store.read(self._scope, lambda reader: reader.select(memory_filters, limit + 1, before))
        return Page(tuple(records[:limit]), records[limit - 1].id if len(records) > limit else None)

    def count(self, **filters: Unpack[FilterFields]) -> int:
        """Count current memories."""
        memory_filters = self._filters(filters)
        return self._reading.store.read(self._scope, lambda reader: reader.count(memory_filters))

    @route("GET /api/stats")
    def stats(self) -> Stats:
        """Return statistics of what this user has stored."""
        from recollect.engine.maintenance import store_status

        return store_status.user_stats(self._reading, self._scope)

    @route("GET /api/insights")
    def insights(self, *, days: kinds.LogDays = 90, limit: kinds.MostEntries = 10) -> Insights:
        """Return what is asked of this user's memory, and what it holds, with at most `limit` entries in each list.

        Queries, programs and recalled items come from the search log of the last `days`, at most 90, if
        `serve.search_log` is on. Coverage says what can be found by meaning, growth what was stored in each month.
        """
        from recollect.engine.maintenance import insights
        from recollect.engine.search import recall

        if not 1 <= days <= recall.LOG_KEPT.days:
            raise InvalidInput(f"days is {days}; it must be from 1 to {recall.LOG_KEPT.days}.")
        return insights.insights(self._reading, self._scope, days=days, limit=check_limit(limit))

    def tidy(
        self, *, rules: TidyRule | Sequence[TidyRule] = (), limit: int = 100, apply: Iterable[str] = ()
    ) -> Tidying:
        """Suggest what could go: `noise` without words, what is too `short`, lines of a `system`, and `old_chat`.

        Nothing goes by itself. `apply` takes ids of suggestions: what is suggested still is then forgotten for good, or
        archived if it is a conversation, whose messages stay. What has a subject or key, was rated up, or has taught
        something is never suggested, nor is a message of the last 30 days or a conversation of the last year.
        """
        from recollect.engine.maintenance import insights
        from recollect.engine.maintenance.insights import TidyRequest

        if isinstance(apply, str):
            raise InvalidInput(f"apply is the text {apply!r}; give the ids of suggestions, for example ({apply!r},).")
        chosen = cast("tuple[TidyRule, ...]", (rules,) if isinstance(rules, str) else tuple(rules))
        for name in chosen:
            if name not in TIDY_RULES:
                raise InvalidInput(f"Unknown rule {name!r}. Rules are: {', '.join(TIDY_RULES)}.")
        wanted = TidyRequest(chosen or TIDY_RULES, check_limit(limit), frozenset(apply))
        return insights.tidy(self._engine, self._scope, wanted)

    @route("POST /api/forget", whole=True)
    def forget(
        self,
        id: kinds.ItemId | None = None,
        *,
        query: kinds.ForgetQuery | None = None,
        session: kinds.WholeSession | None = None,
        source: kinds.FromSource | None = None,
        folder: kinds.FolderRoot | None = None,
        everything: kinds.Everything = False,
        all: kinds.AllOfIt = False,
        sources: kinds.AlsoSources = False,
        allow_again: kinds.AllowAgain = False,
        purge: kinds.Purge = False,
        receipt: kinds.WithReceipt = False,
        dry_run: kinds.DryRun = False,
        documents: kinds.FateOfDocuments = "ask",
    ) -> Forgotten:
        """Delete for good, with everything that was derived from it.

        By `id`: a memory with its history, a message, or a file; with `sources`, the messages that the memory was
        captured from lose the sentences that say it. By `query`: everything that says it, at once only if the query
        says a memory itself; any other returns `candidates` and `items`, to be forgotten by their ids or with `all`. An
        added document loses it; `documents` says whether its original stays, which is named, or all of it goes. By
        `session`: a conversation and what was learned in it. By `source`: all memories that came from there. By
        `folder`: all files that were synced from it; those on disk stay. `items` says in words what is gone.

        No import, sync or redelivered history brings the forgotten back; what the user says or stores anew is accepted.
        `everything` with `allow_again` is a fresh start: all that was ever forgotten may come again. `purge` removes
        the last traces from the database's files, as `Memory.purge` does: on a server that takes a while. With
        `receipt` the result has a signed statement of what went, without content; `Memory.verify_erasure` checks it.
        """
        from recollect.engine.forgetting import request as forgetting
        from recollect.engine.forgetting.request import ForgetRequest

        if everything and is_reserved(self._scope.user_id):
            raise NotPermitted("Only an admin deletes a shared scope, with recollect scope delete NAME.")
        path = None if folder is None else check_path(folder)
        reach = (all, sources, allow_again, purge, receipt, dry_run, documents)
        request = ForgetRequest(id, query, session, source, path, everything, *reach)
        return forgetting.run(self._engine, self._scope, request)

    @route("POST /api/hooks/before-prompt", whole=True)
    def before_prompt(
        self,
        content: kinds.Prompt,
        *,
        session: kinds.Session,
        id: kinds.HostId = "",
        speaker: kinds.Speaker = "",
        metadata: kinds.Metadata | None = None,
        location: kinds.WhereSaid | None = None,
        max_tokens: kinds.MostTokens | None = None,
    ) -> PromptContext:
        """Hook before an agent answers: recall for the user's message, then save it as a request.

        Returns a block of related information to put before the prompt, of at most `max_tokens`. It fails open: when
        something is slow or broken, `degraded` says what is missing. `speaker` is the name of the user, where several
        people talk to the agent. `location` is where the user is: it is stored with the request, and what is near
        ranks higher.
        """
        from recollect.engine.conversations import message_drafts, turns
        from recollect.engine.places import user_places

        place = Location() if location is None else as_location(location)
        where = user_places.located(self._engine, self._scope, place)
        request = NewMessage(
            "user",
            content,
            id=id,
            speaker=speaker,
            metadata=metadata or {},
            lat=where.lat,
            lng=where.lng,
            address=where.address,
            place_label=where.place_label,
        )
        conversation = message_drafts.conversation_name(session)
        return turns.before_prompt(self._engine, self._scope, conversation, request, max_tokens=max_tokens)

    @route("GET /api/hooks/session-start", whole=True)
    def start_session(
        self, project: kinds.Project = "", *, max_tokens: kinds.MostTokens | None = None
    ) -> PromptContext:
        """Hook when a session begins: what is known about a project, by its name, and what the user prefers.

        Returns a block to show to the agent before the first prompt, of at most `max_tokens`. It saves nothing, and
        fails open like `before_prompt`.
        """
        from recollect.engine.conversations import turns

        return turns.session_context(self._engine, self._scope, project, max_tokens=max_tokens)

    def after_turn(self, messages: Iterable[NewMessage | Mapping[str, Any]], *, session: kinds.Session) -> TurnOutcome:
        """Hook after an agent has answered: save the turn's messages and capture what the user's words say.

        Messages may be in the format of OpenAI or Anthropic, and may contain the whole conversation: it is idempotent,
        a turn that is delivered twice has one effect.
        """
        from recollect.engine.conversations import message_drafts, turns

        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("after_turn takes the messages of a turn, for example a list.")
        return turns.after_turn(self._engine, self._scope, message_drafts.conversation_name(session), messages)

    def end_session(self, session: kinds.Session) -> Remembered | None:
        """Hook at the end of a session: store its summary as a memory, if `session_summaries` is set."""
        from recollect.engine.conversations import compact, message_drafts

        if not self._engine.settings.session_summaries:
            return None
        return compact.end_session(self._engine, self._scope, message_drafts.conversation_name(session))
