"""Files as memory for Recollect; `plugin` says what the core finds here."""
