# SPDX-License-Identifier: Apache-2.0
"""Time to the first bug: table 2 of Taming pthreads."""

import math
import statistics

from .. import published
from ..markdown import number, seconds, table
from ..section import Bar, Section
from ..subjects import published_in
from ..survival import Sample, restricted_mean
from ..work import NATIVE, NATIVE_FUZZER, Cell, Limit, Method

ORDER = 3
NAME = "pthreads"

OURS = Method("portfolio", "portfolio")
METHODS = (NATIVE, NATIVE_FUZZER, Method("bytes", "bytes"), Method("seed", "seed"), OURS)
PUBLISHED = ("pthread", "schedule", "seed")
TIME_OUT = "timeout"
HANG = 10.0  # seconds; as theirs


def rows_of(subjects, plan):
    return [subject for subject in published_in("taming", subjects) if plan.wants(subject)]


def is_scaled_by(subject):
    """The method whose time here stands beside their `pthread` column: a fuzzer, as theirs is. It does not end at a hang."""
    return NATIVE if "deadlock" in subject.kinds else NATIVE_FUZZER


def cells(subjects, plan):
    table_2 = published.taming_pthreads()
    result = []
    for subject in rows_of(subjects, plan):
        comparable = table_2[subject.name_in("taming")]["pthread"] is not None
        for method in METHODS:
            if method is OURS:
                result.append(Cell(subject, method, plan.trials, Limit(plan.budget)))
                continue
            if method is NATIVE_FUZZER and not (comparable and is_scaled_by(subject) is method):
                continue
            # What limits are computed from needs time enough.
            budget = plan.native_budget if comparable and method.native else plan.baseline_budget
            more = {"give_up_after": plan.give_up_after, "hang": HANG}
            result.append(Cell(subject, method, plan.baseline_trials, Limit(budget), **more))
    return result


def mean_of(outcomes, what):
    """Of the trials that found the bug; nan if none did."""
    found = [what(outcome) for outcome in outcomes if outcome.found]
    return statistics.fmean(found) if found else math.nan


def mean_time(outcomes):
    """Seconds from the start of the command to the bug."""
    return mean_of(outcomes, lambda outcome: outcome.to_bug_s)


def mean_wall(outcomes):
    return mean_of(outcomes, lambda outcome: outcome.wall_s)


def mean_search(outcomes):
    return mean_of(outcomes, lambda outcome: outcome.search_s)


def expected_time(outcomes):
    """The time to the bug when a trial that missed counts as long as it lasted; nan if all missed."""
    if not any(outcome.found for outcome in outcomes):
        return math.nan
    return restricted_mean([Sample(outcome.wall_s, outcome.found) for outcome in outcomes])


def our_text(outcomes):
    if not outcomes:
        return ""
    missed = sum(not outcome.found for outcome in outcomes)
    if missed == len(outcomes):
        return f"{TIME_OUT} ({missed})"
    return seconds(mean_time(outcomes)) + (f" ({missed} missed)" if missed else "")


def their_text(value):
    return TIME_OUT if value is None else seconds(value)


def scaled_limit(theirs, native_s):
    """The fastest published column in the time of this machine: their fuzzer with ordinary threads was
    measured on their machine, ours on this one. Without one of the two (a time-out) it stays as it is."""
    fastest = min(value for value in theirs.values() if value is not None)
    if theirs["pthread"] is None or math.isnan(native_s):
        return fastest
    return fastest * native_s / theirs["pthread"]


def bars(subjects, results, table_2):
    missed, slower, slower_scaled = [], [], []
    for subject in subjects:
        outcomes = results.of(subject.name, OURS.name)
        if not outcomes:
            return []
        theirs = table_2[subject.name_in("taming")]
        if not all(outcome.found for outcome in outcomes):
            missed.append(subject.name)
        ours = mean_time(outcomes)
        fastest = min(value for value in theirs.values() if value is not None)
        if not ours <= fastest:
            slower.append(f"{subject.name} ({seconds(ours) or TIME_OUT} > {seconds(fastest)})")
        limit = scaled_limit(theirs, expected_time(results.of(subject.name, is_scaled_by(subject).name)))
        if not ours <= limit:
            slower_scaled.append(f"{subject.name} ({seconds(ours) or TIME_OUT} > {seconds(limit)})")
    count = len(subjects)

    def bar(what, names):
        got = f"{count - len(names)} of {count}" + (f"; not: {', '.join(names)}" if names else "")
        return Bar(f"pthreads: {what}", "all 12", got, not names)

    return [
        bar("found by the portfolio in every trial", missed),
        bar("not slower than the fastest published column", slower),
        bar("not slower than that, scaled by our native fuzzer's time over theirs", slower_scaled),
    ]


def csv_rows(subjects, results):
    yield ["program", "published_name", "method", "trials", "missed", "mean_to_bug_s", "mean_wall_s"] + [
        "mean_search_s",
        "mean_schedules",
    ]
    for subject in subjects:
        for method in METHODS:
            outcomes = results.of(subject.name, method.name)
            found = [outcome.found_at for outcome in outcomes if outcome.found]
            if not outcomes:
                continue
            times = [mean_time(outcomes), mean_wall(outcomes), mean_search(outcomes)]
            figures = [*times, statistics.fmean(found) if found else math.nan]
            texts = ["" if math.isnan(value) else f"{value:.5f}" for value in figures]
            missed = len(outcomes) - len(found)
            yield [subject.name, subject.name_in("taming"), method.name, len(outcomes), missed, *texts]


def section(subjects, results, plan):
    subjects = rows_of(subjects, plan)
    table_2 = published.taming_pthreads()
    rows = []
    for subject in subjects:
        theirs = table_2[subject.name_in("taming")]
        ours = results.of(subject.name, OURS.name)
        found = [outcome.found_at for outcome in ours if outcome.found]
        rows.append(
            [f"`{subject.name}`"]
            + [their_text(theirs[column]) for column in PUBLISHED]
            + [our_text(results.of(subject.name, method.name)) for method in METHODS]
            + [seconds(mean_search(ours)), seconds(mean_wall(ours)), number(statistics.fmean(found)) if found else ""]
        )
    header = ["program", *PUBLISHED, *(f"`{method.name}`" for method in METHODS)] + ["its search", "its whole command", "schedules"]
    text = f"""\
Table 2 of Taming pthreads: mean time to the bug. On the left the published columns (a fuzzer with ordinary threads, with schedule data, with
a seed; `timeout` after 15 minutes). On the right ours: the plain program in a loop, the plain program under a fuzzer (`afl-fuzz -n`, until the first
failing run), `bytes` (schedule data without coverage), `seed`, and the default. Our times are from the start of the command to the run that shows the bug; "its search" leaves
out the start of the command, "its whole command" also confirms the failure in a fresh process, explains it and writes the report. `timeout` is after {seconds(plan.baseline_budget)} for
`bytes`, `seed` and what has no published time, after {seconds(plan.native_budget)} for the plain program. A hang of the plain program is recognised after
ten seconds, as theirs was.

The last bar scales the fastest published column by what a fuzzer with ordinary threads takes here over what it took there (their `pthread`); for
deadlocks, at which afl-fuzz does not end, by the loop.

{table(header, rows)}
"""
    csv = {"pthreads.csv": list(csv_rows(subjects, results))}
    return Section("Time to the first bug (Taming pthreads)", text, bars(subjects, results, table_2), csv)
