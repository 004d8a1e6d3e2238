"""Reads a file from a form (`multipart/form-data`, RFC 7578).

The body is in memory already and of a bounded size, and is scanned once. What is not exactly one file called `file` is
refused.
"""

import re
from email.message import Message
from http import HTTPStatus
from typing import Final, NamedTuple

from recollect.web.problems import RequestRefused

ENVELOPE_BYTES: Final = 64 * 1024  # what a form may have around its file
_FORM: Final = "multipart/form-data"
_PART: Final = "file"
_LONGEST_HEAD: Final = 4_096
_LONGEST_TYPE: Final = 1_000
_END_OF_HEAD: Final = b"\r\n\r\n"
_BOUNDARY: Final = re.compile(r"[\x20-\x7e]{0,69}[\x21-\x7e]")


class UploadedDocument(NamedTuple):
    """An uploaded document. Without a form around it, the request has to say its name."""

    name: str
    content: bytes


def read_upload(body: bytes, content_type: str) -> UploadedDocument:
    """Take a document out of the form it was sent in, if it is in one. Raises Refused."""
    head = _header("content-type", content_type[:_LONGEST_TYPE])
    if head.get_content_type() != _FORM:
        return UploadedDocument("", body)
    try:
        boundary = head.get_boundary("")
    except ValueError as error:  # a parameter may name an encoding that cannot decode it
        raise _unreadable("its boundary cannot be decoded") from error
    if not _BOUNDARY.fullmatch(boundary):
        raise _unreadable("it names no boundary")
    return _only_file(body, boundary.encode())


def _only_file(body: bytes, boundary: bytes) -> UploadedDocument:
    """Find the only part, between the first delimiter and the last one."""
    opening = b"--" + boundary
    if not body.startswith(opening + b"\r\n"):
        raise _unreadable("it does not begin with its boundary")
    begin = len(opening) + 2
    head_end = body.find(_END_OF_HEAD, begin, begin + _LONGEST_HEAD)
    if head_end < 0:
        raise _unreadable("its first part has no end of its head")
    start = head_end + len(_END_OF_HEAD)
    delimiter = re.compile(re.escape(b"\r\n" + opening) + rb"(--|[ \t]*\r\n)").search(body, start)
    if delimiter is None:
        raise _unreadable("it ends in the middle of a part")
    if delimiter[1] != b"--":
        raise _unreadable("it has more than one part")
    return UploadedDocument(_name(body[begin:head_end]), body[start : delimiter.start()])


def _name(head: bytes) -> str:
    """Read the name of the file from the head of its part, without folders."""
    lines = head.decode("utf-8", "replace").split("\r\n")
    dispositions = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("content-disposition:")]
    disposition = _header("content-disposition", dispositions[0] if len(dispositions) == 1 else "")
    try:
        name, filename = disposition.get_param("name", header="content-disposition"), disposition.get_filename("")
    except ValueError as error:
        raise _unreadable("the name of its file cannot be decoded") from error
    if name != _PART:
        raise _unreadable(f"its part is not called `{_PART}`")
    filename = filename.replace("%22", '"')  # browsers spell this one so
    return filename.replace("\\", "/").rpartition("/")[2]


def _header(name: str, value: str) -> Message:
    head = Message()
    head[name] = value
    return head


def _unreadable(why: str) -> RequestRefused:
    return RequestRefused(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        f"The form cannot be read: {why}. Send one file in a part called `{_PART}`, or the bytes of the document by "
        "themselves, with `name` in the query.",
    )
