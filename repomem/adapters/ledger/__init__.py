"""The ledger: the append-only record of memories, its copies, and its form in a git ref."""
