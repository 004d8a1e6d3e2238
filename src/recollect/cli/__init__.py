"""The command line.

    app        the application: options before the command, and the list of commands
    writing, finding, tending    the commands as they are typed: names, options, help texts, examples
    options    options that several commands share
    edge       where errors become messages and exit codes
    run        where a command goes to work, and with it everything that is slow to import
    desk       opens the store, lets a verb work, and has the answer printed
    verbs      what the commands do; values reads what stands behind their options
    demo       the guided tour; script is what is typed on it
    documents  answers for programs
    show       answers for people, with show_demo, entries, screen and words
    streams    standard output that takes any text
    reference  the commands for the documentation

The invariant: whoever asks for help or makes a typing mistake waits for typer and for nothing else.
"""

from recollect.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run what was typed."""
    app(prog_name="recollect")
