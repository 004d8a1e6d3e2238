"""What hosts send to a hook and expect from it, turned into four things: start, prompt, turn, end.

Claude Code, Codex and Gemini CLI send much the same under different names; Cursor has names and answers of its own.
"""

import os

from recollect_connect.hook_client import light_json

START = "start"
PROMPT = "prompt"
TURN = "turn"
END = "end"

# The events by the names of their hosts; what is not here is left alone.
_KINDS = {
    "SessionStart": START,
    "sessionStart": START,
    "UserPromptSubmit": PROMPT,
    "BeforeAgent": PROMPT,
    "beforeSubmitPrompt": PROMPT,
    "Stop": TURN,
    "AfterAgent": TURN,
    "afterAgentResponse": TURN,
    "PreCompact": TURN,
    "PreCompress": TURN,
    "SessionEnd": END,
    "sessionEnd": END,
}
_WITH_TRANSCRIPT = ("claude-code",)


class InvalidEvent(ValueError):
    """What the host sent cannot be understood; the message says why."""


class HookEvent:
    """An event of a host; `turn_id` is the host's own name of the turn, if it has one."""

    __slots__ = ("_sent", "host", "kind", "name", "project", "prompt", "session", "turn_id")

    def __init__(self, host: str, sent: "dict[str, object]") -> None:
        self._sent = sent
        self.host = host
        self.name = _text(sent, "hook_event_name")
        self.kind = _KINDS.get(self.name, "")
        self.session = _text(sent, "session_id") or _text(sent, "conversation_id")
        self.turn_id = _text(sent, "turn_id") or _text(sent, "generation_id")
        self.prompt = _text(sent, "prompt")
        self.project = _project(sent)

    @classmethod
    def parse(cls, host: str, content: bytes) -> "HookEvent":
        """Read what a host wrote on standard input. Raises InvalidEvent."""
        try:
            sent = light_json.loads(content)
        except (ValueError, RecursionError):
            raise InvalidEvent("standard input is not JSON") from None
        if not isinstance(sent, dict):
            raise InvalidEvent("standard input is not a JSON object")
        event = cls(host, sent)
        if event.kind and not event.session:
            raise InvalidEvent("the event has neither a session_id nor a conversation_id")
        return event

    def prompt_message(self) -> "dict[str, object]":
        """Give what the user said as a message. An id is given only where the turn is told by the same id."""
        message: dict[str, object] = {"role": "user", "content": self.prompt}
        return {**message, "id": f"{self.turn_id}:user"} if self.turn_id else message

    def saved_by_turn(self) -> bool:
        """Tell whether the prompt comes again with the turn, so that it needs no room in the spool."""
        return self.host in _WITH_TRANSCRIPT or self.name == "BeforeAgent"

    def messages(self) -> "list[dict[str, object]]":
        """Give the messages to save: the end of the transcript, or what the event itself tells."""
        path = _text(self._sent, "transcript_path")
        answer = _text(self._sent, "last_assistant_message") or _text(self._sent, "text")
        answer = answer or _text(self._sent, "prompt_response")
        from recollect_connect.hook_client import transcripts  # noqa: PLC0415 - a prompt does without

        known = _read_transcript(path) if path and self.host in _WITH_TRANSCRIPT else []
        if self.name == "AfterAgent" and self.prompt:
            known.append({"role": "user", "content": self.prompt})
        if answer.strip() and not any(transcripts.text_of(message).strip() == answer.strip() for message in known):
            told: dict[str, object] = {"role": "assistant", "content": answer}
            known.append({**told, "id": f"{self.turn_id}:assistant"} if self.turn_id else told)
        return known

    def answer(self, block: str) -> str:
        """Give what the host expects on standard output, if there is something to show to the model."""
        if not block:
            return ""
        if self.host == "cursor":
            shown: dict[str, object] = {"additional_context": block}
            if self.name == "beforeSubmitPrompt":
                shown["continue"] = True
        else:
            shown = {"hookSpecificOutput": {"hookEventName": self.name, "additionalContext": block}}
        return light_json.dumps(shown)


def _read_transcript(path: str) -> "list[dict[str, object]]":
    from recollect_connect.hook_client import transcripts  # noqa: PLC0415 - as above

    try:
        return transcripts.last_messages(path)
    except OSError:  # there is none yet
        return []


def _project(sent: "dict[str, object]") -> str:
    """Give the name of the project: that of the folder in which the host works."""
    roots = sent.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else _text(sent, "cwd")
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or os.environ.get("CURSOR_PROJECT_DIR") or folder
    return os.path.basename(folder.rstrip("/\\"))  # noqa: PTH119 - pathlib imports slowly


def _text(sent: "dict[str, object]", name: str) -> str:
    value = sent.get(name)
    return value if isinstance(value, str) else ""
