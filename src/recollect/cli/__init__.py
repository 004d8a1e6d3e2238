"""The command line.

    app        the application: options before the command, and the list of commands
    writing, finding, filing, knowing, placing, talking, hosting, embedding, tending, granting, serving, serving_mcp,
    serving_service
               the commands as they are typed: names, options, help texts, examples
    options    options that several commands share
    edge       where errors become messages and exit codes
    run        where a command goes to work, and with it everything that is slow to import
    needs      which permission each command needs
    lock       who is typing, and whose memories they may touch
    desk       opens the store, lets a verb work, and has the answer printed
    errand     what a verb is sent with and what it comes back with
    verbs      what the commands do, with verbs_forget, verbs_files, verbs_import, verbs_knowledge, verbs_places,
               verbs_conversations, verbs_turns, verbs_embedding, verbs_worker, verbs_nodes and verbs_access; watching
               is how long work is followed and stopped, and keeping does so with folders; values reads what stands
               behind their options, and hosts what agents' hosts send
    demo       the guided tour; script is what is typed on it
    documents  answers for programs
    show       answers for people, with show_files, show_knowledge, show_places, show_conversations, show_turns,
               show_embedding, show_store, show_nodes, show_access and show_demo; they write on a sheet, with entries,
               screen, progress, words and folders
    streams    standard output that takes any text
    reference  the commands for the documentation

The invariant: whoever asks for help or makes a typing mistake waits for typer and for nothing else.
"""

from recollect.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run what was typed."""
    app(prog_name="recollect")
