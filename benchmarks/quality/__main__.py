"""Runs the measurement: `python -m benchmarks.quality`."""

import sys
from pathlib import Path

if not __package__:  # run as a folder: our neighbours here have names of the standard library
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmarks.quality.command import main

if __name__ == "__main__":
    sys.exit(main())
