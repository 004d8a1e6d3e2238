"""Commands that copy, repair and distribute a whole store: backup, restore, new-key, repair, distribute."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NamedTuple

from recollect.cli.formatting import ago, counted, lasting, listing, sentence, size
from recollect.cli.json_output import fields_of
from recollect.cli.options import argument, flag, option
from recollect.cli.progress import stop_on_signal
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import InvalidInput, RecollectError

if TYPE_CHECKING:
    from datetime import timedelta

    from recollect.cli.view import View
    from recollect.model.backups import Backup, Repaired, Restored
    from recollect.model.stats import Distribution

commands = CommandSet("The store")

_FIRST_LINE = "A file whose first line is the passphrase."


class BackupOptions(NamedTuple):
    """How a backup is made."""

    keep: Annotated[int | None, option("N", "Keep only the N newest backups of this store, with this one.", min=1)] = (
        None
    )
    encrypt_to: Annotated[
        list[str] | None, option("KEY", "Encrypt to a public key, such as age1...; may be repeated.")
    ] = None
    passphrase_file: Annotated[str | None, option("FILE", f"Encrypt with a passphrase. {_FIRST_LINE}")] = None


@commands.command(
    "admin",
    examples=(
        "recollect backup /mnt/backup/recollect --keep 14",
        "recollect backup /mnt/backup/recollect --encrypt-to age1...",
        "recollect backup /mnt/backup/recollect --every 1h --keep 48",
    ),
)
def backup(
    context: CommandContext,
    folder: Annotated[
        str | None, argument("DEST", "Folder for backups; backup.folder of the settings without it.")
    ] = None,
    *,
    chosen: BackupOptions,
    every: Annotated[str | None, option("SPAN", "Go on: one now and each 30m, 1h or 1d, until Ctrl-C.")] = None,
) -> "CommandResult[Backup | None]":
    """Back up the database and the originals.

    The store may be in use. Each backup is a dated folder in DEST with a manifest.json, verified after it was written.
    It holds everything that was acknowledged before it began; originals that an earlier backup in DEST has take no room
    again. One that is interrupted leaves nothing that looks like a backup. On PostgreSQL it needs pg_dump.
    """
    make = _maker(context, folder, chosen)
    if every is None:
        return CommandResult(make(), _show_backup)
    pause_s, progress = _span(every).total_seconds(), context.progress
    with stop_on_signal(progress) as stop:
        while not stop.is_set():
            try:
                made = make()
                progress.announce(_sentence(made), made)
            except RecollectError as error:  # the next may succeed
                progress.announce(f"The backup failed: {error}", {"error": str(error)})
            stop.wait(pause_s)
    return CommandResult(None, _show_backup)


def _maker(context: CommandContext, folder: str | None, chosen: BackupOptions) -> "Callable[[], Backup]":
    """Give what writes a backup: as was typed, or else as the settings say."""
    from recollect.encryption import read_passphrase

    settings = context.settings.backup
    target = folder or settings.folder
    if not target:
        raise InvalidInput("Name a folder for backups: recollect backup DEST, or set backup.folder.")
    typed = bool(chosen.encrypt_to or chosen.passphrase_file)
    file = chosen.passphrase_file if typed else settings.passphrase_file
    keys = tuple(chosen.encrypt_to or ()) if typed else settings.encrypt_to
    passphrase = read_passphrase(file) if file else ""
    keep = chosen.keep or (None if folder else settings.keep)

    def make() -> "Backup":
        with context.progress.steps() as step:
            return context.memory.backup(target, keep=keep, encrypt_to=keys, passphrase=passphrase, tell=step)

    return make


def _span(text: str) -> "timedelta":
    from datetime import timedelta

    from recollect.settings.kinds import Unfit, duration

    try:
        return timedelta(seconds=duration().parse(text))
    except Unfit:
        raise InvalidInput(f"--every is {text!r}; expected {duration().expected}.") from None


def _sentence(made: "Backup") -> str:
    items = [counted(made.tables.get("memories", 0), "memory", "memories"), counted(made.users, "user", "users")]
    if made.originals:
        reused = f" ({made.reused:,} from before)" if made.reused else ""
        items.append(counted(made.originals, "original", "originals") + reused)
    kind = "encrypted " if made.encrypted else ""
    return f"Wrote and verified the {kind}backup {made.folder}: {listing(items)}, {size(made.size_bytes)}."


def _show_backup(view: "View", made: "Backup | None") -> None:
    if made is None:
        return
    view.line(_sentence(made))
    if made.removed:
        view.line(f"Removed {counted(len(made.removed), 'older backup', 'older backups')}.")
    if made.missing:
        missing = counted(made.missing, "original is", "originals are")
        view.line(f"{missing} not in the store's folder any more and could not be backed up.", "yellow")


class CheckedBackup(NamedTuple):
    """A backup of which every file is what was written."""

    checked: "Backup"


@commands.command(
    free="It makes a store where there is none; who can read the backup has its content already.",
    examples=(
        "recollect restore /mnt/backup/recollect/20260301T090000Z --database ~/restored.db",
        "recollect restore /mnt/backup/recollect --database postgresql:///empty --identity key.txt",
        "recollect restore /mnt/backup/recollect --check",
    ),
)
def restore(
    context: CommandContext,
    path: Annotated[str, argument("BACKUP", "A backup, or a folder of backups: then the newest.")],
    *,
    database: Annotated[
        str | None, option("PATH|URL", "Where to restore to: a new file, or an empty database.")
    ] = None,
    identity: Annotated[str | None, option("FILE", "The file with the key of an encrypted backup.")] = None,
    passphrase_file: Annotated[str | None, option("FILE", _FIRST_LINE)] = None,
    forgotten_since: Annotated[
        str | None, option("PATH|URL", "The store of before: forget again what was forgotten there after the backup.")
    ] = None,
    check: Annotated[bool, flag("--check", "Only compare every file of the backup with its hash.")] = False,
) -> "CommandResult[Restored] | CommandResult[CheckedBackup]":
    """Restore a backup to where no store is yet.

    Every file is compared with its hash before anything is restored, and the restored store is checked; what differs is
    said. What was forgotten after the backup comes back with it, unless --forgotten-since names the store of before. On
    PostgreSQL it needs pg_restore.
    """
    from recollect.api import backups
    from recollect.api.memory import Memory
    from recollect.encryption import read_passphrase

    if check:
        sound = backups.check(path)
        age = ago(sound.created_at, context.present)
        said = f"{sound.folder} is as it was written {age}."
        return CommandResult(CheckedBackup(sound), lambda view, _: view.line(said, "green"))
    settings = context.load_settings(database or context.typed.database)
    with context.progress.steps() as step:
        restored = Memory.restore(
            path,
            settings=settings,
            identity=identity,
            passphrase=read_passphrase(passphrase_file) if passphrase_file else "",
            forgotten_since=forgotten_since,
            tell=step,
        )
    return CommandResult(restored, _show_restored)


def _show_restored(view: "View", restored: "Restored") -> None:
    made = restored.backup
    age = lasting(view.now - made.created_at)
    view.line(f"Restored {made.folder}, {age} old, to {restored.location}. It was checked and is sound.")
    if made.originals and restored.originals_folder:
        view.line(f"{counted(made.originals, 'original', 'originals')} went to {restored.originals_folder}.")
    for note in restored.notes:
        view.line(f"{note[:1].upper()}{note[1:]}.", "yellow")


class MadeKey(NamedTuple):
    """A key that was made: its file, and its public part."""

    file: str
    public_key: str


@commands.command(name="new-key", free="It uses no store.", examples=("recollect new-key ~/recollect-backup-key.txt",))
def new_key(
    context: CommandContext,  # noqa: ARG001 - as commands are called
    file: Annotated[str, argument("FILE", "Where to write it; only you can read it.")],
) -> CommandResult[MadeKey]:
    """Make a key for encrypted backups and exports.

    It is a key of age. Keep the file away from the backups: without it they stay closed, and its holder can read them.
    """
    from recollect.encryption import make_key

    return CommandResult(MadeKey(file, make_key(file)), _show_key)


def _show_key(view: "View", key: MadeKey) -> None:
    view.line(f"Wrote the key to {key.file}. Keep it safe: it decrypts. Its public key, which encrypts, is")
    view.line(key.public_key)


class RepairOutcome(NamedTuple):
    """The file, and what was done to it; None when it is sound."""

    location: str
    repaired: "Repaired | None"

    def document(self) -> dict[str, object]:
        done = {} if self.repaired is None else fields_of(self.repaired)
        return {"location": self.location, "damaged": self.repaired is not None, **done}


@commands.command(
    free="It works on the file itself; who can write it has its content already.",
    busy="Looking at all pages",
    examples=("recollect repair", "recollect repair --database ~/memory.db --json"),
)
def repair(
    context: CommandContext,
    *,
    database: Annotated[str | None, option("PATH", "The SQLite file; that of the settings without it.")] = None,
) -> CommandResult[RepairOutcome]:
    """Look at a SQLite file, and save what can be read.

    Nothing is done to a file that is sound. Stop all processes that use the store first. The rows of all sound pages go
    to a new file, which takes the place of the damaged one; words and codes of vectors are indexed anew, and lost
    vectors wait for the worker. The damaged file is kept beside it under a dated name: delete it when you no longer
    need it.
    """
    from recollect.api.memory import Memory

    settings = context.load_settings(database or context.typed.database)
    return CommandResult(RepairOutcome(settings.database, Memory.repair(settings=settings)), _show_outcome)


def _show_outcome(view: "View", outcome: RepairOutcome) -> None:
    repaired = outcome.repaired
    if repaired is None:
        view.line(f"{outcome.location} is sound; nothing was changed.", "green")
        return
    view.line(sentence(repaired.reason), "yellow")
    for table in repaired.tables:
        lost = f", {'about ' if table.estimated else ''}{table.lost:,} lost" if table.lost else ""
        view.line(f"  {table.table}: {counted(table.saved, 'row', 'rows')} saved{lost}", "yellow" if lost else "")
    for note in repaired.notes:
        view.line(sentence(note), "yellow")
    view.line(f"{repaired.location} is in order again.", soft_wrap=True)
    view.line(f"The damaged file is kept as {repaired.damaged_file}", soft_wrap=True)
    view.line("It still holds all that it held: delete it, and its -wal file, when you no longer need it.")
    if repaired.lost_rows:
        view.line("A backup may have what was lost: `recollect restore`.", "yellow")


@commands.command(
    free="It works on the database itself; its owner has the content already.",
    examples=("recollect distribute --dry-run", "recollect distribute --database postgresql://owner@db/memory"),
)
def distribute(
    context: CommandContext,
    *,
    database: Annotated[
        str | None, option("ADDRESS", "The PostgreSQL database; that of the settings without it.")
    ] = None,
    shards: Annotated[
        int, option("N", "Into how many parts users are divided; 0: as many as the server's citus.shard_count.")
    ] = 0,
    dry_run: Annotated[bool, flag("--dry-run", "Show the statements, and change nothing.")] = False,
) -> "CommandResult[Distribution]":
    """Let Citus distribute a PostgreSQL store over servers.

    Each user's rows come to be on one of them. Stop all processes that use the store first, and use the login that owns
    the tables. Each table is copied once, so the disk needs room for that. Safe to interrupt: no process can open the
    store until another `recollect distribute` has gone on to the end. There is no way back but export and import.
    """
    from recollect.api.memory import Memory

    settings = context.load_settings(database or context.typed.database)
    with context.progress.steps() as step:
        done = Memory.distribute(
            settings=settings,
            shards=shards,
            dry_run=dry_run,
            tell=lambda doing, number, total: step(sentence(doing).rstrip("."), number, total),
        )
    return CommandResult(done, _show_distribution)


def _show_distribution(view: "View", done: "Distribution") -> None:
    if done.dry_run:
        view.line("\n".join(f"{statement};" for statement in done.statements), soft_wrap=True)
        return
    view.line(f"The store is distributed, by {counted(len(done.statements), 'statement', 'statements')}.", "green")
    view.line("Start the processes that use it again. `recollect maintain` indexes large users anew.")
