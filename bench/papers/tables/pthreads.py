"""Time to the first bug: table 2 of Taming pthreads."""

import math
import statistics

from .. import published
from ..markdown import number, seconds, table
from ..section import Bar, Section
from ..subjects import published_in
from ..survival import Sample, restricted_mean
from ..work import NATIVE, Cell, Limit, Method

ORDER = 3
NAME = "pthreads"

OURS = Method("portfolio", "portfolio")
METHODS = (NATIVE, Method("bytes", "bytes"), Method("seed", "seed"), OURS)
PUBLISHED = ("pthread", "schedule", "seed")
TIME_OUT = "timeout"


def rows_of(subjects, plan):
    return [subject for subject in published_in("taming", subjects) if plan.wants(subject)]


def cells(subjects, plan):
    result = []
    for subject in rows_of(subjects, plan):
        for method in METHODS:
            if method is OURS:
                result.append(Cell(subject, method, plan.trials, Limit(plan.budget)))
            else:
                limit = Limit(plan.baseline_budget)
                result.append(Cell(subject, method, plan.baseline_trials, limit, give_up_after=plan.give_up_after))
    return result


def mean_time(outcomes):
    """Mean seconds of the whole command, of the trials that found the bug; nan if none did."""
    found = [outcome.wall_s for outcome in outcomes if outcome.found]
    return statistics.fmean(found) if found else math.nan


def expected_time(outcomes):
    """The same when a trial that missed counts as long as it lasted; nan if all missed."""
    if not any(outcome.found for outcome in outcomes):
        return math.nan
    return restricted_mean([Sample(outcome.wall_s, outcome.found) for outcome in outcomes])


def mean_search(outcomes):
    found = [outcome.search_s for outcome in outcomes if outcome.found]
    return statistics.fmean(found) if found else math.nan


def mean_cpu(outcomes):
    found = [outcome.cpu_s for outcome in outcomes if outcome.found]
    return statistics.fmean(found) if found else math.nan


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
    """The fastest published column in the time of this machine: their own native column was measured
    on their machine, ours on this one. Without one of the two (a time-out) it stays as it is."""
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
        ours = mean_cpu(outcomes)
        fastest = min(value for value in theirs.values() if value is not None)
        if not ours <= fastest:
            slower.append(f"{subject.name} ({seconds(ours) or TIME_OUT} > {seconds(fastest)})")
        limit = scaled_limit(theirs, expected_time(results.of(subject.name, NATIVE.name)))
        if not ours <= limit:
            slower_scaled.append(f"{subject.name} ({seconds(ours) or TIME_OUT} > {seconds(limit)})")
    count = len(subjects)

    def bar(what, names):
        got = f"{count - len(names)} of {count}" + (f"; not: {', '.join(names)}" if names else "")
        return Bar(f"pthreads: {what}", "all 12", got, not names)

    return [
        bar("found by the portfolio in every trial", missed),
        bar("not slower than the fastest published column", slower),
        bar("not slower than that, scaled by our native time over theirs", slower_scaled),
    ]


def csv_rows(subjects, results):
    yield ["program", "published_name", "method", "trials", "missed", "mean_wall_s", "mean_cpu_s"] + [
        "mean_search_s",
        "mean_schedules",
    ]
    for subject in subjects:
        for method in METHODS:
            outcomes = results.of(subject.name, method.name)
            found = [outcome.found_at for outcome in outcomes if outcome.found]
            if not outcomes:
                continue
            times = [mean_time(outcomes), mean_cpu(outcomes), mean_search(outcomes)]
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
            + [seconds(mean_cpu(ours)), seconds(mean_search(ours)), number(statistics.fmean(found)) if found else ""]
        )
    header = ["program", *PUBLISHED, *(f"`{method.name}`" for method in METHODS)] + ["its processor time", "its search", "schedules"]
    text = f"""\
Table 2 of Taming pthreads: mean time to the bug. On the left the published columns (a fuzzer with ordinary threads, with schedule data, with
a seed; `timeout` after 15 minutes). On the right ours: the plain program in a loop, `bytes` (schedule data without coverage), `seed`, and
the default. Our times are of the whole command: starting it, the search, a replay of the failure in a fresh process, and the report. The machine
had other work while this was measured; what the portfolio's command takes on an idle one is its processor time, and the bars are about that. "Its
search" is the time up to the bug. `timeout` is after {seconds(plan.baseline_budget)} for all but the portfolio. A hang of the plain program is recognised after
one second (theirs after ten).

{table(header, rows)}
"""
    csv = {"pthreads.csv": list(csv_rows(subjects, results))}
    return Section("Time to the first bug (Taming pthreads)", text, bars(subjects, results, table_2), csv)
