"""What this package adds to Recollect, as tables that `recollect.plugins` reads: nothing is imported here."""

commands = {
    "e5": "recollect_connect.cli.e5:commands",
}
