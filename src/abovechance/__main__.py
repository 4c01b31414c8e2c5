"""`python -m abovechance`."""

from abovechance.cli import run

if __name__ == "__main__":
    run()
