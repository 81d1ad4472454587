"""`repomem watch`: keeps the index fresh until it is interrupted or asked to end."""

import errno
import os
import signal
import sys
from pathlib import Path
from queue import SimpleQueue

from repomem.cli.terminal.console import tell, workspace_at
from repomem.cli.terminal.preloading import keep_preloaded
from repomem.index.watch.events import EventQueue, FileWatcher, Reporter, Stop
from repomem.index.watch.watch import watch

ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")  # the last when its terminal is closed; not every system has it


def watch_command(directory: Path, *, is_quiet: bool) -> None:
    """Watch the clone that holds a folder. Prints to stderr."""
    with workspace_at(directory) as workspace:
        folder, root = workspace.folder, workspace.root
    events: EventQueue = SimpleQueue()
    _end_in_order(events)
    keep_preloaded(directory)
    info = (lambda _: None) if is_quiet else tell
    watch(folder, root, events, open_watcher, Reporter(info, lambda line: tell(f"warning: {line}")))
    info("stopped watching")


def open_watcher(events: EventQueue) -> FileWatcher:
    """The file watcher of this system. Raises OSError if it has none."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    from repomem.index.watch.inotify import InotifyWatcher

    return InotifyWatcher(events)


def _end_in_order(events: EventQueue) -> None:
    for name in ENDINGS:
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) is not signal.SIG_IGN:  # ignored under nohup and in background jobs
            signal.signal(number, lambda *_: events.put(Stop()))
