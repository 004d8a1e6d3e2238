"""Secrets in text: found by shape and by the words beside them, and taken out."""

from recollect.model.literals import REDACTION_MARK
from recollect.text.secrets.redact import Redacted, hints_at_secret, redact, redact_values

__all__ = ["REDACTION_MARK", "Redacted", "hints_at_secret", "redact", "redact_values"]
