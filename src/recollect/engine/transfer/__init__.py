"""Memory on its way to another store: an archive that is written, checked and read in constant memory."""
