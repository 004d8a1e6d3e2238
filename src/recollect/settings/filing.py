"""The settings of files: which are synced, how they are cut, and what is kept of documents."""

from dataclasses import dataclass, field

from recollect.settings.declare import about, conform
from recollect.settings.kinds import number, switch, text, texts, whole

USUAL_FILES = ("*.md", "*.markdown", "*.mdx", "*.txt", "*.text", "*.rst", "*.org", "*.adoc", "*.jsonl")


@dataclass(frozen=True, slots=True)
class FileSettings:
    """How folders are kept in step, and documents are read."""

    include: tuple[str, ...] = field(
        default=USUAL_FILES,
        metadata=about(texts(), "Which files of a folder are synced, as patterns like those of `.gitignore`."),
    )
    exclude: tuple[str, ...] = field(
        default=(), metadata=about(texts(), "Which files of a folder are left out.", default_words="none")
    )
    hidden: bool = field(
        default=False, metadata=about(switch(), "Sync files and folders whose names begin with a dot.")
    )
    gitignore: bool = field(
        default=True, metadata=about(switch(), "Leave out what `.gitignore` and `.recollectignore` files say.")
    )
    most_mb: int = field(default=10, metadata=about(whole(1, 1_024), "Largest file that is synced, in MiB."))
    document_mb: int = field(default=32, metadata=about(whole(1, 1_024), "Largest document that is added, in MiB."))
    media_mb: int = field(
        default=16, metadata=about(whole(1, 1_024), "Largest picture, sound or film of a memory or message, in MiB.")
    )
    most_pieces: int = field(
        default=4_000,
        metadata=about(
            whole(10, 1_000_000),
            "Most pieces by which one file is searched; what follows them is left out, and the file says so.",
        ),
    )
    chunk_tokens: int = field(
        default=400, metadata=about(whole(50, 4_000), "Approximate length of a chunk, in tokens.")
    )
    chunk_overlap: int = field(default=80, metadata=about(whole(0, 1_000), "Overlap of adjacent chunks, in tokens."))
    originals: str = field(
        default="",
        metadata=about(
            text(empty=True),
            "Folder for the originals of documents; `off` stores none.",
            default_words="beside the SQLite file, or in your data folder",
        ),
    )
    extract_s: float = field(
        default=60.0, metadata=about(number(1, 3_600), "Time limit for parsing one document, in seconds.")
    )
    extract_mb: int = field(
        default=1_024, metadata=about(whole(128, 65_536), "Memory limit for parsing one document, in MiB.")
    )
    watch: tuple[str, ...] = field(
        default=(),
        metadata=about(
            texts(),
            "Folders that `recollect serve` keeps in sync, for the user of the settings.",
            default_words="none",
        ),
    )
    debounce_s: float = field(
        default=1.5, metadata=about(number(0.05, 60), "Seconds of quiet after a change before a folder is synced.")
    )
    check_minutes: float = field(
        default=15.0, metadata=about(number(0.01, 10_000), "Minutes between full checks of a watched folder.")
    )

    def __post_init__(self) -> None:
        conform(self)
