"""What this package adds to Recollect, as tables that `recollect.plugins` reads: nothing is imported here."""

commands = {"add": "recollect_files.cli.documents", "sync": "recollect_files.cli.folders"}
adapters = {
    "documents": "recollect_files.documents.extract:LocalDocuments",
    "media_type": "recollect_files.documents.detect_kind:detect_media",
    "reading files": "recollect_files.filing:local_filing",
}
routes = {"uploads": "recollect_files.doors.uploads"}
workers = {"watched folders": "recollect_files.doors.watched_folders:WatchedFolders"}
