"""`UserMemory`: one user's part of a store. Every verb belongs to a user; none reaches across users."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from os import PathLike
from typing import Any, Self, Unpack

from recollect import ids
from recollect.api.conversation import Conversation
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.files import UserFiles
from recollect.api.insight_verbs import InsightVerbs
from recollect.api.media import UserMedia
from recollect.api.messages import UserMessages
from recollect.api.places import UserPlaces
from recollect.api.scoped import (
    as_offered,
    canonical,
    check_limit,
    check_path,
    check_types,
    new_memory,
    one_radius,
    scope_choice,
    search_location,
)
from recollect.api.similarity import UserSimilarity
from recollect.engine.base import scopes
from recollect.engine.carry.export import ExportOptions, ExportReport, save_export
from recollect.engine.carry.import_archive import (
    ArchiveReport,
    ImportOptions,
    ImportProgressListener,
    import_archive,
)
from recollect.engine.conversations import compact, message_drafts, message_log, silence, turns
from recollect.engine.drafts import kept_secrets, memory_drafts
from recollect.engine.forgetting import request as forgetting
from recollect.engine.forgetting.request import ForgetRequest
from recollect.engine.maintenance import store_status
from recollect.engine.memories import remember, update
from recollect.engine.memories.update import rate_memory
from recollect.engine.places import user_places
from recollect.engine.search import browsing, recall
from recollect.engine.search.prepared_query import SearchOptions
from recollect.errors import InvalidInput, InvalidMemory, NotFound, NotPermitted
from recollect.model.filters import ChunkFilters, FilterFields, Filters, ItemFilters, MessageFilters
from recollect.model.literals import USUAL_SOURCES, DocumentsFate, MemoryType, Source
from recollect.model.memories import MemoryChanges, MemoryFields, MemoryRecord, NewMemory, Page, Remembered, VectorLike
from recollect.model.messages import Content, ConversationInfo, NewMessage
from recollect.model.places import Location, LocationLike, LocationMode, as_location, with_location
from recollect.model.scopes import Membership, is_reserved
from recollect.model.search import About, Forgotten, PromptContext, Recall, TurnOutcome
from recollect.model.stats import Stats
from recollect.settings import hide_password

_MEMORY_ONLY_FILTERS = ("type", "subject", "key", "context", "session", "as_of", "min_importance")


class UserMemory(InsightVerbs, UserSimilarity):
    """One user's memories, and the verbs for them. Get one from `Memory.user`."""

    @property
    def user_id(self) -> str:
        """The user whose memories these are."""
        return self._scope.user_id

    @property
    def address(self) -> str:
        """Where these memories are, without a password, and whose: what waits for one is never stored in another."""
        return f"{hide_password(self._engine.settings.database)} {self.user_id}"

    @property
    def files(self) -> UserFiles:
        """Synced folders and documents: `me.files.sync("~/notes")`, `me.files.add("manual.pdf")`."""
        return UserFiles(self._engine, self._scope)

    @property
    def media(self) -> UserMedia:
        """Pictures and the like: `me.remember("Our new sofa", media=[me.media.add("sofa.jpg")])`."""
        return UserMedia(self._engine, self._scope)

    @property
    def places(self) -> UserPlaces:
        """Places and geocoding: `me.places.set("home", (49.19, 16.61))`, `me.places.list()`."""
        return UserPlaces(self._engine, self._scope)

    @property
    def facts(self) -> UserFacts:
        """Facts about things: `me.facts("light.office")` lists, `me.facts.set(subject, key, value)` stores."""
        return UserFacts(self._engine, self._scope)

    @property
    def preferences(self) -> UserPreferences:
        """Preferences: `me.preferences("lighting")` lists, `me.preferences.set(category, key, value)` stores."""
        return UserPreferences(self._engine, self._scope)

    @property
    def events(self) -> UserEvents:
        """The timeline: `me.events(since=…)` lists, `me.events.log("Garage door opened")` stores."""
        return UserEvents(self._engine, self._scope)

    @property
    def lessons(self) -> UserLessons:
        """Lessons: `me.lessons()` lists, `me.lessons.add("Ask before restarting the router")` stores."""
        return UserLessons(self._engine, self._scope)

    @property
    def instructions(self) -> UserInstructions:
        """Standing instructions: `me.instructions()` lists, `me.instructions.add("Always answer briefly")` stores."""
        return UserInstructions(self._engine, self._scope)

    @property
    def messages(self) -> UserMessages:
        """Single messages by id, and capture: `me.messages.around(hit.id)`, `me.messages.rate(id, 1)`."""
        return UserMessages(self._engine, self._scope)

    def conversation(self, id: str) -> Conversation:
        """Return a conversation by its id; it need not exist yet."""
        return Conversation(self._engine, self._scope, id)

    def conversations(
        self, *, limit: int = 50, before: ConversationInfo | tuple[datetime, str] | None = None
    ) -> tuple[ConversationInfo, ...]:
        """List conversations with their statistics, the most recently active first.

        To page, pass the last one of the page before as `before`, or its `updated_at` and id.
        """
        position = (before.updated_at, before.id) if isinstance(before, ConversationInfo) else before
        if position is not None:
            position = (memory_drafts.utc(position[0], "before"), position[1])
        return message_log.listing(self._reading, self._scope, check_limit(limit), position)

    def scope(self, name: str) -> Self:
        """Return a shared scope that this user is a member of, with the same verbs. Raises NotFound.

        What is stored there is found by all members. A reader may only search: other verbs raise NotPermitted.
        """
        return type(self)(*scopes.join(self._engine, self._scope, name))

    def scopes(self) -> tuple[Membership, ...]:
        """List the shared scopes that this user is a member of, by name."""
        return tuple(self._engine.store.read(self._scope, lambda reader: reader.memberships()))

    def remember(self, content: str, *, wait: bool | None = None, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory. It is durable when this returns, and found by its words.

        With `wait` it also has its vector, if one can be made; otherwise a worker makes it later. By default only the
        local encoder is waited for.

        The same words twice are a `duplicate`, whatever their case, punctuation and spacing; what is new in the second,
        such as a place, is taken over. A new value for the same `subject`, `key` and `context` supersedes the old one,
        which stays in the history.

        `location` stands for `lat`, `lng`, `address` and `place_label`: a pair, a name, a `Location` or a mapping.
        """
        return remember.remember(self._engine, self._scope, new_memory({"content": content, **fields}), wait=wait)

    def remember_many(
        self,
        memories: Iterable[str | NewMemory | Mapping[str, Any]],
        *,
        wait: bool | None = None,
    ) -> tuple[Remembered, ...]:
        """Store many memories fast, in transactions of ten thousand; returns one result for each, in order.

        Items are texts, `NewMemory`, or mappings with its fields. When an item is wrong, nothing of its batch is
        stored, and the error names it. `wait` and what is a duplicate are meant as in `remember`.
        """
        if isinstance(memories, (str, Mapping)):
            raise InvalidInput("remember_many takes several memories, for example a list. To store one, use remember.")
        offered = map(as_offered, memories)
        return tuple(remember.remember_many(self._engine, self._scope, offered, wait=wait))

    def import_memories(self, memories: Iterable[str | NewMemory | Mapping[str, Any]]) -> tuple[Remembered, ...]:
        """Import memories of another program, as `remember_many` stores them. What was forgotten stays forgotten.

        `forget(everything=True, allow_again=True)` lets it come again.
        """
        offered = map(as_offered, memories)
        return tuple(remember.remember_many(self._engine, self._scope, offered, imported=True))

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        prefer: MemoryType | Sequence[MemoryType] = (),
        diverse: bool = False,
        files: bool = False,
        only_related: bool = False,
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
        location_radius_km: float | None = None,
        scopes: str | Sequence[str] | None = None,
        **filters: Unpack[FilterFields],
    ) -> Recall:
        """Find memories by meaning and by words, best first; with `files` also in synced folders and documents.

        Query syntax: a "quoted phrase" must be there word for word (inside a sentence it is preferred), `-word` must
        not, and words like "last week" prefer that time. Filters: `type`, `subject`, `key`, `context` and `session`
        must be equal; `since` (inclusive) and `until` (exclusive) bound when it happened or was stored; `as_of` asks
        what was held true at a moment. Files have none of the fields but time: with such a filter only memories are
        searched. Types to `prefer` come first among equals; `diverse` hits say different things. `vector` is the
        query's embedding, if you have it already. With `only_related` there are no hits when none has to do with the
        query, as at the doors for agents and people; otherwise `answerable` of the result says how likely that is.
        `scopes` are shared scopes to search as well: `all` that the user is a member of, `none`, or names.

        `location` is where the user is: coordinates, the name of a place (`home`), a kind of place (`supermarket`), or
        a `Location`. What is near, or at a place like that, ranks higher: the score is (1 - `location_weight`) times
        that of the content plus `location_weight` times that of the place; what has no place keeps its score. With
        `radius_km` (0.1 to 100; `location_radius_km` is the same) only what is that near is found. With the
        `location_mode` `semantic` the names of the places count, and not how far they are.
        """
        defaults = self._engine.settings.recall
        radius = one_radius(radius_km, location_radius_km)
        options = SearchOptions(
            defaults.limit if limit is None else limit,
            defaults.min_score if min_score is None else min_score,
            preferred=check_types(prefer),
            diverse=diverse,
            location=search_location(location, radius, location_weight, location_mode),
            scopes=scope_choice(scopes, defaults.scopes),
        )
        memories = self._filters(filters)
        item_filters: list[ItemFilters] = [memories]
        if files and not any(name in filters for name in _MEMORY_ONLY_FILTERS):
            item_filters.append(ChunkFilters(since=memories.since, until=memories.until))
        found = recall.recall(
            self._reading,
            self._scope,
            query,
            item_filters=item_filters,
            options=options,
            vector=vector,
            log_as="recall",
        )
        return silence.only_related(self._reading, self._scope, query, found) if only_related else found

    def search_context(
        self,
        query: str,
        *,
        limit: int = 10,
        sources: Sequence[Source] = USUAL_SOURCES,
        session: str | None = None,
        current: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        min_score: float = 0.0,
        prefer: MemoryType | Sequence[MemoryType] = (),
        diverse: bool = False,
        only_related: bool = False,
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
        location_radius_km: float | None = None,
        scopes: str | Sequence[str] | None = None,
    ) -> Recall:
        """Search memories, messages and files together, best first. Arguments as in `recall` mean the same here.

        `session` narrows it down to one conversation and what was stored in it, without files. `current` is the
        conversation that is going on: its last turn is left out, because the query is about it.
        """
        start = None if since is None else memory_drafts.utc(since, "since")
        end = None if until is None else memory_drafts.utc(until, "until")
        excluded: tuple[str, ...] = ()
        if current is not None:
            excluded = self._engine.store.read(self._scope, lambda reader: recall.current_turn(reader, current))
        found = recall.recall_sources(
            self._reading,
            self._scope,
            query,
            sources=sources,
            memories=Filters(now=self._engine.clock.now(), session=session, since=start, until=end),
            messages=MessageFilters(conversation=session, since=start, until=end, excluded=excluded),
            files=None if session is not None else ChunkFilters(since=start, until=end),
            options=SearchOptions(
                check_limit(limit),
                min_score,
                preferred=check_types(prefer),
                diverse=diverse,
                location=search_location(
                    location, one_radius(radius_km, location_radius_km), location_weight, location_mode
                ),
                scopes=scope_choice(scopes, self._engine.settings.recall.scopes),
            ),
            vector=vector,
            log_as="search",
        )
        return silence.only_related(self._reading, self._scope, query, found) if only_related else found

    def about(self, topic: str, *, limit: int = 5) -> About:
        """Collect what is known about a topic: under its name, under its nicknames, and by meaning."""
        return browsing.about(self._reading, self._scope, topic, limit=check_limit(limit))

    def get(self, id: str, *, reveal: bool = False) -> MemoryRecord:
        """Return one memory, current or superseded. Raises NotFound. `reveal` shows the secrets that it keeps."""
        known_id = canonical(id)
        records = self._engine.store.read(self._scope, lambda reader: reader.get([known_id]))
        if not records:
            raise NotFound(f"No memory {id}. See what there is with `list`.")
        return kept_secrets.revealed(self._engine, self._scope, records[0]) if reveal else records[0]

    def update(self, id: str, **changes: Unpack[MemoryChanges]) -> MemoryRecord:
        """Change a memory's content or fields and return it; the version before stays in its `history`."""
        known_names = {"location", *(field.name for field in fields(NewMemory))}
        unknown = sorted(changes.keys() - known_names)
        if unknown or not changes:
            problem = f"Unknown fields: {', '.join(unknown)}." if unknown else "Nothing to change."
            raise InvalidMemory(f"{problem} A memory has: {', '.join(sorted(known_names))}.")
        return update.update(self._engine, self._scope, canonical(id), with_location(changes))

    def rate(self, id: str, feedback: int | None, *, comment: str = "") -> MemoryRecord:
        """Store the user's feedback on a memory: 1, -1, or None to take it back. Raises NotFound.

        What was rated down is found later; `messages.rate` does the same for messages.
        """
        return rate_memory(self._engine, self._scope, canonical(id), feedback, comment)

    def history(self, id: str) -> tuple[MemoryRecord, ...]:
        """Return all versions of a memory, oldest first, by the id of any of them. Raises NotFound."""
        known_id = canonical(id)
        versions = self._engine.store.read(self._scope, lambda reader: reader.chain(known_id))
        if not versions:
            raise NotFound(f"No memory {id}. See what there is with `list`.")
        return tuple(versions)

    def list(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[FilterFields]) -> Page:
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

    def stats(self) -> Stats:
        """Return statistics of what this user has stored."""
        return store_status.user_stats(self._reading, self._scope)

    insights = InsightVerbs.insights
    tidy = InsightVerbs.tidy

    def export(
        self,
        path: str | PathLike[str],
        *,
        vectors: bool = False,
        tombstones: bool = True,
        readable: bool = False,
        overwrite: bool = False,
        encrypt_to: Sequence[str] = (),
        passphrase: str = "",
    ) -> ExportReport:
        """Write everything of this user into an archive that any Recollect can import, and return what is in it.

        With `vectors` embeddings go along; otherwise they are made anew where it is imported. `tombstones` keep what
        was forgotten here from coming back there; with them goes the secret that this store keys them with. The file is
        there whole or not at all. Raises InvalidInput if it exists, unless `overwrite` is set. With `encrypt_to`,
        public keys of age, or a `passphrase` it is encrypted.

        `readable` writes Markdown for people instead: memories by type, conversations as transcripts, files, places.
        """
        options = ExportOptions(self._scope, vectors, tombstones, readable, encrypt_to, passphrase)
        return save_export(self._engine, path, options, overwrite=overwrite)

    def import_archive(
        self,
        path: str | PathLike[str],
        *,
        of_user: str | None = None,
        dry_run: bool = False,
        tombstones: bool = True,
        identity: str | PathLike[str] | None = None,
        passphrase: str = "",
        tell: ImportProgressListener | None = None,
    ) -> ArchiveReport:
        """Import what `export` wrote into this user's memory, whatever the user was called there.

        `of_user` says who is meant when the archive holds several users. Ids, history and times stay. Importing twice
        adds nothing; what is there already is never changed, and what was forgotten here stays forgotten. A damaged
        archive is refused before anything is stored, with InvalidDocument. `identity` is a file with the key of an
        encrypted one.
        """
        options = ImportOptions(of_user, self._scope, dry_run, tombstones, tell, identity, passphrase)
        return import_archive(self._engine, check_path(path), options)

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        folder: str | PathLike[str] | None = None,
        everything: bool = False,
        all: bool = False,
        sources: bool = False,
        allow_again: bool = False,
        purge: bool = False,
        receipt: bool = False,
        dry_run: bool = False,
        documents: DocumentsFate = "ask",
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
        if everything and is_reserved(self._scope.user_id):
            raise NotPermitted("Only an admin deletes a shared scope, with recollect scope delete NAME.")
        path = None if folder is None else check_path(folder)
        reach = (all, sources, allow_again, purge, receipt, dry_run, documents)
        request = ForgetRequest(id, query, session, source, path, everything, *reach)
        return forgetting.run(self._engine, self._scope, request)

    def before_prompt(
        self,
        content: Content,
        *,
        session: str,
        id: str = "",
        speaker: str = "",
        metadata: Mapping[str, Any] | None = None,
        location: LocationLike | None = None,
        max_tokens: int | None = None,
    ) -> PromptContext:
        """Hook before an agent answers: recall for the user's message, then save it as a request.

        Returns a block of related information to put before the prompt, of at most `max_tokens`. It fails open: when
        something is slow or broken, `degraded` says what is missing. `speaker` is the name of the user, where several
        people talk to the agent. `location` is where the user is: it is stored with the request, and what is near
        ranks higher.
        """
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

    def start_session(self, project: str = "", *, max_tokens: int | None = None) -> PromptContext:
        """Hook when a session begins: what is known about a project, by its name, and what the user prefers.

        Returns a block to show to the agent before the first prompt, of at most `max_tokens`. It saves nothing, and
        fails open like `before_prompt`.
        """
        return turns.session_context(self._engine, self._scope, project, max_tokens=max_tokens)

    def after_turn(self, messages: Iterable[NewMessage | Mapping[str, Any]], *, session: str) -> TurnOutcome:
        """Hook after an agent has answered: save the turn's messages and capture what the user's words say.

        Messages may be in the format of OpenAI or Anthropic, and may contain the whole conversation: it is idempotent,
        a turn that is delivered twice has one effect.
        """
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("after_turn takes the messages of a turn, for example a list.")
        return turns.after_turn(self._engine, self._scope, message_drafts.conversation_name(session), messages)

    def end_session(self, session: str) -> Remembered | None:
        """Hook at the end of a session: store its summary as a memory, if `session_summaries` is set."""
        if not self._engine.settings.session_summaries:
            return None
        return compact.end_session(self._engine, self._scope, message_drafts.conversation_name(session))
