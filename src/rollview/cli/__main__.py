"""`python -m rollview.cli` is the same as `rollview`."""

from rollview.cli.main import main

main()
