"""The example file and the table of the options, derived from their declarations."""

from itertools import groupby

from repomem.core.options import OPTIONS, REPOSITORY_FILE, Option


def example_toml() -> str:
    """The content of `.repomem.example.toml`: every option with its default and help."""
    lines = [
        f"# Every option of repomem with its default. Copy the lines you change to {REPOSITORY_FILE} in the worktree",
        "# or to config.toml in your user config folder (`repomem config` prints where that is).",
    ]
    for section, options in groupby(OPTIONS, key=lambda option: option.section):
        lines += ["", f"[{section}]"]
        for option in options:
            lines += [f"# {_remark(option)}", f"{option.key} = {option.default_toml}"]
    return "\n".join(lines) + "\n"


def options_table() -> str:
    """A Markdown table of the options, for the documentation."""
    rows = ["| option | default | environment | meaning |", "|---|---|---|---|"]
    rows += [
        f"| `{option.name}`{_mark(option)} | `{option.default_toml}` | `{option.variable}` | {option.help} |"
        for option in OPTIONS
    ]
    return "\n".join(rows) + "\n"


def _remark(option: Option) -> str:
    """The help, and whether a repository file may set the option."""
    guard = f"; in {REPOSITORY_FILE} only after `repomem trust`" if option.is_guarded else ""
    return option.help + (f"; never in {REPOSITORY_FILE}" if option.is_personal else guard)


def _mark(option: Option) -> str:
    """The same as a mark that the text below the table explains."""
    return " ‡" if option.is_personal else " †" if option.is_guarded else ""
