"""Mann-Whitney's rank sum within devices, with p values that hold for few traces and for ties.

    shift = Shift([Ranks(base_values, new_values) for each device])
    shift.p()                              # two-sided; of the sum over the devices
    shift.is_up                            # whether NEW ranks higher

Under the null hypothesis every choice of NEW among the values of a device has the same chance, whatever
values are equal: that gives the exact distribution of the sum of NEW's ranks, and convolution that of
the sum over devices. Where this would take long, the sums are large, and a gamma distribution of their
exact variance and skewness stands in (the normal where the tail is the short one). It is also enough
where it gives no small p. No p is below that of the most extreme choice, 2 / prod C(base + new, new).

Ranks are doubled, so that those of equal values, their mean, are integers.
"""

import functools
import math

CHEAP_STEPS = 200_000  # additions that an exact distribution always may take
MOST_STEPS = 20_000_000  # and where the approximation says that p is small
SMALL_P = 0.05
_LEAST_SKEWNESS = 1e-3
_MOST_LOG_CHOICES = 500.0  # choices are counted in doubles


def log_choices(count, chosen):
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)


class Lattice:
    """Chances of the values start, start + step, start + 2 step, ..."""

    def __init__(self, start, step, chances):
        self.start, self.step, self.chances = start, step, chances

    def spread_to(self, step):
        """The same on a finer lattice."""
        import numpy

        times = self.step // step
        chances = numpy.zeros((len(self.chances) - 1) * times + 1)
        chances[::times] = self.chances
        return chances

    def p(self, value):
        place = (value - self.start) // self.step
        return min(1.0, 2 * min(float(self.chances[: place + 1].sum()), float(self.chances[place:].sum())))

    def least_p(self):
        return min(1.0, 2 * float(min(self.chances[0], self.chances[-1])))


class Ranks:
    """One device's values of NEW, ranked among those of BASE."""

    def __init__(self, base_values, new_values):
        import numpy

        values = numpy.concatenate([numpy.asarray(base_values, float), numpy.asarray(new_values, float)])
        self.base, self.new = len(base_values), len(new_values)
        self.count = self.base + self.new
        _, group, sizes = numpy.unique(values, return_inverse=True, return_counts=True)
        scores = 2 * numpy.cumsum(sizes) - sizes + 1
        self.sum = int(scores[group[self.base :]].sum())
        self.sizes = tuple(sizes.tolist())
        away = (scores - (self.count + 1)).astype(float)
        ordered = numpy.repeat(scores, sizes)
        self.least, self.most = int(ordered[: self.new].sum()), int(ordered[self.base :].sum())
        n, m, count = self.new, self.base, self.count
        self.mean = n * (count + 1)
        self.variance = n * m * float((sizes * away**2).sum()) / (count * (count - 1)) if count > 1 else 0.0
        self.third = n * m * (m - n) * float((sizes * away**3).sum()) / (count * (count - 1) * (count - 2)) \
            if count > 2 else 0.0  # fmt: skip
        self.log_choices = log_choices(count, n)

    @property
    def pairs(self):
        return self.base * self.new

    @property
    def above(self):
        """Mann-Whitney's U: pairs in which NEW is larger, equal ones counting half."""
        return self.sum / 2 - self.new * (self.new + 1) / 2

    @property
    def is_up(self):
        return self.sum > self.mean

    @property
    def fewer(self):
        return min(self.base, self.new)

    def steps(self):
        """What the exact distribution takes."""
        return _plan(self.sizes, self.fewer)[-1] if self.log_choices < _MOST_LOG_CHOICES else math.inf

    def lattice(self):
        """The exact distribution of the sum."""
        found = _distribution(self.sizes, self.fewer)
        if self.new <= self.base:
            return found
        total = self.count * (self.count + 1)
        last = found.start + found.step * (len(found.chances) - 1)
        return Lattice(total - last, found.step, found.chances[::-1])


@functools.lru_cache(4096)
def _plan(sizes, chosen):
    """(score of the most frequent value, step, each other value's distance in steps, the least and
    the most sum of them, additions): how _distribution counts."""
    first, scores = 0, []
    for size in sizes:
        scores.append(2 * first + size + 1)
        first += size
    most = max(sizes)
    middle = min((i for i, size in enumerate(sizes) if size == most), key=lambda i: abs(2 * i - len(sizes)))
    others = [score - scores[middle] for i, (score, size) in enumerate(zip(scores, sizes))
              if i != middle for _ in range(size)]  # fmt: skip
    step = math.gcd(*others) if others else 1
    others = [each // step for each in others]
    low = sum([each for each in others if each < 0][:chosen])
    high = sum(sorted((each for each in others if each > 0), reverse=True)[:chosen])
    return scores[middle], step, others, low, high, len(others) * (min(chosen, len(others)) + 1) * (high - low + 1)


@functools.lru_cache(1024)
def _distribution(sizes, chosen):
    """Of the sum of the scores of `chosen` values: each choice has the same chance."""
    import numpy

    score, step, others, low, high, _ = _plan(sizes, chosen)
    # ways[j, i]: choices of j of the values seen so far whose distances add up to low + i.
    ways = numpy.zeros((min(chosen, len(others)) + 1, high - low + 1))
    ways[0, -low] = 1
    first, last = -low, -low  # of the sums so far: they grow little by little
    for seen, far in enumerate(sorted(others, key=abs), 1):
        rows = min(seen, len(ways) - 1)
        if far > 0:
            end = min(last + 1, high - low + 1 - far)
            ways[1 : rows + 1, first + far : end + far] += ways[:rows, first:end].copy()
            last = min(high - low, last + far)
        else:
            begin = max(first, -far)
            ways[1 : rows + 1, begin + far : last + 1 + far] += ways[:rows, begin : last + 1].copy()
            first = max(0, first + far)
    count, equal = sum(sizes), max(sizes)
    total = log_choices(count, chosen)
    chances = numpy.zeros(high - low + 1)
    for taken in range(len(ways)):
        if 0 <= chosen - taken <= equal:
            chances += ways[taken] * math.exp(log_choices(equal, chosen - taken) - total)
    possible = numpy.flatnonzero(chances)
    start = score * chosen + step * (low + int(possible[0]))
    return Lattice(start, step, chances[possible[0] : possible[-1] + 1] / chances.sum())


def _tail(away, variance, third):
    """Chance of at least `away` above the mean."""
    from scipy.special import gammaincc

    if variance <= 0 or away <= 0:
        return 1.0
    z, skewness = away / math.sqrt(variance), third / variance**1.5
    if skewness <= _LEAST_SKEWNESS:
        return 0.5 * math.erfc(z / math.sqrt(2))
    shape = 4 / skewness**2
    return float(gammaincc(shape, shape + z * math.sqrt(shape)))


class Shift:
    """The rank sums of several devices, added up."""

    def __init__(self, ranks):
        self.ranks = [each for each in ranks if each.pairs]
        total = lambda name: sum(getattr(each, name) for each in self.ranks)  # noqa: E731
        self.sum, self.mean, self.pairs = total("sum"), total("mean"), total("pairs")
        self.base, self.new = total("base"), total("new")
        self.variance, self.third = total("variance"), total("third")
        self.log_choices = total("log_choices")

    @property
    def is_up(self):
        return self.sum > self.mean

    @functools.cached_property
    def _step(self):
        return math.gcd(*(_plan(each.sizes, each.fewer)[1] for each in self.ranks))

    def _steps(self):
        """What the exact distribution takes: those of the devices, and their convolution."""
        lengths = [(each.most - each.least) // self._step + 1 for each in self.ranks]
        so_far, steps = 1, 0
        for each, length in zip(self.ranks, lengths):
            steps += each.steps() + so_far * length
            so_far += length
        return steps

    @functools.cached_property
    def _lattice(self):
        import numpy

        lattices = [each.lattice() for each in self.ranks]
        chances = numpy.ones(1)
        for each in sorted(lattices, key=lambda each: len(each.chances)):
            chances = numpy.convolve(chances, each.spread_to(self._step))
        return Lattice(sum(each.start for each in lattices), self._step, chances)

    def _approximate_p(self, value):
        away = abs(value - self.mean) - self._step / 2
        third = self.third if value > self.mean else -self.third
        return min(1.0, 2 * max(_tail(away, self.variance, third), math.exp(-self.log_choices)))

    def _exact(self, roughly):
        """Whether the exact distribution is worth its time."""
        return self._steps() <= (MOST_STEPS if roughly < SMALL_P else CHEAP_STEPS)

    @functools.cached_property
    def _p(self):
        if not self.ranks:
            return 1.0
        roughly = self._approximate_p(self.sum)
        return self._lattice.p(self.sum) if self._exact(roughly) else roughly

    def p(self):
        """Two-sided: twice the chance of the tail."""
        return self._p

    def least_p(self):
        """Of complete separation: the least that these numbers of traces, and what is equal, can show."""
        if not self.ranks:
            return 1.0
        if self._exact(1.0):
            return self._lattice.least_p()
        return min(self._approximate_p(sum(getattr(each, end) for each in self.ranks)) for end in ("least", "most"))
