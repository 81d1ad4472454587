"""A process without what Windows lacks, for tests in a child: `sys.platform` stays, so every branch by name is Linux's.

Of the standard library, `subprocess` gets what it has on Windows: there `kill` is `terminate`.
"""

import importlib
import os
import select
import signal
import socket
import subprocess
import sys

MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty")
NAMES = {
    os: ("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "environb", "fchdir", "fchmod", "fork", "geteuid",
         "getloadavg", "getuid", "killpg", "mkfifo", "pidfd_open", "posix_fallocate", "sched_getaffinity", "setpgid",
         "setsid", "sync"),
    select: ("poll", "epoll"),
    signal: ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE"),
    socket: ("AF_UNIX", "SO_PEERCRED"),
}  # fmt: skip


LIBRARIES = ("git", "lancedb", "mcp", "platformdirs", "rich.console", "typer", "uvicorn", "watchdog.observers")


def strip_system() -> None:
    """Remove them from this process, once the libraries have chosen what they do on this system."""
    for name in LIBRARIES:
        importlib.import_module(name)
    sys.modules.update(dict.fromkeys(MODULES))  # type: ignore[arg-type]  # None: the import fails
    for module, names in NAMES.items():
        for name in names:
            delattr(module, name)
    os.supports_dir_fd.clear()
    subprocess.Popen.kill = subprocess.Popen.terminate  # type: ignore[method-assign]
