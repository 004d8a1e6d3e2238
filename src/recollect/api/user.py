"""`UserMemory`: one user's part of a store. Every verb belongs to a user; none reaches across users."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from typing import Any, Self

from recollect.api.conversation import Conversation, UserMessages
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.files import UserFiles, UserMedia
from recollect.api.places import UserPlaces
from recollect.api.scoped import as_offered, check_limit, check_path
from recollect.api.verbs import MemoryVerbs
from recollect.engine.base import scopes
from recollect.engine.carry.export import ExportOptions, ExportReport, save_export
from recollect.engine.carry.import_archive import (
    ArchiveReport,
    ImportOptions,
    ImportProgressListener,
    import_archive,
)
from recollect.engine.conversations import message_log
from recollect.engine.drafts import memory_drafts
from recollect.engine.memories import remember
from recollect.errors import InvalidInput
from recollect.model.memories import NewMemory, Remembered
from recollect.model.messages import ConversationInfo
from recollect.model.scopes import Membership
from recollect.settings import hide_password


class UserMemory(MemoryVerbs):
    """One user's memories, and the verbs for them. Get one from `Memory.user`."""

    @property
    def user_id(self) -> str:
        """The user whose memories these are."""
        return self._scope.user_id

    @property
    def zone(self) -> str:
        """The time zone that decides what "yesterday" means, by its name; empty for that of the machine."""
        return self._engine.zone or self._engine.settings.timezone

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
