"""What this package adds to Recollect, as tables that `recollect.plugins` reads: nothing is imported here."""

commands: dict[str, str] = {}
