"""``python -m unfool``: the command line, where the script is not on the path."""

from unfool.cli import main

if __name__ == "__main__":
    main()
