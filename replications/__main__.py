"""`python -m replications STUDY`: the command `abovechance reproduce`."""

import sys

from abovechance.cli import main

if __name__ == "__main__":
    sys.exit(main(["reproduce", *sys.argv[1:]]))
