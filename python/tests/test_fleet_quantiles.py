"""Sketches of times: exact where they are few, within a bound where not, the same whenever they are made."""

import functools
import random

import numpy as np
import pytest

duckdb = pytest.importorskip("duckdb")

from etscope import Error
from etscope.fleet import outliers, page, quantiles, questions, regressions
from etscope.fleet.compaction import compact
from etscope.fleet.duck import Duck
from etscope.fleet.quantiles import items_of, merged, merged_quantiles, sketch
from etscope.fleet.show import to_json
from fleet_made import OPERATORS, Fleet

RANKS = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95)
BOUND = 0.005  # as docs/fleet.md says; of more than 1,600 times 0.0025


def times_of(count, seed=1):
    return np.random.default_rng(seed).lognormal(8, 1, count)


def off_by(times, data, ranks=RANKS):
    """The most that the rank of a quantile is off, as a part of all times."""
    times, most = np.sort(times), 0
    for rank, value in zip(ranks, merged_quantiles(data, ranks)):
        wanted = int(rank * len(times))
        first, last = np.searchsorted(times, value), np.searchsorted(times, value, "right") - 1
        most = max(most, first - wanted, wanted - last)
    return most / len(times)


@pytest.mark.parametrize("count", [1, 2, 3, 199, 200])
def test_few_times_are_exact(count):
    times = times_of(count)
    data = sketch([(times[:50], None), (times[50:], None)])
    assert items_of(data)[0].tolist() == sorted(times) and off_by(times, [data]) == 0
    assert sketch([]) == bytes((2, 1, 15, 1, 200, 0, 8, 0)) and merged_quantiles([sketch([])], [0.5]) == merged_quantiles([], [0.5]) == [None]


@pytest.mark.parametrize("count", [201, 333, 664, 665, 1680, 1681, 100_003, 3_000_001])
def test_many_times_are_within_the_bound(count):
    times = times_of(count)
    data = sketch([(times, None)])
    assert off_by(times, [data]) <= (BOUND if count <= 1600 else BOUND / 2)
    assert off_by(np.tile(times, 2), [data, data]) <= BOUND


@pytest.mark.parametrize("count", [0, 1, 2, 200, 201, 1681, 100_003])
def test_datasketches_reads_them_and_they_are_read(count):
    kll = pytest.importorskip("datasketches").kll_doubles_sketch
    times = times_of(count)
    ours, theirs = sketch([(times, None)]), kll(200)
    theirs.update(times)
    for data in (ours, theirs.serialize()):
        found = kll.deserialize(data)
        assert (found.n, found.k, int(items_of(data)[1].sum())) == (count, 200, count)
        if count:
            assert (found.get_min_value(), found.get_max_value()) == (times.min(), times.max())
            assert merged_quantiles([data], RANKS) == [found.get_quantile(rank) for rank in RANKS]
            found.merge(theirs)
            found.update(times)
            assert found.n == 3 * count


def test_order_does_not_matter():
    parts = [sketch([(times_of(300 + seed, seed), None)]) for seed in range(40)]
    expected = merged_quantiles(parts, RANKS), merged(parts)
    for seed in range(3):
        random.Random(seed).shuffle(parts)
        assert (merged_quantiles(parts, RANKS), merged(parts)) == expected
    times = np.concatenate([times_of(300 + seed, seed) for seed in range(40)])
    assert off_by(times, parts) <= BOUND and off_by(times, [merged(parts)]) <= 2 * BOUND


@pytest.mark.parametrize("values", ["spread", "sorted", "equal", "two"])
def test_a_rank_among_many_values_is_that_of_all(values):
    made = {"spread": times_of(30_000), "sorted": np.sort(times_of(30_000)), "equal": np.full(30_000, 5.0),
            "two": np.repeat([1.0, 2.0], 15_000)}[values]  # fmt: skip
    weights = 1 << np.random.default_rng(2).integers(0, 8, len(made))
    order = np.argsort(made, kind="stable")
    reached = np.cumsum(weights[order])
    for part in (0, 0.0001, 0.3, 0.5, 0.9, 0.9999, 1):
        rank = min(int(part * reached[-1]), int(reached[-1]) - 1)
        assert quantiles._value_at(made, weights, rank) == made[order][np.searchsorted(reached, rank, "right")]


def test_what_has_no_order_is_left_out():
    assert items_of(sketch([([2.0, np.nan, 1.0], None)]))[0].tolist() == [1, 2]
    assert sketch([([np.nan], None)]) == sketch([])


def test_damaged_sketches_are_an_error():
    whole = sketch([(times_of(1000), None)])
    assert len(items_of(whole)[0]) == 250
    for bad in (b"", whole[:7], whole[:20], whole[:30], whole[:-8], b"\0" * 40, whole[:18] + b"\xff" + whole[19:],
                whole[:8] + b"\xff" * 8 + whole[16:]):  # fmt: skip
        with pytest.raises(Error, match="a sketch of the data set is damaged"):
            items_of(bad)


def answers(folder, threads):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", functools.partial(duckdb.connect, config={"threads": threads}))
        duck = Duck(folder)
    asked = [questions.top(duck, limit=1000), questions.top(duck, by="device"), questions.trend(duck),
             outliers.outliers(duck, least_change=0, alpha=0.9),
             regressions.regressions(duck, "build=1.2", "build=1.3", by="name")]  # fmt: skip
    return [to_json(each.as_json()) for each in asked] + [to_json(page.distributions(duck, "build"))]


def test_a_question_has_one_answer(tmp_path):
    """However many threads read the same rows from however many files, of times that are no whole numbers."""
    made = Fleet(8, devices=11, traces=4, runs=30, operators=OPERATORS[:4])
    for table in ("runs", "operators"):
        for row in made.tables[table]:
            row["time_ns"] *= 1 / 3
    folder = made.write(tmp_path / "set", commits=16)
    expected = answers(folder, 4)
    assert [answers(folder, threads) for threads in (1, 2, 7, 7)] == [expected] * 4
    assert answers(made.write(tmp_path / "other", commits=3), 2) == expected  # each row still has few times
    compact(folder, grace=0)
    assert answers(folder, 2)[3:5] == expected[3:5]
