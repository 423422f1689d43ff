"""Prints the limits of this machine."""

import json
import sys

from benchmarks.limits import cores, measure_limits

sys.stdout.write(json.dumps(measure_limits(cores())) + "\n")
