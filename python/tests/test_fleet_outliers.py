"""The test of etscope-fleet outliers on made values: how often it finds nothing's difference, and what it finds."""

import json
import os

import pytest

np = pytest.importorskip("numpy")
stats = pytest.importorskip("scipy.stats")
pytest.importorskip("duckdb")

from etscope.fleet import outliers  # noqa: E402
from etscope.fleet.duck import Duck  # noqa: E402
from fleet_made import Fleet  # noqa: E402

SEEDS = 100 if os.environ.get("ETSCOPE_LONG") else 30
FALSE_SEEDS = int(stats.binom.ppf(0.99, SEEDS, 0.05))  # at a chance of 5 % more come up in 1 of 100 trials


def located(random, traces, noise=0.05, vary=0.0, common=0.0, planted=None, operators=12):
    """What SQL gives of devices with these numbers of traces; `planted` is (device, operator, ratio)."""
    rows = []
    for device, count in enumerate(traces):
        shared = random.normal(0, common, count)
        for operator in range(operators):
            logs = 11 + random.normal(0, vary) + random.normal(0, noise, count) + shared
            if planted and planted[:2] == (device, operator):
                logs += np.log(planted[2])
            rows.append(dict(
                program="p", name=f"dev{device}", method="forward", instruction=operator, operator=f"op{operator}",
                kind="operator", module="", backend="", source="", traces=count, logs=logs.tolist(),
                location=float(np.median(logs)), typical_ns=float(np.exp(np.median(logs)))))  # fmt: skip
    return rows


def found(rows):
    judged = outliers.judged_rows(rows, "device")
    assert judged
    return [(row["name"], row["operator"]) for row in outliers.judge(judged, least_change=0)]


@pytest.mark.parametrize("vary, common", [(0, 0), (0.02, 0), (0, 0.05)])
@pytest.mark.parametrize("traces", [[3] * 20 + [30] * 20, [3] * 30 + [100] * 10, [3] * 5 + [30] * 35, [6] * 40],
                         ids=["half", "few known well", "few known badly", "equal"])  # fmt: skip
def test_nothing_is_found_where_devices_differ_in_their_numbers_of_traces(traces, vary, common):
    false = sum(bool(found(located(np.random.default_rng(seed), traces, vary=vary, common=common, operators=6)))
                for seed in range(SEEDS))  # fmt: skip
    assert false <= FALSE_SEEDS


@pytest.mark.parametrize("device", [0, 59])
def test_a_planted_device_is_found_among_unequal_ones(device):
    rows = located(np.random.default_rng(1), [3] * 30 + [30] * 30, vary=0.02, planted=(device, 4, 1.6))
    assert found(rows) == [(f"dev{device}", "op4")]


class Ticks(Fleet):
    """A fleet whose clock counts whole microseconds; `of(device)` gives the times of its operators in ticks."""

    def __init__(self, of, **options):
        self._of = of
        super().__init__(operators=[(f"op{i}", i, "m", "", 5500.0) for i in range(8)], builds=("1",), **options)
        for row in self.tables["operators"]:
            row["time_ns_lower"], row["time_ns_upper"] = row["time_ns"] - 500, row["time_ns"] + 500

    def _add(self, number, device, build, times, operators):
        ticks = np.broadcast_to(self._of(device, times), times.shape)
        super()._add(number, device, build, ticks * 1000.0 + 500, operators)


def test_a_device_beside_equal_ones_is_found(tmp_path):
    """Their spread is 0."""
    of = lambda device, times: np.where(np.arange(8) == 2, 54 if device == "dev9" else 5, 5)  # noqa: E731
    answer = outliers.outliers(Duck(Ticks(of, devices=12, traces=6, runs=3).write(tmp_path / "set")))
    assert {row["name"] for row in answer.rows} == {"dev9"} and json.dumps(answer.rows)
    (operator,) = [row for row in answer.rows if row["kind"] != "run"]
    assert operator["operator"] == "op2" and abs(operator["ratio"] - 54.5 / 5.5) < 1


def test_one_tick_is_not_off(tmp_path):
    of = lambda device, times: np.where(np.arange(8) == 2, 6 if device == "dev9" else 5, 5)  # noqa: E731
    answer = outliers.outliers(Duck(Ticks(of, devices=12, traces=6, runs=3).write(tmp_path / "set")), least_change=0)
    assert answer.rows == []


def test_nothing_is_found_on_a_coarse_clock(tmp_path):
    of = lambda device, times: np.floor(5.2 * times / np.median(times))  # noqa: E731
    false = 0
    for seed in range(10):
        made = Ticks(of, seed=seed, devices=12, traces=4, runs=2)
        false += bool(outliers.outliers(Duck(made.write(tmp_path / str(seed))), least_change=0).rows)
    assert false <= stats.binom.ppf(0.99, 10, 0.05)


@pytest.mark.parametrize("kinds, told", [
    (["run"], "most dev1 in (run): +50.0 %"), (["operator"], "most dev1 in op: -40.0 %"),
    (["operator", "run"], "dev1 in (run): +50.0 %; its operator that is off most is op: -40.0 %"),
])  # fmt: skip
def test_the_headline_tells_how_long_the_device_takes(kinds, told):
    """Not only its operators, which are off relative to each other."""
    values = {"run": {"operator": "", "ratio": 1.5}, "operator": {"operator": "op", "ratio": 0.6}}
    off = [{"group": "device", "name": "dev1", "kind": kind, "backend": "", **values[kind]} for kind in kinds]
    assert outliers._sentence(off, off) == f"device dev1 is off; {told}"
