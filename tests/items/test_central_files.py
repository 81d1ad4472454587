"""The files, packages and commits that a map shows."""

from pathlib import Path

from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled

QUEUE = '''"""Holds jobs until a worker takes them."""


class Queue:
    def push(self, job):
        class Inner:
            pass
        self.jobs.append(job)


def test_push():
    assert Queue()
'''
FILES = {
    "src/jobs/__init__.py": '"""Runs jobs in the background of a server."""\n',
    "src/jobs/queue.py": QUEUE,
    "src/jobs/worker.py": "def work(queue):\n    return queue.take()\n",
    "src/jobs/__version__.py": "VERSION = '1.0'\n",
    "mix.exs": "defmodule Jobs.MixProject do\n  def project do\n    [app: :jobs]\n  end\nend\n",
}


def mapped(folder: Path) -> list[str]:
    indexed(folder)
    return recalled(folder).markdown.split("\n")


def test_a_file_is_shown_with_its_own_docstring_or_its_outer_definitions(make_repository: MakeRepository) -> None:
    lines = mapped(make_repository(Commit(FILES)))
    assert '- `src/jobs/queue.py`: "Holds jobs until a worker takes them."' in lines
    assert "- `src/jobs/worker.py`: `work`" in lines


def test_a_large_file_is_named_though_it_says_nothing_about_itself(make_repository: MakeRepository) -> None:
    large = "module.exports = {\n" + "".join(f"  key{at}: 'the value of {at}',\n" for at in range(400)) + "}\n"
    lines = mapped(make_repository(Commit({**FILES, "src/jobs/values.js": large, "src/jobs/few.js": "run()\n"})))
    assert "- `src/jobs/values.js`" in lines
    assert "- `src/jobs/few.js`" not in lines


def test_a_package_is_shown_with_its_own_docstring(make_repository: MakeRepository) -> None:
    assert '- `src/jobs/`: "Runs jobs in the background of a server."' in mapped(make_repository(Commit(FILES)))


def test_a_package_whose_readme_begins_with_a_list_is_shown_with_the_first_items(
    make_repository: MakeRepository,
) -> None:
    readme = "# Jobs\n\nIt provides the following:\n\n * `push`: adds one job;\n\n * `pop`: takes one job.\n"
    files = {"src/jobs/a.py": "A = 1\n", "src/jobs/b.py": "B = 2\n", "src/jobs/README.md": readme}
    shown = '- `src/jobs/`: "`push`: adds one job; `pop`: takes one job"'
    assert shown in mapped(make_repository(Commit(files)))


def test_files_that_configure_a_build_or_state_a_version_are_not_where_things_are(
    make_repository: MakeRepository,
) -> None:
    more = [Commit({"mix.exs": FILES["mix.exs"] + f"# {at}\n"}, f"build {at}") for at in range(5)]
    where = "\n".join(mapped(make_repository(Commit(FILES), *more))).partition("## Recent")[0]
    assert "mix.exs" not in where.partition("## Where things are")[2]
    assert "__version__" not in where


def test_recent_commits_are_those_of_people_on_the_code(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(FILES, "begin the jobs"),
        Commit({"src/jobs/worker.py": "def work(queue):\n    return None\n"}, "stop the worker"),
        Commit({".github/workflows/ci.yml": "on: push\n"}, "bump a workflow"),
    )
    markdown = "\n".join(mapped(folder))
    assert "stop the worker" in markdown
    assert "bump a workflow" not in markdown


def test_a_repository_without_code_shows_its_newest_commits(make_repository: MakeRepository) -> None:
    markdown = "\n".join(mapped(make_repository(Commit({"notes.md": "# Notes\n"}, "begin the notes"))))
    assert "begin the notes" in markdown


def test_a_revert_of_settings_is_left_out(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit(FILES, "begin the jobs"),
        Commit({".github/ci.yml": "on: push\n"}, 'Revert "a workflow"'),
        Commit({"src/jobs/worker.py": "x = 1\n"}, 'Revert "the worker"'),
    )
    markdown = "\n".join(mapped(folder))
    assert "the worker" in markdown
    assert "a workflow" not in markdown


def test_the_docstring_of_the_class_that_a_file_is_named_after_describes_it(make_repository: MakeRepository) -> None:
    body = "public class Runner {\n  /** Makes a runner of jobs. */\n  Runner() {}\n}\n"
    text = f"package jobs;\n\n/** Runs each job once. Then stops. */\n{body}"
    assert '- `src/Runner.java`: "Runs each job once."' in mapped(make_repository(Commit({"src/Runner.java": text})))


def test_a_function_describes_its_file_only_if_it_is_alone_there(make_repository: MakeRepository) -> None:
    run = 'def run(jobs):\n    """Run all jobs in their order."""\n    return [job() for job in jobs]\n'
    stop = "\n\ndef stop_all(jobs):\n    return [job.stop() for job in jobs]\n"
    alone = make_repository(Commit({"src/run.py": run}), name="alone")
    beside = make_repository(Commit({"src/run.py": run + stop}), name="beside")
    assert '- `src/run.py`: "Run all jobs in their order."' in mapped(alone)
    assert "Run all jobs in their order" not in "\n".join(mapped(beside))


def test_a_part_does_not_describe_the_whole(make_repository: MakeRepository) -> None:
    files = {
        "pubspec.yaml": "name: jobs_workspace\n",
        "app/pubspec.yaml": "name: samples\ndescription: Some samples of the library.\n",
        "README.md": "# Jobs\n\nRuns jobs in the background of a server.\n",
        "lib/jobs.dart": "void run() {}\n",
    }
    title = next(line for line in mapped(make_repository(Commit(files))) if line.startswith("## Map"))
    assert "Runs jobs in the background" in title
    assert "samples" not in title


def where(folder: Path) -> list[str]:
    section = "\n".join(mapped(folder)).partition("## Where things are\n")[2].partition("\n\n")[0]
    return section.split("\n")


def test_the_public_names_that_other_files_use_are_those_of_a_file(make_repository: MakeRepository) -> None:
    body = "".join(f"    let x{at} = {at};\n" for at in range(9))
    text = f"pub struct Atomic(u8);\n\npub struct Unused(u8);\n\nfn decompose_all() {{\n{body}}}\n"
    users = {f"src/user{at}.rs": f"use crate::cells::Atomic;\n\nfn take{at}(a: Atomic) {{}}\n" for at in range(3)}
    assert "- `src/cells.rs`: `Atomic`, `Unused`" in where(make_repository(Commit({"src/cells.rs": text, **users})))


def test_an_exported_constant_that_holds_a_function_is_a_definition(make_repository: MakeRepository) -> None:
    text = (
        "const draft = new Draft()\nexport const produce = draft.produce.bind(draft)\nexport function castDraft(x) {}\n"
    )
    users = {f"src/user{at}.ts": f'import {{ produce }} from "./draft"\nproduce({at})\n' for at in range(3)}
    assert "- `src/draft.ts`: `produce`, `castDraft`" in where(make_repository(Commit({"src/draft.ts": text, **users})))


def test_a_type_may_have_a_name_of_two_letters(make_repository: MakeRepository) -> None:
    text = "class DB {\n public:\n  int Open();\n};\n\nclass Snapshot {\n public:\n  int Number();\n};\n"
    users = {f"src/user{at}.cc": f'#include "db.h"\n\nint take{at}(DB* db, Snapshot* s);\n' for at in range(3)}
    assert "- `src/store.h`: `DB`, `Snapshot`" in where(make_repository(Commit({"src/store.h": text, **users})))


def test_a_name_in_three_central_files_tells_none_of_them(make_repository: MakeRepository) -> None:
    own = {"Ftp": "reconnect", "Local": "resolveLink", "Memory": "countEntries"}
    files = {
        f"src/{name}.php": f"<?php\nclass {name} {{\n  function readStream() {{}}\n  function {method}() {{}}\n}}\n"
        for name, method in own.items()
    }
    shown = where(make_repository(Commit(files)))
    assert sorted(shown) == [f"- `src/{name}.php`: `{method}`" for name, method in sorted(own.items())]


def test_a_file_of_one_class_without_summary_is_shown_with_its_methods(make_repository: MakeRepository) -> None:
    text = "<?php\nclass Printer {\n  public function printAll() {}\n  private function indent() {}\n}\n"
    assert "- `src/Printer.php`: `printAll`" in where(make_repository(Commit({"src/Printer.php": text})))


def test_scripts_and_settings_of_tools_are_not_central(make_repository: MakeRepository) -> None:
    files = {"scripts/build.py": "def build():\n    return 1\n", "Podfile": "platform :ios\ndef pods\nend\n"}
    more = [Commit({"scripts/build.py": f"def build():\n    return {at}\n"}, f"step {at}") for at in range(3)]
    folder = make_repository(Commit({**files, "src/jobs.py": "def push(job):\n    return job\n"}), *more)
    assert where(folder) == ["- `src/jobs.py`: `push`"]


def test_many_folders_with_the_same_files_are_one_line(make_repository: MakeRepository) -> None:
    names = [f"add{chr(at)}" for at in range(ord("A"), ord("O"))]
    files = {f"src/{name}/index.ts": f"export function {name}(x) {{ return x }}\n" for name in names}
    tests = {f"src/{name}/test.ts": f"{name}(1)\n" for name in names}
    lines = where(make_repository(Commit({**files, **tests, "src/types.ts": "export interface Interval { x: 1 }\n"})))
    assert lines == ["- `src/NAME/`: 14 of 14 folders contain `index.ts`, `test.ts`", "- `src/types.ts`: `Interval`"]


def test_a_deep_java_package_is_shown_with_its_package_info(make_repository: MakeRepository) -> None:
    path = "src/main/java/org/example/jobs/queue"
    files = {f"{path}/{name}.java": f"class {name} {{}}\n" for name in ("First", "Second")}
    files[f"{path}/package-info.java"] = "/**\n * Queues of {@link org.example.Job jobs}.\n */\npackage jobs.queue;\n"
    assert f'- `{path}/`: "Queues of `jobs`."' in where(make_repository(Commit(files)))


def test_a_function_that_one_system_lacks_is_not_what_a_file_defines(make_repository: MakeRepository) -> None:
    shim = "#ifdef WIN32\nint pthread_create(int key)\n{\n    return key;\n}\n#endif\n"
    files = {f"src/{name}.c": f"int {name}(int x)\n{{\n    return pthread_create(x);\n}}\n" for name in ("one", "two")}
    files["src/value.c"] = f"{shim}\nint release(int x)\n{{\n    return x;\n}}\n"
    assert "- `src/value.c`: `release`" in mapped(make_repository(Commit(files)))


def test_a_class_that_is_reopened_as_a_namespace_is_not_what_a_file_defines(make_repository: MakeRepository) -> None:
    error = "class Response\n  class RaiseError\n    def on_complete(env)\n    end\n  end\nend\n"
    files = {
        "lib/web/response.rb": "class Response\n  def finish(env)\n  end\nend\n",
        "lib/web/response/raise_error.rb": error,
        "lib/web/client.rb": "Response.new.finish(env)\nResponse::RaiseError.new.on_complete(env)\n",
    }
    lines = mapped(make_repository(Commit(files)))
    assert "- `lib/web/response/raise_error.rb`: `on_complete`" in lines


def test_a_file_that_is_compiled_from_one_next_to_it_is_not_central(make_repository: MakeRepository) -> None:
    files = {
        "src/fetch.tl": "local fetch = {}\nfunction fetch.load(url: string): string\n  return url\nend\nreturn fetch\n",
        "src/fetch.lua": "local fetch = {}\nfunction fetch.load(url)\n  return url\nend\nreturn fetch\n",
        "src/main.tl": 'local fetch = require("fetch")\nprint(fetch.load("a"))\n',
    }
    lines = "\n".join(mapped(make_repository(Commit(files))))
    assert "- `src/fetch.tl`: `load`" in lines
    assert "src/fetch.lua" not in lines.partition("## Where things are")[2].partition("## Recent")[0]


def test_a_folder_that_builds_or_packages_the_product_is_no_package_of_it(make_repository: MakeRepository) -> None:
    port = {"builds/zos/README.md": "# z/OS\n\nThe jobs were built there once by hand.\n"}
    port |= {f"builds/zos/part{at}.py": f"def part{at}():\n    return {at}\n" for at in range(3)}
    lines = mapped(make_repository(Commit({**FILES, **port})))
    assert not [line for line in lines if line.startswith("- `builds/")]
