"""`python -m repomem` and the `repomem` command."""

from repomem.preload.client import run_preloaded


def main() -> None:
    """Run the command line, in a preloaded process if one is ready; ends the process."""
    run_preloaded()
    from repomem.cli.program import run

    run()


if __name__ == "__main__":
    main()
