"""Copies agent settings to a clone's new worktrees, since git does not check out ignored files."""

import os
from collections.abc import Iterator

from repomem.agents.host_file import install_target
from repomem.agents.hosts import HOSTS, Host
from repomem.agents.install import elsewhere, is_installed, is_outside, keep_out_of_commits, local_targets
from repomem.agents.wanted_entries import InstallTarget
from repomem.core.errors import RepomemError


def install_as_elsewhere(where: InstallTarget) -> list[str]:
    """Install the hosts that are set up in another worktree and have no file here; returns their names.

    Only files with this machine's paths are written. The others belong in commits, which is up to their owner.
    """
    names = [host.name for host in missing_here(where) if _is_written(host, where)]
    if names:
        keep_out_of_commits(where)
    return names


def missing_here(where: InstallTarget) -> Iterator[Host]:
    """The hosts that are set up in another worktree of the clone, and have no file in this one."""
    others = elsewhere(where)
    for host in HOSTS.values():
        files = local_targets(host, where)
        is_here = any(os.path.lexists(target.path) for target in files)  # for example because git tracks it
        if files and not is_here and any(is_installed(host, other) for other in others):
            yield host


def _is_written(host: Host, where: InstallTarget) -> bool:
    """Write a host's files; False if that failed, which `repomem doctor` then reports."""
    targets = local_targets(host, where)
    if any(where.root is None or is_outside(target.path, where.root) for target in targets):
        return False
    try:
        for target in targets:
            install_target(target, host.name)
    except RepomemError:
        return False
    return True
