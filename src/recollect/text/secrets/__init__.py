"""Secrets in text: found by shape and by the words beside them, and taken out."""

from recollect.text.secrets.redact import Redacted, redact, redact_values

__all__ = ["Redacted", "redact", "redact_values"]
