# SPDX-License-Identifier: Apache-2.0
"""Inputs and schedules together: tables 5.3 and 5.4 and figure 5.15 of the thesis on property-based concurrency fuzzing."""

import math
import re
import statistics

from .. import published
from ..markdown import number, seconds, table
from ..plan import Plan
from ..section import Bar, Section
from ..svg import Axis, Line, plot
from ..work import Cell, Limit, Method

ORDER = 5
NAME = "thesis-parallel"

OURS = Method("portfolio", "portfolio")
RANDOM = Method("random", "random")
METHODS = (OURS, RANDOM)
# As many testing runs as in the thesis, unless somebody asks for another number.
TRIALS = 30
FASTER = 100
AT_ONCE_S = 1.0


def trials(plan):
    return TRIALS if plan.trials == Plan.trials else plan.trials


def subjects_of(subjects, plan):
    """Those of table 5.2."""
    return [s for s in subjects if s.group == "property" and s.name_in("thesis") and plan.wants(s)]


def scaling_of(subjects, plan):
    """(n, subject) of the program of figure 5.14."""
    found = [(re.fullmatch(r"halfway_(\d+)", s.name), s) for s in subjects if plan.wants(s)]
    return sorted((int(match[1]), s) for match, s in found if match)


def cells(subjects, plan):
    chosen = subjects_of(subjects, plan) + [s for _, s in scaling_of(subjects, plan)]
    result = [Cell(s, OURS, trials(plan), Limit(plan.budget)) for s in chosen]
    limit = Limit(plan.baseline_budget)
    return result + [Cell(s, RANDOM, plan.baseline_trials, limit, give_up_after=plan.give_up_after) for s in chosen]


def mean(outcomes, what):
    found = [getattr(outcome, what) for outcome in outcomes if outcome.found]
    return statistics.fmean(found) if found else math.nan


def share(outcomes):
    return f"{sum(outcome.found for outcome in outcomes)} of {len(outcomes)}" if outcomes else ""


def bars(subjects, scaling, results, theirs):
    missed, slower, late = [], [], []
    for subject in subjects:
        outcomes = results.of(subject.name, OURS.name)
        if not outcomes:
            return []
        if not all(outcome.found for outcome in outcomes):
            missed.append(f"{subject.name} ({share(outcomes)})")
        limit = theirs[subject.name_in("thesis")].parafuzz_s / FASTER
        time = mean(outcomes, "search_s")
        if limit == 0 and not time <= AT_ONCE_S:
            late.append(f"{subject.name} ({seconds(time)})")
        if limit and not time <= limit:
            slower.append(f"{subject.name} ({seconds(time)} > {seconds(limit)})")

    def bar(what, names):
        got = f"{len(subjects) - len(names)} of {len(subjects)}" + (f"; not: {', '.join(names)}" if names else "")
        return Bar(f"thesis-parallel: {what}", f"all {len(subjects)}", got, not names)

    result = [
        bar("found in every testing run", missed),
        bar(f"{FASTER} times faster than published", slower),
        Bar(f"thesis-parallel: DL at once", f"≤ {seconds(AT_ONCE_S)}", ", ".join(late) or "yes", not late),
    ]
    exponent = growth(scaling, results)
    if exponent is not None:
        got = f"n^{exponent:.2f}"
        result.append(Bar("thesis-parallel: figure 5.14 at most linear in n", "n^1", got, exponent <= 1.0))
    return result


def growth(scaling, results):
    """The exponent of the search's time over n, by least squares of the logarithms; None if there is too little."""
    points = [(n, mean(results.of(s.name, OURS.name), "search_s")) for n, s in scaling]
    points = [(math.log(n), math.log(time)) for n, time in points if time > 0]
    return statistics.linear_regression(*zip(*points)).slope if len(points) >= 3 else None


def csv_rows(subjects, results):
    yield ["program", "published_name", "method", "trials", "missed", "mean_wall_s", "mean_cpu_s", "mean_search_s", "mean_schedules"]
    for subject in subjects:
        for method in METHODS:
            outcomes = results.of(subject.name, method.name)
            if not outcomes:
                continue
            figures = [mean(outcomes, what) for what in ("wall_s", "cpu_s", "search_s", "found_at")]
            texts = ["" if math.isnan(value) else f"{value:.5f}" for value in figures]
            missed = sum(not outcome.found for outcome in outcomes)
            yield [subject.name, subject.name_in("thesis"), method.name, len(outcomes), missed, *texts]


def scaling_plot(scaling, results):
    lines = []
    for method in METHODS:
        points = [(n, mean(results.of(s.name, method.name), "found_at")) for n, s in scaling]
        points = [(n, value) for n, value in points if not math.isnan(value)]
        if points:
            lines.append(Line(method.name, points))
    if not lines:
        return {}
    top = max(value for line in lines for _, value in line.points)
    x = Axis("n: steps of each thread", 0, max(n for n, _ in scaling))
    y = Axis("schedules to the bug", 1, max(10.0, top * 1.5), logarithmic=True)
    return {"thesis-scaling.svg": plot("Figure 5.14: both threads exactly halfway", x, y, lines)}


def section(subjects, results, plan):
    rows, theirs = [], published.thesis_parallel()
    chosen, scaling = subjects_of(subjects, plan), scaling_of(subjects, plan)
    for subject in chosen:
        name = subject.name_in("thesis")
        ours, random = (results.of(subject.name, method.name) for method in METHODS)
        faster = theirs[name].parafuzz_s / mean(ours, "search_s") if ours else math.nan
        rows.append(
            [f"{name} `{subject.name}`", f"{theirs[name].parafuzz_found:.2f}", seconds(theirs[name].parafuzz_s), share(ours)]
            + [seconds(mean(ours, what)) for what in ("wall_s", "cpu_s", "search_s")]
            + [number(mean(ours, "found_at")), f"{number(faster)} ×" if faster else "", share(random)]
        )
    header = ["program", "ParaFuzz found", "its time", "found", "wall", "processor", "search", "schedules", "faster", "`random` found"]
    growing = []
    for n, subject in scaling:
        ours, random = (results.of(subject.name, method.name) for method in METHODS)
        growing.append(
            [str(n), share(ours), number(mean(ours, "found_at")), seconds(mean(ours, "search_s"))]
            + [share(random), number(mean(random, "found_at"))]
        )
    text = f"""\
Tables 5.3 and 5.4 of the thesis: nine programs whose bugs need an input and a schedule (DL a schedule only); ParaFuzz had an hour,
random and stress testing found next to nothing. Beside them ours, {trials(plan)} trials each: the whole command, its processor time (the
machine had other work while this was measured), and the search up to the bug, which is what theirs is compared with; the rest of the command
confirms, explains and writes the failure. `random` draws inputs as we do but leaves the schedule to chance.

{table(header, rows)}
Figure 5.14's program, whose space of schedules grows exponentially with n.

{table(["n", "found", "schedules", "search", "`random` found", "schedules"], growing)}
![schedules to the bug over n](plots/thesis-scaling.svg)
"""
    everything = chosen + [s for _, s in scaling]
    csv = {"thesis-parallel.csv": list(csv_rows(everything, results))}
    return Section(
        "Inputs and schedules together (ParaFuzz)", text, bars(chosen, scaling, results, theirs), csv, scaling_plot(scaling, results)
    )
