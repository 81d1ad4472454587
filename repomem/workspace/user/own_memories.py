"""The user's own memories, which apply in every repository: a ledger in the user's data folder.

They are in no repository's ledger, so no sync or export includes them.
"""

from repomem.adapters.ledger.ledger import Ledger
from repomem.workspace.user.folders import data_folder


def own_ledger() -> Ledger:
    """The ledger of the user's own memories."""
    return Ledger([data_folder() / "mine"])


def own_ids() -> frozenset[str]:
    """The ids of all its records."""
    return frozenset(record.id for record in own_ledger().records())
