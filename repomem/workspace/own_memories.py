"""The user's own memories, which apply in every repository: a ledger in the user's data folder.

They are in no repository's ledger, so no sync or export includes them.
"""

from repomem.adapters.ledger.ledger import Ledger


def own_ledger() -> Ledger:
    """The ledger of the user's own memories."""
    from platformdirs import user_data_path

    return Ledger([user_data_path("repomem", appauthor=False) / "mine"])


def own_ids() -> frozenset[str]:
    """The ids of all its records."""
    return frozenset(record.id for record in own_ledger().records())
