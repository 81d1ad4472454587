"""LanceDB without its deferred modules does what LanceDB does, and whoever uses one of them has it."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from repomem.adapters.lance.light_import import RELEASES

DEFERRED = RELEASES["0.40.0"]
LOAD_STORE = "import sys, repomem.adapters.lance.store\n"
LOADED = (
    "from repomem.adapters.lance.light_import import RELEASES, _StandIn\n"
    "print(sorted(n for n in RELEASES['0.40.0'] if n in sys.modules and not isinstance(sys.modules[n], _StandIn)))\n"
)
USE_STORE = """
import datetime, json, numpy as np, pathlib
from repomem.adapters.lance.store import Store
from repomem.core.types.indexed import IndexedChunk
from repomem.core.types.text import CleanText

def opened():
    store = Store.open(pathlib.Path(sys.argv[1]))
    store.open_vectors("vectors-test", 4)
    return store

def chunk(number):
    words = f"alpha word{number % 7} word{number}"
    return IndexedChunk(number, 0, 1, 3, "f", "function", "def f()", "", (), CleanText(f"text {number}"), words)

def answers(store):
    vector = np.array([1, 0.5, 0, 0], np.float32)
    rows = store.chunks(range(9))
    return [
        sorted(store.search_words("chunks", ["word3"], None, 99)),  # LanceDB leaves equal scores in any order
        store.search_words("chunks", ["word3", "word60"], range(60, 70), 1),
        sorted(store.search_parts(["ord5"], range(40), 99)), store.search_vector("vectors-test", vector, None, 5),
        store.search_vector("vectors-test", vector, [7, 9], 5), [repr(row) for row in rows], store.words("chunks", [4]),
        sorted(store.ids("chunks")), store.unsound_rows("chunks"), store.stamp("chunks"),
        {key: found.tolist() for key, found in store.vectors_by_digest("vectors-test", [2, 3]).items()},
    ]

store, found = opened(), []
for start in (0, 50):
    numbers = range(start, start + 50)
    store.add_chunks([chunk(number) for number in numbers])
    angles = np.array([[np.cos(n), np.sin(n), 0, 0] for n in numbers], np.float16)
    store.add_vectors("vectors-test", list(numbers), list(numbers), angles)
    for table in ("chunks", "vectors-test"):
        store.index(table)
    found.append(answers(opened()))
store.delete("chunks", [3, 4])
store.optimise("chunks", datetime.timedelta(hours=1))
found += [answers(opened()), store.wants_optimising("chunks")]
"""
NAMES = """
import json
def described(value):
    kind = "class" if isinstance(value, type) else "module" if isinstance(value, type(sys)) else type(value).__name__
    home = value.__name__ if kind == "module" else getattr(value, "__module__", "")
    return [kind, home, getattr(value, "__qualname__", "")]
found = {}
for module in ("", ".catalog", ".db", ".embeddings", ".functions", ".namespace", ".remote.db", ".remote.table"):
    __import__("lancedb" + module)
    module = sys.modules["lancedb" + module]
    found[module.__name__] = {name: described(getattr(module, name)) for name in dir(module) if name[:2] != "__"}
print(json.dumps(found))
"""


def ended(script: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_release_in_use_is_listed() -> None:
    assert version("lancedb") in RELEASES


def test_the_store_gives_what_it_gives_with_the_plain_import(tmp_path: Path) -> None:
    script = USE_STORE + "print(json.dumps(found))"
    plain = ended("import sys, lancedb\n" + script, str(tmp_path / "plain"))
    assert json.loads(plain)[0][0] != []
    assert ended(LOAD_STORE + script, str(tmp_path / "light")) == plain


def test_searches_load_no_deferred_module_and_writes_only_what_they_use(tmp_path: Path) -> None:
    assert ended(LOAD_STORE + LOADED) == "[]"
    writes = ended(LOAD_STORE + USE_STORE + LOADED, str(tmp_path))
    used = {"lancedb.embeddings", "lancedb.embeddings.registry", "pyarrow.compute"}
    assert set(json.loads(writes.replace("'", '"'))) <= used
    reads = USE_STORE.partition("store, found =")[0] + "answers(opened())\n"
    assert ended(LOAD_STORE + reads + LOADED, str(tmp_path)) == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("module", [name for name in DEFERRED if name != "overrides"] + ["lancedb.embeddings.base"])
def test_a_deferred_module_can_be_imported_with_all_its_names(module: str) -> None:
    script = f"import {module} as it\nfrom {module} import *\nprint(sorted(n for n in dir() if n[0] != '_'))"
    plain = ended("import sys, lancedb, repomem.adapters.lance.store\ndel lancedb\n" + script)
    assert ended(LOAD_STORE + script) == plain


def test_every_name_of_lancedb_is_what_it_is_with_the_plain_import() -> None:
    plain, light = (json.loads(ended(first + NAMES)) for first in ("import sys, lancedb\n", LOAD_STORE))
    for names in (*plain.values(), *light.values()):
        for name in ("EnforceOverrides", "override", "annotations"):  # before Python 3.12 they come from a package
            names.pop(name, None)
    assert light == plain


def test_classes_of_deferred_modules_are_the_same_wherever_they_are_taken_from() -> None:
    script = (
        "import lancedb, pickle, lancedb.db, lancedb.table\n"
        "kept = vars(lancedb.table)['EmbeddingFunctionRegistry']\n"
        "class Own(lancedb.RemoteDBConnection): pass\n"
        "from lancedb.remote.db import RemoteDBConnection\n"
        "from lancedb.embeddings import EmbeddingFunctionRegistry, get_registry\n"
        "assert lancedb.RemoteDBConnection is RemoteDBConnection and issubclass(Own, RemoteDBConnection)\n"
        "assert isinstance(get_registry(), kept) and not isinstance(3, kept)\n"
        "assert lancedb.db.EmbeddingFunctionRegistry is EmbeddingFunctionRegistry\n"
        "assert pickle.loads(pickle.dumps(lancedb.RemoteDBConnection)) is RemoteDBConnection\n"
        "assert pickle.loads(pickle.dumps(lancedb.table.FunctionApplication)) is lancedb.FunctionApplication\n"
        "answer = lancedb.connect('memory://').list_tables()\n"
        "print(type(answer).__name__, answer.tables)"
    )
    assert ended(LOAD_STORE + script) == "ListTablesResponse []"


def test_a_remote_connection_and_its_tables_can_be_made() -> None:
    script = (
        "from lancedb.remote.table import RemoteTable\n"
        "import lancedb\n"
        "print(type(lancedb.connect('db://name', api_key='key')).__name__, RemoteTable.__name__)"
    )
    assert ended(LOAD_STORE + script) == "RemoteDBConnection RemoteTable"


def test_a_dataset_of_arrow_is_taken_as_a_table(tmp_path: Path) -> None:
    script = (
        "import lancedb, pyarrow as pa\n"
        "from pyarrow.dataset import Dataset, Scanner, dataset\n"
        "from lancedb.scannable import to_scannable\n"
        "rows = dataset(pa.table({'number': [1, 2, 3]}))\n"
        "assert isinstance(rows, Dataset) and isinstance(rows.scanner(), Scanner)\n"
        "print([to_scannable(each).schema for each in (rows, rows.scanner())])\n"
        "print(lancedb.connect(sys.argv[1]).create_table('t', rows).to_arrow().to_pylist())"
    )
    plain = ended("import sys, lancedb\n" + script, str(tmp_path / "plain"))
    assert ended(LOAD_STORE + script, str(tmp_path / "light")) == plain


def test_the_rest_client_runs_only_when_its_names_are_used() -> None:
    script = (
        "import lance_namespace_urllib3_client.models\n"
        "print('lance_namespace_urllib3_client.api' in sys.modules)\n"
        "from lance_namespace_urllib3_client import ApiClient, NamespaceApi\n"
        "import lance_namespace_urllib3_client as client\n"
        "print(ApiClient.__name__, client.__version__ != '', client.models.__name__)"
    )
    assert ended(LOAD_STORE + script).split() == [
        "False", "ApiClient", "True", "lance_namespace_urllib3_client.models",
    ]  # fmt: skip


def test_an_unlisted_release_is_imported_as_it_is() -> None:
    script = (
        "import importlib.metadata, sys\n"
        "known = importlib.metadata.version\n"
        "importlib.metadata.version = lambda name: '0.99.0' if name == 'lancedb' else known(name)\n"
        "import repomem.adapters.lance.store\n"
        "print(type(sys.modules['lancedb.remote.db']).__name__, type(sys.modules['lance_namespace']).__name__)"
    )
    assert ended(script) == "module module"


@pytest.mark.parametrize(
    "wrong",
    [
        {"lancedb.pydantic": ("lancedb.arrow",)},  # a class that functions are registered for
        {"lancedb.background_loop": ("lancedb.db", "lancedb.nowhere"), "lancedb.schema": ("lancedb",)},
        {"lancedb.gone": ("lancedb",), "lancedb.rerankers.base": ("lancedb.query",)},
    ],
)
def test_a_release_that_behaves_otherwise_is_imported_as_it_is(tmp_path: Path, wrong: dict[str, list[str]]) -> None:
    script = (
        "import sys, types\n"
        "from importlib.machinery import SourceFileLoader, ModuleSpec\n"
        "from importlib.util import module_from_spec, spec_from_file_location, find_spec\n"
        "folder = find_spec('repomem.adapters').submodule_search_locations[0]\n"
        "spec = spec_from_file_location('repomem.adapters.lance.light_import', folder + '/lance/light_import.py')\n"
        "module = sys.modules[spec.name] = module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        f"module.RELEASES = {{'0.40.0': module.RELEASES['0.40.0'] | {wrong!r}}}\n"
        "import repomem.adapters.lance.store\n"
    )
    assert json.loads(ended(script + USE_STORE + "print(json.dumps(found[-1]))", str(tmp_path))) is False


def test_lancedb_that_was_imported_before_stays_as_it_is() -> None:
    script = "import sys, lancedb\nbefore = dict(sys.modules)\nimport repomem.adapters.lance.store\n"
    check = (
        "print([n for n, m in before.items() if sys.modules.get(n) is not m], type(sys.modules['lancedb.remote.db']))"
    )
    assert ended(script + check) == "[] <class 'module'>"


@pytest.mark.slow
def test_threads_that_import_at_once_get_the_same_modules() -> None:
    script = """
import importlib, sys, threading
names = ["repomem.adapters.lance.store", "lancedb", "repomem.pool.tables"]
start, found = threading.Barrier(9), []
def load(name):
    start.wait()
    importlib.import_module(name)
    import lancedb
    found.append((lancedb.RemoteDBConnection, lancedb.LanceNamespaceDBConnection, lancedb.db.LanceNamespace))
threads = [threading.Thread(target=load, args=(name,)) for name in names * 3]
for thread in threads: thread.start()
for thread in threads: thread.join(60)
print(len(found), len(set(found)))
"""
    for _ in range(3):
        assert ended(script) == "9 1"
