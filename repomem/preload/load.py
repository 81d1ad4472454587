"""The libraries, loaded; and whether their files have changed since."""

import gc
import importlib
import pkgutil
import sys
import sysconfig
import warnings
from contextlib import suppress
from pathlib import Path

import repomem
from repomem.adapters.git.run import gitpython
from repomem.adapters.models.sentence_encoder import ENCODER_FOLDER, read_encoder
from repomem.adapters.models.static import load_shipped
from repomem.cli.main import command_line
from repomem.core.secrets.redact import redact
from repomem.core.text.lazy_pattern import compile_patterns
from repomem.core.text.tokens import count_tokens

NOT_LOADED = (
    "repomem.__main__",
    "repomem.preload.__main__",
    "repomem.cli.agents.mcp",
    "repomem.core.processes.worker_child",
)
NOT_LOADED_PACKAGES = ("repomem.cli.evaluate", "repomem.evaluate", "repomem.pool", "repomem.setup")
ALSO_LOADED = ("mmap", "safetensors.numpy", "tokenizers", "platformdirs", "resource")  # by functions of commands

Stamp = tuple[int, int]
Stamps = dict[str, Stamp | None]  # of a file: when it was written, and its size; None without one


def load() -> Stamps:
    """Load everything that short commands use, without running any of it; when its files were written."""
    packages = {path: _stamp(path) for path in [sysconfig.get_paths()[name] for name in ("purelib", "platlib")]}
    warnings.filterwarnings("ignore", message="lancedb fork support")
    warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
    for name in _modules():
        with suppress(ImportError):  # of an extra that is not installed
            importlib.import_module(name)
    gitpython()
    redact("token = none")  # compiles its patterns
    compile_patterns()
    count_tokens("none")  # reads its vocabulary
    load_shipped()
    read_encoder(ENCODER_FOLDER)
    command_line()
    own = [module for name, module in sys.modules.items() if name.startswith("repomem")]
    files = [module.__file__ for module in own if module.__file__]
    gc.collect()
    gc.freeze()  # a child's collector would write to every page, and so copy it
    return packages | {file: _stamp(file) for file in files}


def is_outdated(loaded: Stamps) -> bool:
    """Whether repomem was changed, or a package installed or removed."""
    return any(_stamp(file) != stamp for file, stamp in loaded.items())


def _modules() -> list[str]:
    own = (module.name for module in pkgutil.walk_packages(repomem.__path__, "repomem."))
    loaded = (name for name in own if name not in NOT_LOADED and not name.startswith(NOT_LOADED_PACKAGES))
    return [*loaded, *ALSO_LOADED]


def _stamp(file: str) -> Stamp | None:
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
