"""`python -m rosenblatt`: the command line."""

from rosenblatt.cli.main import run

if __name__ == "__main__":
    run()
