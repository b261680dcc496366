# SPDX-License-Identifier: BSD-3-Clause
# stats.py - comparisons of two series, and lines through points.

from dataclasses import dataclass
from math import exp, log, nan
from statistics import mean, median, stdev
from warnings import catch_warnings, simplefilter

from scipy import stats


@dataclass
class Comparison:
    """Two series of the same rounds. p_paired is of the differences by round, p of both as independent, as the thesis has it."""

    before: float  # medians
    after: float
    p: float
    p_paired: float
    effect: float  # Cohen's d
    change: float  # median of the ratios by round, less one
    interval: tuple  # 95 %, of the geometric mean of the ratios by round, less one
    pairs: int

    @property
    def differs(self):
        """As the thesis decides it: p below 0.05 and a large effect."""
        return self.p < 0.05 and abs(self.effect) > 0.8


    def shows_no_difference(self):
        """None: it could not have shown one of some percent either."""
        low, high = self.interval
        return False if self.differs else None if high - low > 0.1 else True

    def stays_below(self, limit):
        """Whether the change is below a limit; None: it is not known, as the interval holds the limit."""
        low, high = self.interval
        return True if high < limit else False if low > limit else None


def compare(before, after):
    pairs = min(len(before), len(after))
    ratios = [b / a for a, b in zip(before, after)]
    if pairs < 3:
        return Comparison(median(before), median(after), nan, nan, nan, median(ratios) - 1, (nan, nan), pairs)
    spread = ((stdev(before) ** 2 + stdev(after) ** 2) / 2) ** 0.5
    middle, half = interval_of([log(ratio) for ratio in ratios])
    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # series without any spread
        p, p_paired = (float(test(before[:pairs], after[:pairs]).pvalue) for test in (stats.ttest_ind, stats.ttest_rel))
    return Comparison(median(before), median(after), p, p_paired,
                      (mean(after) - mean(before)) / spread if spread else 0.0, median(ratios) - 1, (exp(middle - half) - 1, exp(middle + half) - 1), pairs)


def interval_of(numbers):
    """Mean and half of its 95 % interval."""
    half = stats.t.ppf(0.975, len(numbers) - 1) * stats.sem(numbers) if len(numbers) > 1 else nan
    return mean(numbers), float(half)


@dataclass
class Line:
    slope: float
    start: float
    fit: float  # R²


def line(points):
    """Least squares."""
    x, y = zip(*points)
    found = stats.linregress(x, y)
    return Line(found.slope, found.intercept, found.rvalue ** 2)


def p_text(p):
    return "p below 0.0001" if p < 1e-4 else f"p {p:.4f}"


def interval_text(found):
    return f"{100 * found.interval[0]:+.2f} to {100 * found.interval[1]:+.2f} %"


def effect_words(effect):
    """Sawilowsky's words, which the thesis uses."""
    for limit, word in ((0.01, "none"), (0.2, "very small"), (0.5, "small"), (0.8, "medium"), (1.2, "large"), (2, "very large")):
        if abs(effect) < limit:
            return word
    return "huge"
