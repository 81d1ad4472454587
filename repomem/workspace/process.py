"""Prepares a process to open repositories: environment, address space, and an early import of LanceDB."""

import contextlib
import gc
import importlib
import os
import threading

from repomem.adapters.git.run import scrub_environment
from repomem.core.errors import StoreError

COLLECTED_AFTER = (50_000, 20, 100)  # new objects, and younger passes: most live on, and 700 took a fifth of a run
NUMPY_SETTINGS = {"OPENBLAS_NUM_THREADS": "1"}  # more threads spin after each product: 0.1 s of CPU per answer
ADDRESS_SPACE = 3 << 30  # bytes: 2.4 GB were reserved on two cores, of which 0.2 GB were used


def check_address_space() -> None:
    """Raise StoreError if address space is short: LanceDB reserves much, and aborts the process if it gets none."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < ADDRESS_SPACE:
        raise StoreError(
            f"the index needs {ADDRESS_SPACE >> 30} GB of address space; the limit is {limit / (1 << 30):.1f} GB",
            "raise or lift the limit: ulimit -v unlimited",
        )


def prepare_process() -> None:
    """Prepare a process: ignore git's variables, create files only its user can read, collect garbage seldom.

    It must come before numpy is imported, which reads its number of threads then.
    """
    gc.set_threshold(*COLLECTED_AFTER)
    for name, value in NUMPY_SETTINGS.items():
        os.environ.setdefault(name, value)
    scrub_environment()
    os.umask(0o077)


def environment_before() -> dict[str, str]:
    """The environment before `prepare_process`, for the user's own programs."""
    return dict(os.environ.items() - NUMPY_SETTINGS.items())


def warm_up() -> None:
    """Start importing LanceDB, which takes a second, while git and the catalog are read."""
    with contextlib.suppress(StoreError):  # reported when the tables are opened
        check_address_space()
        threading.Thread(target=importlib.import_module, args=("repomem.adapters.lance.store",), daemon=True).start()
