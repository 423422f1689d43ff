"""Rows run in processes of their own, and what is reported follows from what they said."""

import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import page, plots, report
from benchmarks.__main__ import recorded_command
from benchmarks.measure import shortest
from benchmarks.results import Results, RowResult, read
from benchmarks.rows import ROWS
from benchmarks.runner import ChildError, Options, caches, last_line, run_row


def example() -> Results:
    """Return results with a row ahead, a row behind and a row that failed."""
    ahead = RowResult("softmax", "softmax of x", "reductions", bytes=4e9, flop=1e9)
    ahead.add("pumice", {"seconds": 0.5, "first": 2.0})
    ahead.add("pumice", {"seconds": 0.7, "first": 1.0})
    ahead.add("torch", {"seconds": 2.0})
    ahead.add("jax", {"seconds": 1.0})
    ahead.threads = {"1": 1.0, "2": 0.5}
    behind = RowResult("record_evaluate", "an add", "overheads")
    behind.add("pumice", {"seconds": 8e-6})
    behind.add("torch", {"seconds": 4e-6})
    failed = RowResult("sort", "sort", "ordering", errors={"pumice": "broken | pipe"})
    failed.add("torch", {"seconds": 1.0})
    return Results(
        command="python -m benchmarks",
        date="2030-01-01",
        machine={"processor": "a processor"},
        versions={"pumice": "1"},
        frameworks=["pumice", "torch", "jax"],
        limits={"copy": 10e9, "float32": 20e9, "float64": 10e9},
        rows=[ahead, behind, failed],
    )


def test_ratio_is_against_the_fastest_peer() -> None:
    ahead, behind, failed = example().rows
    assert (ahead.peer, ahead.ratio) == ("jax", 2.0)
    assert behind.ratio == 0.5
    assert failed.ratio is None
    assert ahead.first == {"pumice": 1.0}


def test_shares_are_of_the_limits_of_the_run() -> None:
    results = example()
    assert results.copy_share(results.rows[0]) == pytest.approx(0.8)
    assert results.peak_share(results.rows[0]) == pytest.approx(0.1)
    assert results.copy_share(results.rows[1]) is None
    assert results.copy_share(results.rows[2]) is None


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "results.json"
    example().write(path)
    assert read(path) == example()


def test_terminal_shows_every_row_and_failure() -> None:
    text = StringIO()
    report.show(example(), Console(file=text, width=140))
    shown = text.getvalue()
    assert "at least level with the fastest peer in 1 of 2 rows" in shown
    assert "mean of the ratios 1.00" in shown
    assert "sort failed in pumice: broken | pipe" in shown
    for cell in ("2.00", "500 ms", "80 %", "failed", "8.00 us"):
        assert cell in shown, cell


def test_page_keeps_what_is_written_by_hand() -> None:
    before = f"# Title\n\n{page.START}\nold\n{page.END}\n\n## By hand\n"
    after = page.replaced(before, example())
    assert after.startswith("# Title\n\n") and after.endswith("\n\n## By hand\n")
    assert "old" not in after
    assert "| softmax of x (`softmax`) | 2.00 | 500 ms | 2.00 s | 1.00 s | 80 % | 10 % |" in after
    assert "broken \\| pipe" in after
    assert page.replaced(after, example()) == after
    with pytest.raises(ValueError, match="no part"):
        page.replaced("# Title\n", example())


def test_the_page_has_a_generated_part() -> None:
    assert page.replaced(page.PAGE.read_text(), example())


def test_charts_are_the_same_for_the_same_results(tmp_path: Path) -> None:
    first = plots.write_plots(example(), tmp_path / "first")
    second = plots.write_plots(example(), tmp_path / "second")
    for left, right in zip(first, second, strict=True):
        assert left.read_text() == right.read_text()
    assert "2.00 (jax)" in first[0].read_text()
    assert "sort" not in first[0].read_text()
    assert "copy bandwidth" in first[1].read_text()


def test_durations_have_three_digits() -> None:
    shown = [report.duration(each) for each in (1.234, 0.01234, 1.2e-5, 4e-8, None)]
    assert shown == ["1.23 s", "12.3 ms", "12.0 us", "40.0 ns", "-"]
    assert [report.digits(each) for each in (321.4, 0.5, 0.00361)] == ["321", "0.50", "0.0036"]


def test_the_command_leaves_out_where_results_go() -> None:
    given = ["matmul", "--rounds", "2", "--json", "/some/place.json", "--page", "--plots=here"]
    assert recorded_command(given) == "python -m benchmarks matmul --rounds 2"


@pytest.mark.parametrize("name", ["softmax", "mlp_train", "small_add"])
def test_a_row_runs_in_processes_of_its_own(name: str) -> None:
    options = Options(("pumice", "torch"), rounds=1, seconds=0.01, small=True, threads=(1,))
    result = run_row(ROWS[name], options)
    assert result.errors == {}
    assert set(result.seconds) == set(result.first) == {"pumice", "torch"}
    assert result.ratio is not None and result.ratio > 0
    assert set(result.threads) == {"1"}


def test_a_process_that_fails_is_reported() -> None:
    failing = [sys.executable, "-c", "raise SystemExit('no such thing')"]
    with pytest.raises(ChildError, match="no such thing"):
        last_line(failing, {}, 60)
    with pytest.raises(ChildError, match="longer than"):
        last_line([sys.executable, "-c", "import time; time.sleep(60)"], {}, 0.2)


def test_first_calls_start_from_an_empty_cache() -> None:
    with caches({"KEPT": "1"}) as environment:
        assert environment["KEPT"] == "1"
        folder = Path(environment["PUMICE_CACHE_DIR"])
        assert folder.is_dir() and not list(folder.iterdir())
    assert not folder.exists()


def test_shortest_takes_the_best_of_several_calls() -> None:
    calls = []
    assert shortest(lambda: calls.append(0), 1e-4) < 1e-3
    assert len(calls) >= 6
    calls.clear()
    assert shortest(lambda: calls.append(time.sleep(2e-3)), 1e-4) >= 2e-3
    assert len(calls) == 4
