"""Profiles of rows name the operations of a call."""

from benchmarks.profiles import can_be_profiled, profile_row
from benchmarks.rows import ROWS


def test_a_profile_names_the_operations_of_a_row() -> None:
    profile = profile_row(ROWS["linear_gelu"], small=True)
    assert profile.kernel_seconds > 0
    assert "contract" in dict(profile.by_operation())


def test_what_runs_in_processes_of_its_own_has_no_profile() -> None:
    assert can_be_profiled(ROWS["softmax"])
    assert not can_be_profiled(ROWS["import"])
    assert not can_be_profiled(ROWS["first_mlp_train_cold"])
