"""Scopes of rules: globs and folders that paths are compared with."""

from fnmatch import fnmatchcase


def matches(glob: str, path: str) -> bool:
    """Whether a path matches a scope: a glob, or a folder with everything below it."""
    folder = glob.removesuffix("**").removesuffix("*").rstrip("/")
    is_folder = not any(sign in folder for sign in "*?[")
    return fnmatchcase(path, glob) or (is_folder and (path == folder or path.startswith(f"{folder}/")))
