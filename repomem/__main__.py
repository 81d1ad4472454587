"""`python -m repomem` and the `repomem` command."""

from repomem.interfaces.cli import main

if __name__ == "__main__":
    main()
