"""What is answered about files: the bodies of answers, made from what the façade gives."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from recollect.model.files import AddedFile, FilePage, FileRecord, FileText, FolderStatus
from recollect.model.literals import FileKind, FileSource


class FileBody(BaseModel):
    """A file as it is kept.

    A synced one lies at `path` beneath `root`; one that was added by itself has no root, and its path is its name.
    `digest` is the SHA-256 of its bytes; `original` says whether they are kept. `notes` say what is not as it should
    be.
    """

    id: str
    root: str
    path: str
    source: FileSource
    kind: FileKind
    mime: str
    size: int
    digest: str
    lines: int
    chunks: int
    trust: int
    original: bool
    dated_at: datetime | None
    notes: list[str]
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class FolderBody(BaseModel):
    """A folder that is kept in step: when it was last looked through, when to its end, and what could not be read then.

    `trouble` maps reasons to how many files.
    """

    root: str
    source: FileSource
    files: int
    chunks: int
    scanned_at: datetime
    completed_at: datetime | None
    trouble: dict[str, int]


class WatchedFolder(FolderBody):
    """The same, with how many files differ from what is kept; null when the folder cannot be read."""

    drift: int | None


class FileListing(BaseModel):
    """A part of a listing, newest first, and all folders. Pass `cursor` to get the next part; it is null at the end."""

    items: list[FileBody]
    cursor: str | None = None
    folders: list[FolderBody]


class AddedFileBody(BaseModel):
    """What became of a document that was sent: `duplicate` means that the very same bytes are kept already.

    `notes` say what is not as it should be, such as a part that could not be read.
    """

    action: Literal["created", "duplicate", "replaced"]
    id: str
    kind: FileKind
    mime: str
    lines: int
    chunks: int
    notes: list[str]
    degraded: list[str] = Field(default_factory=list)


class FileTextBody(BaseModel):
    """Lines of a file, `first` to `last`, counted from 1; `lines` is how many it has in all.

    `origin` says where they come from. `current` is false when the file was changed since it was read into the store.
    """

    id: str
    path: str
    first: int
    last: int
    lines: int
    text: str
    origin: Literal["disk", "store"]
    current: bool


def file_body(record: FileRecord) -> FileBody:
    """Show a file."""
    shown = {name: value for name, value in record._asdict().items() if name in FileBody.model_fields}
    return FileBody(**{**shown, "original": bool(record.original), "notes": list(record.notes)})


def listing(page: FilePage, folders: tuple[FolderStatus, ...]) -> FileListing:
    """Show a part of the list of files, and the folders."""
    return FileListing(
        items=[file_body(one) for one in page.items],
        cursor=page.cursor,
        folders=[FolderBody(**_folder(one)) for one in folders],
    )


def watched(status: FolderStatus) -> WatchedFolder:
    """Show a folder to whoever runs the service."""
    return WatchedFolder(**_folder(status), drift=status.drift)


def _folder(status: FolderStatus) -> dict[str, Any]:
    known = status.folder
    return {
        "root": known.root,
        "source": known.source,
        "files": status.files,
        "chunks": status.chunks,
        "scanned_at": known.scanned_at,
        "completed_at": known.completed_at,
        "trouble": dict(known.trouble),
    }


def added(value: AddedFile) -> AddedFileBody:
    """Show what became of a document. What it is called is not shown: others may have sent it under another name."""
    return AddedFileBody(
        action=value.action,
        id=value.file.id,
        kind=value.file.kind,
        mime=value.file.mime,
        lines=value.file.lines,
        chunks=value.file.chunks,
        notes=list(value.file.notes),
        degraded=list(value.degraded),
    )


def text_body(value: FileText) -> FileTextBody:
    """Show lines of a file."""
    return FileTextBody(
        id=value.file.id,
        path=value.file.path,
        first=value.first,
        last=value.last,
        lines=value.file.lines,
        text=value.text,
        origin=value.origin,
        current=value.current,
    )
