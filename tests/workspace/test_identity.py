"""Which repository this is: told by its root commit and its remote, whoever cloned it and however."""

import os

from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.repository import Repository
from repomem.workspace.identity import identity_in, identity_of, name_in, store_identity
from repomem.workspace.workspace import opened

PASSWORD = "hunter2" * 2
HOST = "example.org"


PLACES = (
    (
        f"https://{HOST}/ada/zebra",
        f"https://{HOST}/ada/zebra.git/",
        f"HTTPS://ada@{HOST.upper()}/Ada/zebra.git",
        f"https://ada:{PASSWORD}@{HOST}/ada/zebra",
        f"https://grace:p@ss@{HOST}/ada/zebra",
        f"ssh://git@{HOST}/ada/zebra.git",
        f"git@{HOST}:ada/zebra.git",
        f"{HOST}:ada/zebra",
    ),
    (f"https://{HOST}:8443/ada/zebra", f"https://ada:{PASSWORD}@{HOST}:8443/ada/zebra.git"),
    (f"ssh://git@{HOST}:2222/ada/zebra", f"ssh://grace@{HOST}:2222/ada/zebra.git"),
    (f"https://{HOST}/grace/zebra", f"git@{HOST}:grace/zebra"),
    ("/srv/ada@home/zebra", "/srv/ada@home/zebra.git"),
    ("/srv/zebra",),
)


def test_the_identity_depends_on_host_and_path_but_not_on_credentials_or_spelling(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n"}))
    run_git(folder, "remote", "add", "origin", "")
    identities = []
    for addresses in PLACES:
        for address in addresses:
            run_git(folder, "remote", "set-url", "origin", address)
            identities.append(identity_in(Repository.open(folder)))
    spelt = [len(addresses) for addresses in PLACES]
    assert [identities.count(one) for one in dict.fromkeys(identities)] == spelt


def test_a_stored_identity_survives_a_change_of_the_remote(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n"}))
    with opened(folder, os.environ) as workspace:
        store_identity(workspace)
        kept = identity_of(workspace)
    run_git(folder, "remote", "add", "origin", f"https://{HOST}/ada/zebra")
    with opened(folder, os.environ) as workspace:
        store_identity(workspace)
        assert identity_of(workspace) == kept != identity_in(workspace.repository)


def test_a_stored_identity_survives_the_loss_of_the_catalog(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n"}))
    with opened(folder, os.environ) as workspace:
        store_identity(workspace)
        kept = identity_of(workspace)
    run_git(folder, "remote", "add", "origin", f"https://{HOST}/ada/zebra")
    for path in (folder / ".git/repomem").glob("catalog.sqlite*"):
        path.unlink()
    with opened(folder, os.environ) as workspace:
        store_identity(workspace)
        assert identity_of(workspace) == workspace.catalog.meta("identity") == kept


def test_a_repository_whose_remote_is_a_git_folder_is_called_after_the_folder_around_it(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = make_repository(Commit({"a.py": "A = 1\n"}))
    run_git(folder, "remote", "add", "origin", "/srv/zebra/.git")
    assert name_in(Repository.open(folder)) == "zebra"
