"""Where a call of a row spends its time in pumice, launch by launch."""

from typing import Any

import pumice
from benchmarks.frameworks import prepare
from benchmarks.row import FirstCall, Import, Row, data_of

WARM_CALLS, CALLS = 3, 5
"""Calls before the first that is profiled, and calls of which the quickest is reported."""


def can_be_profiled(row: Row) -> bool:
    """Tell whether a row is work of pumice in this process."""
    return row.runs_in("pumice") and not isinstance(row.task, FirstCall | Import)


def profile_row(row: Row, small: bool = False) -> Any:
    """Return the profile of the quickest of some calls."""
    prepared = prepare("pumice", row, data_of(row, small))
    profiles = []
    with prepared.mode():
        for _ in range(WARM_CALLS):
            prepared.call()
        for _ in range(CALLS):
            with pumice.profile() as profile:
                prepared.call()
            profiles.append(profile)
    return min(profiles, key=lambda each: each.kernel_seconds)
