"""Reads one document in a process of its own: bytes come in by standard input, JSON goes out by standard output.

The invariant: before a byte is read the process can no longer grow, run, write, start others or call out beyond its
limits; so whatever the bytes do to it, they do to it alone.
"""

import json
import sys
from importlib import import_module
from typing import Any

from recollect_files.documents.extracted import DocumentRefused

if sys.platform != "win32":
    import resource

READERS = {
    "pdf": ("pdf", "read_pdf"),
    "html": ("web", "read_html"),
    "docx": ("word", "read_docx"),
    "email": ("mail", "read_mail"),
    "image": ("picture", "read_image"),
}
_OPEN_FILES = 32
_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "os.spawn",
    "shutil.",
    "pty.",
)


def limit(memory_mb: int, cpu_s: int) -> None:
    """Take away from this process what reading a document does not need."""
    if sys.platform == "win32":
        return
    most = {
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_DATA: memory_mb << 20,
        resource.RLIMIT_AS: memory_mb << 20,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
    }
    for what, amount in most.items():
        _, hard = resource.getrlimit(what)
        kept = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        try:
            resource.setrlimit(what, (kept, kept))
        except (OSError, ValueError):  # a system that knows the name, but not the limit
            continue


def forbid(event: str, _arguments: tuple[Any, ...]) -> None:
    """Refuse to reach beyond this process. It is Python's audit hook: it cannot be taken away again."""
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"a document tried {event}")


def answer(kind: str, data: bytes) -> dict[str, Any]:
    """Read a document and say what is in it, or why it is not read."""
    module, name = READERS[kind]
    try:
        reader = getattr(import_module(f"recollect_files.documents.formats.{module}"), name)
        return {"found": reader(data)._asdict()}
    except DocumentRefused as refused:
        return {"refused": str(refused)}
    except MemoryError:
        return {"limit": "memory"}
    except RecursionError:
        return {"limit": "nesting"}
    except Exception as error:  # noqa: BLE001 -- the edge of the child: bytes of strangers may raise anything
        return {"failed": type(error).__name__}


def main(kind: str, memory_mb: str, cpu_s: str) -> None:
    """Read the document on standard input."""
    limit(int(memory_mb), int(cpu_s))
    sys.addaudithook(forbid)
    try:
        written = json.dumps(answer(kind, sys.stdin.buffer.read()), ensure_ascii=False).encode("utf-8", "replace")
    except MemoryError:
        written = b'{"limit": "memory"}'
    sys.stdout.buffer.write(written)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4])
