"""Leaves out of an import what the plugin has captured live: it has the same words there, under ids of its own."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from recollect.api.user import UserMemory
from recollect.text.clean import clean
from recollect.text.private import without_private
from recollect.text.secrets import redact
from recollect_connect.importing.chat_sessions import ChatSession
from recollect_connect.importing.deliver import ALREADY_THERE

LogReader = Callable[[str, Sequence[str]], ChatSession]

_PAGE: Final = 1_000
_PLAIN_NAME: Final = re.compile(r"[\w.-]+\.jsonl")  # as a pattern it means itself


class CapturedSessions:
    """The conversations that the plugin made of OpenClaw's sessions. After `/new` a session has several."""

    def __init__(self, me: UserMemory, format: str) -> None:
        self._me, self._prefix = me, f"{format}:"
        self._names: dict[str, list[str]] | None = None

    def leave_out(self, session: str, talk: ChatSession) -> None:
        """Leave out of a session what was captured: of two messages with the same words, as many as there are."""
        own = {message.id for message in talk.messages}
        captured = Counter(self._captured(session, own))
        fresh = []
        for message in talk.messages:
            words = _words(message.role, str(message.content))
            if captured[words] > 0:
                captured[words] -= 1
            else:
                fresh.append(message)
        talk.skip(ALREADY_THERE, len(talk.messages) - len(fresh))
        if talk.messages and not fresh:
            talk.skip(ALREADY_THERE, what="conversations")
        talk.messages = fresh

    def whole_logs(self, folder: Path, read: LogReader) -> list[str]:
        """Give the names of the logs in a folder of which everything was captured."""
        names = (path.name for path in folder.glob("*.jsonl") if _PLAIN_NAME.fullmatch(path.name))
        return sorted(name for name in names if self._is_whole(folder / name, read))

    def _is_whole(self, log: Path, read: LogReader) -> bool:
        session = log.name.removesuffix(".jsonl")
        if session not in self._sessions():
            return False
        try:
            talk = read(session, log.read_text(encoding="utf-8").splitlines())
        except (OSError, ValueError):
            return False
        said = bool(talk.messages)
        self.leave_out(session, talk)
        return said and not talk.messages

    def _captured(self, session: str, own: set[str]) -> Iterator[tuple[str, str]]:
        for name in self._sessions().get(session, ()):
            conversation, before = self._me.conversation(name), None
            while page := conversation.messages(limit=_PAGE, before=before):
                yield from (_words(one.role, one.content) for one in page if one.external_id not in own)
                before = page[0].sequence

    def _sessions(self) -> dict[str, list[str]]:
        if self._names is None:
            self._names = {}
            for name in self._conversations():
                session = name.removeprefix(self._prefix).partition(":")[0]
                self._names.setdefault(session, []).append(name)
        return self._names

    def _conversations(self) -> Iterator[str]:
        page = self._me.conversations(limit=_PAGE)
        while page:
            yield from (one.id for one in page if one.id.startswith(self._prefix))
            page = self._me.conversations(limit=_PAGE, before=page[-1])


def _words(role: str, text: str) -> tuple[str, str]:
    """Give what was said as it is stored, however its lines are broken."""
    return role, " ".join(clean(redact(without_private(text)).text).split())
