"""Brings an export of another system: looked through to its end first, so that a damaged one brings nothing at all."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Final, NamedTuple

from recollect.api.backups import OWN, import_own
from recollect.api.user import UserMemory
from recollect.errors import InvalidDocument
from recollect.model.backups import ImportListener, ImportReport
from recollect.model.literals import Trust
from recollect.model.memories import NewMemory
from recollect_connect.importing import basic_memory, chatgpt, claude, detect_format, mem0
from recollect_connect.importing.archives import ExportArchive, Member, opened
from recollect_connect.importing.chat_sessions import ChatSession
from recollect_connect.importing.deliver import ImportCounts, ImportRun, importing
from recollect_connect.importing.parse_values import list_of, mapping_of, name_of

_ACCOUNT: Final = "about the account, not memory"
_OTHER_FILES: Final = "not what conversations or memories are in"
_SAME_AGAIN: Final = "the same memories again"
_PROJECT_FILE: Final = "a document of a project; add it with `recollect add`"
_OTHER_USER: Final = "of another user"
_NO_RELATION: Final = "not a relation in mem0's format"
_TOO_LARGE: Final = "larger than a note may be"


class _FormatReader(NamedTuple):
    """How conversations of a format are read."""

    format: str
    talk_of: Callable[[object, int], ChatSession | None]
    malformed: str


_READERS: Final = {
    chatgpt.FORMAT: _FormatReader(chatgpt.FORMAT, chatgpt.talk_of, chatgpt.MALFORMED),
    claude.FORMAT: _FormatReader(claude.FORMAT, claude.talk_of, claude.MALFORMED),
}


def import_file(
    me: UserMemory,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    trust: int = Trust.EXTERNAL,
    of_user: str | None = None,
    dry_run: bool = False,
    tell: ImportListener | None = None,
) -> ImportReport:
    """Bring what another system exported, `chatgpt`, `claude`, `mem0` or `basic-memory`, or what `me.export` wrote.

    `path` is the archive as it was downloaded, a file of it, or the folder it was unpacked into; without `format` its
    content shows what it is. Conversations become conversations, memories become memories that are trusted as far as
    `trust` says; those of an export of ours are what they were. Bringing it again adds only what is new.
    `of_user` says whose memories are meant, when there are those of several. With `dry_run` nothing is stored. Raises
    InvalidDocument for what cannot be read.
    """
    tally = ImportCounts()
    delivery = ImportRun(importing(me), tally, dry_run, tell, trust)
    named = None if format is None else detect_format.checked(format)
    with opened(path, me.files.store_files()) as archive:
        known = named or detect_format.format_of(archive)
        if known == OWN:
            return import_own(me, archive.path, of_user=of_user, dry_run=dry_run, tell=tell)
        for name, reason in archive.refused:
            tally.skip("files", reason, example=name)
        if known == basic_memory.FORMAT:
            _bring_notes(delivery, archive, trust)
        elif known == mem0.FORMAT:
            _bring_mem0(delivery, archive, trust, of_user)
        else:
            _bring_conversations(delivery, archive, _READERS[known], trust)
        return tally.report(known, str(archive.path), dry_run=dry_run)


def _bring_conversations(delivery: ImportRun, archive: ExportArchive, reader: _FormatReader, trust: int) -> None:
    talks, memories, projects, others = _sorted(archive, reader.format)
    if not talks and not memories:
        raise InvalidDocument(
            f"{archive.path} holds no conversations.json, which an export of {reader.format} has; found: "
            f"{', '.join(member.name for member in archive.members[:5]) or 'nothing'}."
        )
    total = sum(1 for member in (*talks, *memories, *projects) for _ in detect_format.parts(member))
    done = 0
    for member in talks:
        for position, entry in enumerate(detect_format.parts(member)):
            talk = reader.talk_of(entry.value, position) if entry.listed else None
            if talk is not None:
                delivery.talk(talk, reader.format)
            elif entry.listed:
                delivery.tally.skip("conversations", reader.malformed, example=f"{member.name}, number {position + 1}")
            done += 1
            delivery.progress("conversations", done, total)
    names = _project_names(delivery, projects)
    delivery.memories(_claude_memories(memories, trust, names))
    for member in others:
        delivery.tally.skip("files", _ACCOUNT if member.base in ("user.json", "users.json") else _OTHER_FILES)


def _sorted(archive: ExportArchive, format: str) -> tuple[list[Member], list[Member], list[Member], list[Member]]:
    """Part what holds conversations from what holds memories and projects, and from the rest."""
    if archive.kind == "file":
        memories = [one for one in archive.members if format == claude.FORMAT and _remembers(one)]
        return [one for one in archive.members if one not in memories], memories, [], []
    talks, memories, projects, others = [], [], [], []
    for member in archive.members:
        is_json, claudes = member.base.endswith(".json"), format == claude.FORMAT
        if is_json and (member.base == "conversations.json" or member.base.startswith("conversations-")):
            talks.append(member)
        elif is_json and claudes and (member.base == "memories.json" or member.folder == "memories"):
            memories.append(member)
        elif is_json and claudes and (member.base == "projects.json" or member.folder == "projects"):
            projects.append(member)
        else:
            others.append(member)
    return talks, memories, projects, others


def _remembers(member: Member) -> bool:
    first = next(detect_format.parts(member), None)
    return first is not None and (
        first.key == "conversations_memory" or "conversations_memory" in mapping_of(first.value)
    )


def _whole(member: Member) -> Iterator[object]:
    """Give the objects of a file that is a list of them, or one."""
    single: dict[str, object] = {}
    for entry in detect_format.parts(member):
        if entry.listed and not entry.key:
            yield entry.value
        elif entry.listed:
            found = single.setdefault(entry.key, [])
            if isinstance(found, list):
                found.append(entry.value)
        else:
            single[entry.key] = entry.value
    if single:
        yield single


def _project_names(delivery: ImportRun, members: Iterable[Member]) -> dict[str, str]:
    names = {}
    for member in members:
        for project in map(mapping_of, _whole(member)):
            names[str(project.get("uuid"))] = name_of(project.get("name"))
            delivery.tally.skip("documents", _PROJECT_FILE, len(list_of(project.get("docs"))))
    return names


def _claude_memories(members: Iterable[Member], trust: int, projects: dict[str, str]) -> Iterator[NewMemory]:
    for member in members:
        for found in _whole(member):
            yield from claude.memories_of(found, trust, projects)


def _bring_mem0(delivery: ImportRun, archive: ExportArchive, trust: int, of_user: str | None) -> None:
    members = detect_format.json_members(archive)
    backup = [member for member in members if member.base == "memories.json"]
    if backup:
        for member in members:
            if member.base == "memories.jsonl.gz":
                delivery.tally.skip("files", _SAME_AGAIN, example=member.name)
        members = backup
    if not members:
        raise InvalidDocument(f"{archive.path} holds no JSON, which memories of mem0 are in.")
    users: Counter[str] = Counter()
    categories: dict[str, str] = {}
    for member in members:
        for entry in detect_format.parts(member):
            categories.update(mem0.category_names(entry))
            if entry.listed and entry.key in mem0.LISTS:
                users[mem0.user_of(entry.value)] += 1
    _insist_on_one_user(archive, users, of_user)
    delivery.memories(_mem0_memories(delivery, members, trust, categories, of_user))


def _insist_on_one_user(archive: ExportArchive, users: Counter[str], of_user: str | None) -> None:
    named = sorted(user for user in users if user)
    if of_user is not None and of_user not in named:
        found = ", ".join(named[:10]) or "none"
        raise InvalidDocument(f"{archive.path} holds no memories of the user {of_user!r}. Users in it: {found}.")
    if of_user is None and len(named) > 1:
        raise InvalidDocument(
            f"{archive.path} holds memories of {len(named)} users: {', '.join(named[:10])}. They shall not be mixed: "
            "say with of_user whose are meant."
        )


def _mem0_memories(
    delivery: ImportRun, members: Iterable[Member], trust: int, categories: dict[str, str], of_user: str | None
) -> Iterator[NewMemory]:
    for member in members:
        for position, entry in enumerate(detect_format.parts(member)):
            if entry.listed and entry.key == "relations":
                relation = mem0.relation_of(entry.value, trust)
                if relation is None:
                    delivery.tally.skip("relations", _NO_RELATION)
                else:
                    yield relation
            elif entry.listed and entry.key in mem0.LISTS:
                found: NewMemory | str = _OTHER_USER
                if of_user is None or mem0.user_of(entry.value) in ("", of_user):
                    found = mem0.read(entry, trust, categories)
                if isinstance(found, NewMemory):
                    yield found
                else:
                    delivery.tally.skip("memories", found, example=f"{member.name}, number {position + 1}")


def _bring_notes(delivery: ImportRun, archive: ExportArchive, trust: int) -> None:
    if archive.kind != "folder":
        raise InvalidDocument(
            f"{archive.path} is a file; notes of basic-memory are a folder. Unpack it, and pass that."
        )
    found = detect_format.notes(archive)
    if not found:
        raise InvalidDocument(f"{archive.path} holds no Markdown, which notes of basic-memory are.")
    memories: list[NewMemory] = []
    for done, member in enumerate(found, start=1):
        if member.size > detect_format.MOST_OF_A_NOTE:
            delivery.tally.skip("notes", _TOO_LARGE, example=member.name)
            continue
        note = basic_memory.read(detect_format.text(member), member.name, trust)
        delivery.tally.bring("notes")
        for (what, reason), amount in note.skipped.items():
            delivery.tally.skip(what, reason, amount)
        memories.extend(note.memories)
        delivery.progress("notes", done, len(found))
    delivery.memories(memories)
    delivery.tally.skip("files", _OTHER_FILES, len(archive.members) - len(found))
    delivery.folder(archive.path, "memory", ("*.md", "*.markdown"))
