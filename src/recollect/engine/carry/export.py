"""Writes an export to a file that is there whole or not at all: from one snapshot, and only a few rows at a time.

The same content gives the same bytes. The readable one is Markdown in a zip file, the answer to the question what is
known about a user: whatever was said is quoted line by line, so that no text can pass for a heading or a link of the
export itself.
"""

import os
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from recollect import encryption
from recollect.engine.base import audit
from recollect.engine.base.context import Engine
from recollect.engine.carry.archive import FILE, ORIGINALS, ArchivedFile, Manifest
from recollect.engine.carry.lines import (
    MEDIA,
    SECRETS,
    VECTORS,
    encode_row,
    encode_secret,
    encode_vector,
    member_of,
    with_value,
)
from recollect.errors import InvalidInput, NotFound, StoreError
from recollect.model.literals import MEMORY_TYPES, VECTOR_KINDS
from recollect.model.media import TEXT_LIMITS, ending_of, original_name
from recollect.model.memories import Scope, Space
from recollect.private_folders import settle
from recollect.storage.base import TransferReader
from recollect.storage.base.tables import (
    CONVERSATIONS,
    DERIVATIONS,
    FILES,
    FOLDERS,
    MEMORIES,
    MESSAGES,
    NAMED_PLACES,
    SPENDING,
    TOMBSTONES,
    TRANSFERRED,
    Row,
    TransferTable,
)

_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # no time of day, so that the same rows give the same bytes
_OWNER_ONLY: Final = 0o600 << 16
_UNIX: Final = 3
_LEAST_PIECE: Final = 256 * 1024
_UNSAFE: Final = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 60

Values = dict[str, Any]
_ORIGINAL: Final = FILES.names.index("original")
_LOCAL: Final = slice(FILES.names.index("mtime_ns"), FILES.names.index("inode") + 1)


class ExportWriter:
    """The files of an export so far, of whom they are, and the digests of the originals that were gone."""

    def __init__(self, engine: Engine, target: BinaryIO) -> None:
        self.members: list[ArchivedFile] = []
        self.rows: Counter[str] = Counter()
        self.users: dict[str, None] = {}
        self.missing: list[str] = []
        self._engine = engine
        self._bundle = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)

    def close(self) -> None:
        """Write the list of files."""
        self._bundle.close()

    def add(self, name: str, lines: Iterable[bytes], *, packed: bool = True) -> None:
        """Write a file."""
        info = zipfile.ZipInfo(name, _EARLIEST)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.external_attr, info.create_system = _OWNER_ONLY, _UNIX
        digest, size, amount = sha256(), 0, 0
        with self._bundle.open(info, "w", force_zip64=True) as member:
            for data in _gathered(lines):
                digest.update(data)
                member.write(data)
                size, amount = size + len(data), amount + (data.count(b"\n") if packed else 0)
                self._engine.priority.give_way()
        self.members.append(ArchivedFile(name, size, digest.hexdigest(), amount))

    def add_original(self, name: str, stored: str, digest: str) -> None:
        """Write the original of a document or a medium, or note that it is gone."""
        try:
            data = self._engine.originals.original(stored)
        except NotFound:
            self.missing.append(digest)
            return
        self.rows["originals"] += 1
        self.add(name, (data,), packed=False)


def _gathered(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines into pieces that are worth a call."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= _LEAST_PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


class ReadableExport:
    """A readable export under way."""

    def __init__(self, engine: Engine, reader: TransferReader, out: ExportWriter) -> None:
        self._engine = engine
        self._reader = reader
        self._out = out

    def write(self, scopes: Sequence[Scope], *, apart: bool) -> None:
        """Write the files of these users, who may have a folder each."""
        for number, scope in enumerate(scopes, start=1):
            self._user(scope, f"{number:04}-{_safe(scope.user_id)}/" if apart else "")

    def _user(self, scope: Scope, folder: str) -> None:
        self._out.users[scope.user_id] = None
        before = Counter(self._out.rows)
        for kind in dict.fromkeys((*MEMORY_TYPES, *(row[1] for row in self._reader.rows(scope, MEMORIES)))):
            self._add(f"{folder}memories/{_safe(kind)}.md", self._memories(scope, kind), f"# Memories: {kind}\n")
        for number, talk in enumerate(self._rows(scope, CONVERSATIONS), start=1):
            self._add(f"{folder}conversations/{number:04}-{_safe(talk['id'])}.md", self._transcript(scope, talk))
        self._add(f"{folder}files.md", self._files(scope), "# Files\n")
        for file in self._rows(scope, FILES):
            if file["original"]:
                name = f"{folder}documents/{file['id']}-{_safe(file['path'].rpartition('/')[2])}"
                self._out.add_original(name, file["original"], file["digest"])
        for digest, medium in self._media(scope).items():
            self._out.add_original(f"{folder}{_media_name(medium)}", original_name(scope.user_id, digest), digest)
        self._add(f"{folder}places.md", self._places(scope), "# Places\n\n")
        self._add(f"{folder}log.md", self._log(scope))
        self._add(f"{folder}README.md", iter((_read_me(scope.user_id, self._out.rows - before),)))

    def _add(self, name: str, lines: Iterator[str], heading: str = "") -> None:
        """Write a file, unless there is nothing to say."""
        first = next(lines, None)
        if first is not None:
            self._out.add(name, (line.encode() for part in ((heading, first), lines) for line in part))

    def _rows(self, scope: Scope, table: TransferTable) -> Iterator[Values]:
        for row in self._reader.rows(scope, table):
            yield dict(zip(table.names, row, strict=True))

    def _memories(self, scope: Scope, kind: str) -> Iterator[str]:
        """Describe the memories of a type, each with where it was said. Rows and their sources are sorted alike."""
        notes = self._rows(scope, DERIVATIONS)
        note = next(notes, None)
        for memory in self._rows(scope, MEMORIES):
            said: list[str] = []
            while note is not None and note["made_id"] <= memory["id"]:
                if note["made_id"] == memory["id"]:
                    said.append(f"{note['source_kind']} {note['source_id']}")
                note = next(notes, None)
            if memory["type"] == kind:
                self._out.rows["memories"] += 1
                yield _memory(memory, said)

    def _transcript(self, scope: Scope, talk: Values) -> Iterator[str]:
        self._out.rows["conversations"] += 1
        title = talk["metadata"].get("title") or talk["id"]
        yield f"# Conversation: {_inline(title)}\n\nLast spoken in: {_time(talk['updated_at'])}.\n"
        for row in self._reader.talk(scope, talk["id"]):
            message = dict(zip(MESSAGES.names, row, strict=True))
            self._out.rows["messages"] += 1
            speaker = f" ({_inline(message['speaker'])})" if message["speaker"] else ""
            calls = "".join(
                f"\nCalled `{_inline(name)}`:\n\n{_quote(given)}" for _, name, given in message["tool_calls"]
            )
            status = "" if message["status"] == "active" else f", {message['status']}"
            yield (
                f"\n## {message['role']}{speaker}, {_time(message['said_at'])}{status}\n\n"
                f"{_quote(message['content'])}{calls}\n"
                f"{_pictured(message)}"
                f"{_facts(message, ('feedback', 'model', 'place_label', 'address', 'lat', 'lng', 'metadata', 'id'))}"
            )

    def _files(self, scope: Scope) -> Iterator[str]:
        for folder in self._rows(scope, FOLDERS):
            yield f"\nThe folder {_inline(folder['root'])} was last read at {_time(folder['scanned_at'])}.\n"
        for file in self._rows(scope, FILES):
            self._out.rows["files"] += 1
            shown = ("root", "kind", "mime", "size", "digest", "dated_at", "created_at", "updated_at", "metadata", "id")
            yield f"\n## {_inline(file['path'])}\n\n{_facts(file, shown)}"

    def _media(self, scope: Scope) -> dict[str, Values]:
        """Give the media with originals, each once."""
        found: dict[str, Values] = {}
        for item in (item for table in (MEMORIES, MESSAGES) for item in self._rows(scope, table)):
            for medium in item["media"]:
                if medium.get("original"):
                    found.setdefault(medium["original"], medium)
        return found

    def _places(self, scope: Scope) -> Iterator[str]:
        for place in self._rows(scope, NAMED_PLACES):
            self._out.rows["named_places"] += 1
            address = f", {_inline(place['address'])}" if place["address"] else ""
            yield f"- {_inline(place['name'])}: {place['lat']}, {place['lng']}{address}\n"

    def _log(self, scope: Scope) -> Iterator[str]:
        """Say what was done with the memory, by which key, and what models were paid for."""
        heading = "# What was done\n\n"
        for line in audit.lines(self._engine, scope):
            yield f"{heading}- {_time(line.done_at)}: {_inline(line.action)}, {line.amount}, by {_inline(line.actor)}\n"
            heading = ""
        heading = "\n# What models were asked\n\n"
        for spent in self._rows(scope, SPENDING):
            tokens = f"{spent['input_tokens']} tokens in, {spent['output_tokens']} out"
            yield f"{heading}- {spent['day']}: {_inline(spent['purpose'])}, {_inline(spent['model'])}, {tokens}\n"
            heading = ""


def _memory(memory: Values, said: list[str]) -> str:
    shown = (
        "subject", "key", "value", "context", "source", "confidence", "importance", "occurred_at", "valid_from",
        "valid_until", "expires_at", "session_id", "address", "place_label", "lat", "lng", "metadata", "created_at",
        "updated_at", "superseded_by", "id",
    )  # fmt: skip
    state = ", replaced since" if memory["superseded_by"] else ""
    origin = f"- said in: {', '.join(said)}\n" if said else ""
    facts = f"{_pictured(memory)}{_facts(memory, shown)}{origin}"
    return f"\n## {_time(memory['created_at'])}{state}\n\n{_quote(memory['content'])}\n{facts}"


def _facts(values: Values, names: tuple[str, ...]) -> str:
    """List fields that say something."""
    told = ((name, values[name]) for name in names if values[name] not in (None, "", {}, []))
    return "".join(
        f"- {name.replace('_', ' ')}: {_time(value) if isinstance(value, datetime) else _inline(value)}\n"
        for name, value in told
    )


def _pictured(item: Values) -> str:
    """List the media of a memory or message: what they are and show, and where they are."""
    lines = []
    for media in item["media"]:
        words = (media[name] for name in TEXT_LIMITS if media.get(name))
        lines.append(f"- {media['kind']}: {_inline(' · '.join((*words, media.get('url') or _media_name(media))))}\n")
    return "".join(lines)


def _media_name(media: Values) -> str:
    return f"media/{media['original'][:16]}{ending_of(media.get('mime', ''))}"


def _quote(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines()) or "> \n"


def _inline(value: object) -> str:
    """Give a value on one line, with nothing that Markdown would take for its own."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(str(value).split()))


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _safe(name: str) -> str:
    """Give part of a name that any system can have as that of a file."""
    return _UNSAFE.sub("_", name).strip("._")[:_LONGEST_NAME] or "_"


def _read_me(user: str, counts: Counter[str]) -> str:
    rows = "".join(f"- {what.replace('_', ' ')}: {amount}\n" for what, amount in counts.items())
    return (
        f"# What is stored about {_inline(user)}\n\n"
        "`memories/` holds what is remembered, by kind, with older versions; `conversations/` what was said; "
        "`files.md` lists documents and notes, `documents/` holds the documents, `media/` pictures and sounds; "
        "`places.md` the places with a name; "
        "`log.md` what was done and by which key. Times are in UTC.\n\n"
        f"{rows}"
    )


class ExportOptions(NamedTuple):
    """Whose memory is exported, all users' or one's, and with what.

    `readable` is for people. With public keys of age, or with a passphrase, the file is encrypted.
    """

    scope: Scope | None = None
    vectors: bool = False
    tombstones: bool = True
    readable: bool = False
    encrypt_to: Sequence[str] = ()
    passphrase: str = ""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds: how many of what, of whom, in how many bytes.

    `missing_originals` are the digests of documents whose copies were gone; their text is there all the same.
    """

    path: str
    users: tuple[str, ...]
    rows: Mapping[str, int] = field(default_factory=dict)
    bytes: int = 0
    missing_originals: tuple[str, ...] = ()


def save_export(
    engine: Engine, given: str | PathLike[str], options: ExportOptions, *, overwrite: bool = False
) -> ExportReport:
    """Write an archive of one user, or of all."""
    path = Path(given).expanduser()
    insist_not_own(engine, path)
    if path.is_dir() or (path.exists() and not overwrite):
        raise InvalidInput(f"{path} exists already. Choose another name, or say that it is to be overwritten.")
    lock = encryption.lock_for(options.encrypt_to, options.passphrase)
    try:
        descriptor, unfinished = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # only its owner reads it
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            with encryption.encrypting(file, lock) as target, closing(ExportWriter(engine, target)) as out:
                engine.search.notes.flush()
                with engine.store.snapshot(options.scope) as reader:
                    scopes = reader.users() if options.scope is None else [options.scope]
                    if options.readable:
                        ReadableExport(engine, reader, out).write(scopes, apart=options.scope is None)
                    else:
                        _Export(engine, reader, out, scopes).write(options)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        Path(unfinished).replace(path)
        settle(path.parent)
    except OSError as error:
        raise StoreError(f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        Path(unfinished).unlink(missing_ok=True)
    return ExportReport(str(path), tuple(sorted(out.users)), dict(out.rows), size, tuple(out.missing))


def insist_not_own(engine: Engine, path: Path) -> None:
    """Refuse a file of the open store: opening it would drop SQLite's locks. Raises InvalidInput."""
    try:
        found = path.stat()
    except OSError:
        return
    if (found.st_dev, found.st_ino) in engine.store.own_files():
        raise InvalidInput(f"{path} is the store itself. Choose another file.")


class _Export:
    """An export under way, the digests of its originals with their names here, and the secrets of its tombstones."""

    def __init__(self, engine: Engine, reader: TransferReader, out: ExportWriter, scopes: Sequence[Scope]) -> None:
        self._engine = engine
        self._reader = reader
        self._out = out
        self._scopes = scopes
        self._originals: dict[str, str] = {}
        self._secrets: set[str] = set()

    def write(self, options: ExportOptions) -> None:
        """Write all files."""
        out = self._out
        out.users.update(dict.fromkeys([options.scope.user_id] if options.scope else []))
        for table in TRANSFERRED:
            wanted = options.tombstones or table is not TOMBSTONES
            out.add(member_of(table), self._lines(table) if wanted else ())
        secrets = sorted(self._reader.secrets().items())
        out.add(SECRETS, (encode_secret(name, secret) for name, secret in secrets if name in self._secrets))
        space = self._reader.active_space() if options.vectors else None
        if options.vectors:
            out.add(VECTORS, self._vectors(space) if space else ())
        for digest, name in sorted(self._originals.items()):
            out.add_original(f"{ORIGINALS}{digest}", name, digest)
        users, passages = tuple(sorted(out.users)), self._engine.store.passages()
        manifest = Manifest(tuple(out.members), len(self._originals), users, space, passages)
        out.add(FILE, (manifest.encode(),))

    def _lines(self, table: TransferTable) -> Iterator[bytes]:
        for scope in self._scopes:
            for row in self._reader.rows(scope, table):
                self._out.rows[table.name] += 1
                self._out.users[scope.user_id] = None
                self._note(scope.user_id, table, row)
                yield encode_row(scope.user_id, table, outgoing(row) if table is FILES else row)

    def _note(self, user_id: str, table: TransferTable, row: Row) -> None:
        """Note what goes along with a row."""
        if table is TOMBSTONES:
            self._secrets.add(row[0].partition(":")[0])
        elif table is FILES and row[_ORIGINAL]:
            self._originals.setdefault(_digest(row), row[_ORIGINAL])
        elif table in (MEMORIES, MESSAGES):
            digests = [media["original"] for media in row[table.names.index(MEDIA)] if "original" in media]
            self._originals |= {digest: original_name(user_id, digest) for digest in digests}

    def _vectors(self, space: Space) -> Iterator[bytes]:
        for scope in self._scopes:
            for kind in VECTOR_KINDS:
                for item_id, part, vector in self._reader.vectors(scope, kind, space):
                    self._out.rows["vectors"] += 1
                    yield encode_vector(scope.user_id, kind, item_id, part, vector)


def outgoing(row: Row) -> Row:
    """Give the row of a file without what only this machine knows, and with the hash of its original for its name."""
    known = (*row[: _LOCAL.start], *[0] * (_LOCAL.stop - _LOCAL.start), *row[_LOCAL.stop :])
    return with_value(known, _ORIGINAL, _digest(row))


def _digest(row: Row) -> str:
    return str(row[_ORIGINAL].rpartition("/")[2])
