"""Run random programs and compare each operation with the interpreter, gradients included.

``python tools/random_programs.py [--device NAME] [--count N] [--first SEED]``

A program is evaluated twice: once as a user would, so that kernels fuse, and once with every
intermediate result kept. Each kept result must be what its operation gives for its kept sources,
within the error the operation promises, and the results of both evaluations must agree.
"""

import argparse
import sys
import traceback

from rich.progress import track

from pumice.engine.devices import parse_device
from pumice.testing.running import check_program


def main() -> int:
    """Run the programs and print those that fail; the status tells whether any did."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    device = parse_device(chosen.device)
    seeds = range(chosen.first, chosen.first + chosen.count)
    failed = 0
    for seed in track(seeds, description=f"programs on {device}", disable=not sys.stdout.isatty()):
        try:
            check_program(seed, device)
        except Exception as error:  # any program that does not end is what this looks for
            failed += 1
            print(f"seed {seed}: {type(error).__name__}: {error}")
            if not isinstance(error, AssertionError):
                traceback.print_exc(limit=-4)
    print(f"{chosen.count - failed} of {chosen.count} programs agree on {device}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
