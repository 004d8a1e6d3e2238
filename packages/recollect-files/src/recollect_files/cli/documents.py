"""The command `add`: documents that are added one by one."""

import sys
from typing import TYPE_CHECKING, Annotated, NamedTuple

from recollect.cli import options
from recollect.cli.errors import FAILED
from recollect.cli.files import described
from recollect.cli.formatting import named
from recollect.cli.json_output import error_document, fields_of
from recollect.cli.options import argument, flag, option
from recollect.cli.progress import show_waiting, waiting_texts
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.files import AddedFile

commands = CommandSet("Files")

_OF_A_DOCUMENT = ("id", "kind", "mime", "size", "lines", "chunks", "cut", "notes")


class OfferedDocument(NamedTuple):
    """A document that was to be added, and what became of it."""

    path: str
    added: "AddedFile | None" = None
    error: InvalidInput | None = None

    def document(self) -> dict[str, object]:
        """Give what became of it. Its stored name is left out: it may have been added under another one."""
        if self.added is None:
            return {"path": self.path, "action": "failed", **error_document(self.error)}
        file = {name: getattr(self.added.file, name) for name in _OF_A_DOCUMENT}
        return {"path": self.path, "action": self.added.action, **file, **fields_of(self.added, "action", "file")}


class AddedDocuments(NamedTuple):
    """All documents that were to be added, and how many texts wait for a vector."""

    files: tuple[OfferedDocument, ...]
    waiting: int = 0


@commands.command(
    "write",
    examples=(
        "recollect add manual.pdf contract.docx",
        "recollect add manual.pdf --replace",
        "curl -s https://example.org/ | recollect add - --name example.html",
    ),
)
def add(
    context: CommandContext,
    files: Annotated[list[str], argument("FILE", "Documents to add; - reads one from standard input.")],
    *,
    name: Annotated[
        str | None, option("NAME", "What to call the document; its file name unless you say. One file only.")
    ] = None,
    replace: Annotated[bool, flag("--replace", "Take the place of what was added under the same name before.")] = False,
    wait: options.Wait = None,
) -> CommandResult[AddedDocuments]:
    """Add documents: PDF, DOCX, HTML, e-mail and more.

    Also Markdown, text, code, CSV, and images, of which the metadata is kept. A copy of each document is kept, and its
    text is found like memories are. What is known already is not added twice. One that cannot be read does not keep out
    the others; then the exit code is 1.
    """
    if name is not None and len(files) > 1:
        raise InvalidInput("--name names one document. Add several one by one, or without it.")
    if "-" in files and name is None:
        raise InvalidInput("What comes from standard input needs a name: recollect add - --name manual.pdf")
    most_bytes = context.settings.files.document_mb * 2**20 + 1
    offered = []
    with context.progress.steps() as step:
        for done, path in enumerate(files):
            step("Adding documents", done, len(files))
            file = sys.stdin.buffer.read(most_bytes) if path == "-" else path
            try:
                added = context.me.files.add(file, name=name, replace=replace, wait=wait)
            except InvalidInput as error:
                offered.append(OfferedDocument(name or path, error=error))
            else:
                offered.append(OfferedDocument(name or path, added))
    failed = any(document.error is not None for document in offered)
    documents = AddedDocuments(tuple(offered), waiting_texts(context))
    return CommandResult(documents, _show_added, FAILED if failed else 0)


def _show_added(view: "View", documents: AddedDocuments) -> None:
    for offered in documents.files:
        if offered.added is None:
            view.line(f"{named(offered.path)}: not added.", "yellow")
            view.line(f"{offered.error}", "yellow")
            continue
        outcomes = {
            "created": "added",
            "replaced": "added, replacing what had its name",
            "duplicate": "known already; nothing was added",
        }
        view.line(f"{named(offered.path)}: {outcomes[offered.added.action]}.")
        view.left_out(offered.added.left_out)
        view.line(described(offered.added.file), "dim")
        for note in offered.added.file.notes:
            view.line(note, "yellow")
    show_waiting(view, documents.waiting)
