"""What connects Recollect with other programs; `plugin` says what the core finds here."""
