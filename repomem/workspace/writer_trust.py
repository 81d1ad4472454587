"""Which writers the user trusts in a repository: their synced memories count like the user's own."""

from collections.abc import Mapping

from repomem.core.errors import ConfigError
from repomem.workspace.identity import identity_of
from repomem.workspace.trust import add_entry, remove_entry, trust_list
from repomem.workspace.workspace import Workspace


def trusted_writers(workspace: Workspace) -> frozenset[str]:
    """The ids of the writers trusted in this repository, from the trust list and the configuration."""
    prefix = _key(workspace, "")
    listed = [key.removeprefix(prefix) for key in trust_list() if key.startswith(prefix)]
    return frozenset([*listed, *workspace.loaded.config.sync.trust])


def trust_writer(workspace: Workspace, writer: str, names: str) -> None:
    """Trust a writer in this repository; `names` are the author names in that writer's records."""
    add_entry(_key(workspace, writer), names)


def distrust_writer(workspace: Workspace, writer: str) -> None:
    """No longer trust a writer, and forget their key. Raises ConfigError if the configuration lists the writer."""
    if writer in workspace.loaded.config.sync.trust:
        raise ConfigError(f"the option sync.trust lists {writer}", "remove it there; `repomem config` shows the file")
    remove_entry(_key(workspace, writer))
    remove_entry(_key_of_writer(workspace, writer))


def known_keys(workspace: Workspace) -> dict[str, str]:
    """The public key of each writer who signs, as it was when this user first saw it in this repository."""
    prefix = _key_of_writer(workspace, "")
    return {name.removeprefix(prefix): key for name, key in trust_list().items() if name.startswith(prefix)}


def store_keys(workspace: Workspace, keys: Mapping[str, str]) -> None:
    """Store the public keys of writers."""
    known = known_keys(workspace)
    for writer, key in keys.items() - known.items():
        add_entry(_key_of_writer(workspace, writer), key)


def _key_of_writer(workspace: Workspace, writer: str) -> str:
    return f"key:{identity_of(workspace)}:{writer}"


def _key(workspace: Workspace, writer: str) -> str:
    return f"writer:{identity_of(workspace)}:{writer}"  # no absolute path starts like this
