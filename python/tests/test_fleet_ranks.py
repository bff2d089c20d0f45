"""The tests of etscope-fleet regressions on made values: exact p values, and how often it finds nothing's change."""

import itertools
import math

import pytest

np = pytest.importorskip("numpy")
stats = pytest.importorskip("scipy.stats")

from etscope.fleet import ranks  # noqa: E402
from etscope.fleet.ranks import Ranks, Shift  # noqa: E402
from etscope.fleet.regressions import judge  # noqa: E402

SEEDS = 100
FALSE_SEEDS = int(stats.binom.ppf(0.99, SEEDS, 0.05))  # at a chance of 5 % more come up in 1 of 100 trials


def row(device, base, new):
    return dict(device=device, base=len(base), new=len(new), backend="", source="",
                base_values=list(map(float, base)), new_values=list(map(float, new)))  # fmt: skip


def operator(number):
    return ("program", "forward", number, f"op{number}", "operator", "")


def all_choices(base, new):
    """The doubled rank sums of every choice of NEW, and the one that came up."""
    doubled = 2 * stats.rankdata([*base, *new])
    sums = [sum(each) for each in itertools.combinations(doubled, len(new))]
    return np.array(sums), doubled[len(base):].sum()  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_p_is_that_of_all_choices(seed):
    random = np.random.default_rng(seed)
    devices = []
    for _ in range(random.integers(1, 3)):
        most = random.integers(1, 6)  # different values: few tie most of them
        devices.append([random.integers(0, most, random.integers(1, 7)).astype(float) for _ in range(2)])
    sums, found = np.zeros(1), 0
    for base, new in devices:
        each, sum_ = all_choices(base, new)
        sums, found = np.add.outer(sums, each).ravel(), found + sum_
    shift = Shift([Ranks(*each) for each in devices])
    assert shift.sum == found
    assert math.isclose(shift.p(), min(1, 2 * min((sums <= found).mean(), (sums >= found).mean())))
    least = 2 * min((sums == sums.min()).mean(), (sums == sums.max()).mean())
    assert math.isclose(shift.least_p(), min(1, least))
    assert math.isclose(shift.variance, sums.var(), abs_tol=1e-9)
    assert math.isclose(shift.third, ((sums - sums.mean()) ** 3).mean(), abs_tol=1e-6)


def test_p_of_many_traces_is_close_to_the_exact_one(monkeypatch):
    """Where values tie and sides differ in size, as where they do not."""
    for seed in range(60):
        random = np.random.default_rng(seed)
        devices, base, new, odd = [(1, 25, 25, 1), (14, 12, 12, 1), (100, 20, 1, 0.05), (1, 300, 30, 0.1)][seed % 4]
        draw = lambda count: np.where(random.random(count) < odd, random.normal(1, 1, count), 0)  # noqa: E731
        made = [Ranks(draw(base), draw(new)) for _ in range(devices)]
        exact = Shift(made)
        monkeypatch.setattr(ranks, "CHEAP_STEPS", 10**9)
        expected = exact.p()
        monkeypatch.setattr(ranks, "CHEAP_STEPS", -1)
        monkeypatch.setattr(ranks, "MOST_STEPS", -1)
        found = Shift(made).p()
        monkeypatch.undo()
        assert 0.6 * expected - 0.001 < found < 1.7 * expected + 0.1, (seed, expected, found)


def test_no_p_is_below_the_most_extreme_choice(monkeypatch):
    tied, one = np.full(99, 5500.0), np.array([6500.0])
    assert Shift([Ranks(tied, one)]).p() >= 1 / 100 and Shift([Ranks(tied, one)]).least_p() >= 1 / 100
    apart = [Ranks(np.arange(6.0), np.arange(6.0, 9.0)) for _ in range(3)]
    least = 2 / math.comb(9, 3) ** 3
    assert math.isclose(Shift(apart).p(), least) and math.isclose(Shift(apart).least_p(), least)
    monkeypatch.setattr(ranks, "CHEAP_STEPS", -1)
    monkeypatch.setattr(ranks, "MOST_STEPS", -1)
    assert Shift(apart).p() >= least * 0.999 and Shift(apart).least_p() >= least * 0.999
    assert Shift([Ranks(tied, one)]).p() >= 1 / 100


def coarse(random, count):
    """Medians of 5 runs of 5.2 us, on a clock of 1 us."""
    return np.median(np.floor(random.normal(5.2, 0.15, (count, 5))) + 0.5, axis=1) * 1000


def one_in_20(random, count):
    return np.where(random.random(count) < 0.05, 6500.0, 5500.0)


def fine(random, count):
    return np.exp(random.normal(8, 0.03, count))


@pytest.mark.parametrize("draw", [coarse, one_in_20, fine])
@pytest.mark.parametrize("devices, base, new", [(10, 20, 1), (1, 100, 1), (1, 50, 3)])
def test_nothing_is_found_where_nothing_changed(draw, devices, base, new):
    false = 0
    for seed in range(SEEDS):
        random = np.random.default_rng(seed)
        groups = {operator(i): [row(f"dev{j}", draw(random, base), draw(random, new)) for j in range(devices)]
                  for i in range(12)}  # fmt: skip
        false += any(each.verdict in ("slower", "faster") for each in judge(groups, least_change=0))
    assert false <= FALSE_SEEDS


def test_ties_do_not_make_a_change_of_nothing_sure():
    """One new trace beside 99 equal ones says little, whether it is equal or not."""
    (finding,) = judge({operator(0): [row("dev0", [5500] * 99, [5500])]})
    assert finding.verdict == "undecided" and finding.ends[0] is None


def changed(ratios, traces=14, seed=0):
    """One operator on len(ratios) devices."""
    random = np.random.default_rng(seed)
    return {operator(0): [row(f"dev{i}", fine(random, traces), ratio * fine(random, traces))
                          for i, ratio in enumerate(ratios)]}  # fmt: skip


def test_devices_that_went_both_ways_have_a_row_each():
    slower, faster = judge(changed([1, 1, 1.5, 0.65, *[1] * 10]))
    assert (slower.verdict, faster.verdict) == ("slower", "faster")
    assert slower.devices == ["dev2"] and faster.devices == ["dev3"]
    assert abs(slower.ends[1] - 1.5) < 0.1 and abs(faster.ends[1] - 0.65) < 0.1


def test_a_device_against_the_fleet_has_its_own_row():
    slower, faster = judge(changed([1.3, 1.3, 1.3, 0.5, *[1.3] * 10]))
    assert len(slower.devices) == 13 and faster.devices == ["dev3"] and len(slower.rows) == 13
    assert abs(slower.ends[1] - 1.3) < 0.05 and abs(faster.ends[1] - 0.5) < 0.05


def test_p_and_counts_are_of_what_was_judged():
    groups = changed([1, 1, 1.5, *[1] * 11])
    (finding,) = judge(groups)
    only = groups[operator(0)][2]
    assert finding.verdict == "slower" and finding.devices == ["dev2"] and finding.compared == 14
    assert finding.rows == [only]
    assert finding.p == Shift([Ranks(only["base_values"], only["new_values"])]).p() < 1e-6


def test_innocent_devices_carry_nothing():
    named = 0
    for seed in range(20):
        finding = judge(changed([1.3] * 60 + [1] * 40, traces=12, seed=seed))[0]
        assert finding.verdict == "slower" and len(finding.devices) > 40
        named += any(int(name[3:]) >= 60 for name in finding.devices)
    assert named <= stats.binom.ppf(0.99, 20, 0.05)
