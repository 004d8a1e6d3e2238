"""Commands for those who run a store: its state, its upkeep, what is erased, copied and moved."""
