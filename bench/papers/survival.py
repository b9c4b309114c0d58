# SPDX-License-Identifier: Apache-2.0
"""Statistics of trials some of which end without having found the bug.

A trial that missed says only that the bug needs more schedules than it had: it is *censored* at that
number. Means over the trials that found the bug, as the papers print them, ignore it; `restricted_mean` and
`log_rank` do not.
"""

import math
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """One trial: the schedule that found the bug, or the last one that did not."""

    schedules: float
    found: bool


@dataclass(frozen=True)
class Summary:
    """As the papers print it: mean and standard deviation of the trials that found the bug."""

    trials: int
    missed: int
    mean: float  # nan if all missed
    deviation: float  # of a sample; 0 for a single value


def samples_of(outcomes):
    return [Sample(o.found_at, True) if o.found else Sample(max(o.schedules, 1), False) for o in outcomes]


def summarise(samples):
    found = [sample.schedules for sample in samples if sample.found]
    mean = statistics.fmean(found) if found else math.nan
    deviation = statistics.stdev(found) if len(found) > 1 else 0.0
    return Summary(len(samples), len(samples) - len(found), mean, deviation)


def kaplan_meier(samples):
    """The share of trials still without the bug: pairs (schedules, share from there on), in order."""
    curve, share, at_risk = [], 1.0, len(samples)
    for time in sorted({sample.schedules for sample in samples}):
        events = sum(1 for sample in samples if sample.schedules == time and sample.found)
        if events:
            share *= 1 - events / at_risk
            curve.append((time, share))
        at_risk -= sum(1 for sample in samples if sample.schedules == time)
    return curve


def restricted_mean(samples, horizon=None):
    """The area below the Kaplan-Meier curve up to a horizon (the longest trial): the mean number of
    schedules when a trial that missed counts as long as it lasted."""
    if not samples:
        return math.nan
    horizon = max(sample.schedules for sample in samples) if horizon is None else horizon
    area, since, share = 0.0, 0.0, 1.0
    for time, after in kaplan_meier(samples):
        if time >= horizon:
            break
        area += share * (time - since)
        since, share = time, after
    return area + share * (horizon - since)


def log_rank(one, other):
    """The log-rank test of two sets of trials: (chi-squared with one degree of freedom, p).

    (0, 1) when there is nothing to compare, for instance because nobody found anything.
    """
    observed = expected = variance = 0.0
    for time in sorted({sample.schedules for sample in [*one, *other] if sample.found}):
        n1 = sum(1 for sample in one if sample.schedules >= time)
        n2 = sum(1 for sample in other if sample.schedules >= time)
        d1 = sum(1 for sample in one if sample.found and sample.schedules == time)
        d2 = sum(1 for sample in other if sample.found and sample.schedules == time)
        n, d = n1 + n2, d1 + d2
        observed += d1
        expected += d * n1 / n
        if n > 1:
            variance += d * (n1 / n) * (n2 / n) * (n - d) / (n - 1)
    if variance <= 0:
        return 0.0, 1.0
    chi_squared = (observed - expected) ** 2 / variance
    return chi_squared, math.erfc(math.sqrt(chi_squared / 2))


SIGNIFICANT = 0.05


def compare(one, other):
    """-1: `one` needs significantly fewer schedules than `other`; 1: more; 0: cannot be told."""
    _, p = log_rank(one, other)
    if p >= SIGNIFICANT:
        return 0
    horizon = max(sample.schedules for sample in [*one, *other])
    return -1 if restricted_mean(one, horizon) < restricted_mean(other, horizon) else 1
