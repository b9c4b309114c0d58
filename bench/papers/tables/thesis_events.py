# SPDX-License-Identifier: Apache-2.0
"""Event-driven programs: tables 4.3 and 4.4 and figure 4.8 of Padhiyar's thesis (ConFuzz)."""

import math
import statistics

from .. import places
from ..markdown import number, seconds, table
from ..section import Bar, Section
from ..subjects import published_in, read_csv
from ..work import NATIVE, Cell, Limit, Method

ORDER = 6
NAME = "thesis-events"

OURS = Method("portfolio", "portfolio")
RANDOM = Method("random", "random")  # what Node.fz does
METHODS = (NATIVE, RANDOM, OURS)
FACTOR = 50  # so many times faster than ConFuzz
SCALING = "schedule_coverage"  # figure 4.8: n = 1 … 5
# With seeds that nobody has looked at while the search was made.
FRESH = Method("portfolio, fresh seeds", "portfolio")
FRESH_SEED = 7001
EXAMPLE = "pipe_chars"  # figure 4.2; without published figures


def published_figures():
    """{program: row} with numbers, None where nothing was found."""
    rows = {}
    for row in read_csv(places.DATA / "thesis-confuzz.csv"):
        rows[row["subject"]] = {name: float(text) if text else None for name, text in row.items() if name != "subject"}
    return rows


def rows_of(subjects, plan):
    events = [subject for subject in published_in("thesis", subjects) if subject.group == "events"]
    return [subject for subject in events if plan.wants(subject)]


def scaling_rows(subjects, plan):
    return [s for s in subjects if s.name.startswith(SCALING) and not s.name.endswith("_ok") and plan.wants(s)]


def example_rows(subjects, plan):
    return [s for s in subjects if s.name == EXAMPLE and plan.wants(s)]


def trials_of(plan):
    return max(plan.trials, 30) if plan.trials >= 20 else plan.trials


def cells(subjects, plan):
    result = []
    for subject in rows_of(subjects, plan):
        for method in METHODS:
            if method is OURS:
                result.append(Cell(subject, method, trials_of(plan), Limit(plan.budget)))
            else:
                limit = Limit(plan.baseline_budget)
                result.append(Cell(subject, method, plan.baseline_trials, limit, give_up_after=plan.give_up_after))
    for subject in scaling_rows(subjects, plan):
        result.append(Cell(subject, FRESH, trials_of(plan), Limit(plan.budget), first_seed=FRESH_SEED))
    for subject in example_rows(subjects, plan):
        result.append(Cell(subject, OURS, trials_of(plan), Limit(plan.budget)))
        result.append(Cell(subject, RANDOM, plan.baseline_trials, Limit(plan.baseline_budget), give_up_after=plan.give_up_after))
    return result


def mean_of(outcomes, what):
    found = [what(outcome) for outcome in outcomes if outcome.found]
    return statistics.fmean(found) if found else math.nan


def search_time(outcomes):
    return mean_of(outcomes, lambda outcome: outcome.search_s)


def fraction(outcomes):
    return sum(outcome.found for outcome in outcomes) / len(outcomes) if outcomes else math.nan


def share(outcomes):
    return f"{sum(outcome.found for outcome in outcomes)} of {len(outcomes)}" if outcomes else ""


def number_or_nothing(value):
    return "" if math.isnan(value) else number(value)


def text_of(found, mean):
    if found is None or math.isnan(found):
        return ""
    return f"{found:.2f}" + (f", {seconds(mean)}" if mean is not None and not math.isnan(mean) else "")


def bars(rows, results, theirs):
    missed, slow = [], []
    for subject in rows:
        outcomes = results.of(subject.name, OURS.name)
        if not outcomes:
            return []
        if not all(outcome.found for outcome in outcomes):
            missed.append(subject.name)
        limit = theirs[subject.name_in("thesis")]["confuzz_mttf_s"] / FACTOR
        ours = search_time(outcomes)
        if not ours <= limit:
            slow.append(f"{subject.name} ({seconds(ours)} > {seconds(limit)})")
    count = len(rows)

    def bar(what, names):
        got = f"{count - len(names)} of {count}" + (f"; not: {', '.join(names)}" if names else "")
        return Bar(f"thesis, events: {what}", "all 11", got, not names)

    return [bar("found in every trial", missed), bar(f"search {FACTOR} times faster than ConFuzz", slow)]


def scaling_bar(points):
    """The exponent of the search's time over n, by least squares of the logarithms."""
    points = [(math.log(n), math.log(time)) for n, _, time in points if time > 0]
    if len(points) < 3:
        return []
    exponent = statistics.linear_regression(*zip(*points)).slope
    return [Bar("thesis, figure 4.8: time at most linear in n", "n^1", f"n^{exponent:.2f}", exponent <= 1.0)]


def section(subjects, results, plan):
    rows = rows_of(subjects, plan)
    theirs = published_figures()
    lines, csv = [], [["program", "published_name", "method", "trials", "found", "mean_search_s", "mean_schedules"]]
    for subject in rows:
        published = theirs[subject.name_in("thesis")]
        line = [f"`{subject.name}`", subject.name_in("thesis")]
        line += [text_of(published[f"{tool}_found"], published[f"{tool}_mttf_s"]) for tool in ("stress", "nodefz", "confuzz")]
        for method in METHODS:
            outcomes = results.of(subject.name, method.name)
            line.append(text_of(fraction(outcomes), search_time(outcomes)))
            schedules = mean_of(outcomes, lambda outcome: outcome.found_at)
            if outcomes:
                csv.append([subject.name, subject.name_in("thesis"), method.name, len(outcomes)]
                           + [sum(o.found for o in outcomes), search_time(outcomes), schedules])
        ours = results.of(subject.name, OURS.name)
        schedules = mean_of(ours, lambda outcome: outcome.found_at)
        line.append("" if math.isnan(schedules) else number(schedules))
        lines.append(line)
    points, growing = [], []
    for n, subject in enumerate(scaling_rows(subjects, plan), 1):
        outcomes = results.of(subject.name, FRESH.name)
        if not outcomes:
            continue
        schedules, time = mean_of(outcomes, lambda outcome: outcome.found_at), search_time(outcomes)
        points.append((n, schedules, time))
        growing.append([str(n), f"6^{5 * n + 10}", share(outcomes), number_or_nothing(schedules), seconds(time)])
        csv.append([subject.name, "", FRESH.name, len(outcomes), sum(o.found for o in outcomes), time, schedules])
    scaling = table(["n", "schedules there are", "found", "schedules to the bug", "search"], growing)
    example = ""
    for subject in example_rows(subjects, plan):
        ours, random = results.of(subject.name, OURS.name), results.of(subject.name, RANDOM.name)
        if not ours:
            continue
        schedules = mean_of(ours, lambda outcome: outcome.found_at)
        csv.append([subject.name, "", OURS.name, len(ours), sum(o.found for o in ours), search_time(ours), schedules])
        example = (
            f"Figure 4.2's example (`{subject.name}`: three letters are drawn, and three jobs finish in one order that makes them spell a word):"
            f" {share(ours)} found, after {number_or_nothing(schedules)} schedules and {seconds(search_time(ours))}; `random` {share(random)}."
        )
    header = ["program", "", "stress", "Node.fz", "ConFuzz", *(f"`{method.name}`" for method in METHODS), "schedules"]
    text = f"""\
Tables 4.3 and 4.4 of the thesis: the fraction of trials that found the bug, and the mean time of those that did. On the left the published columns
(30 trials of an hour at most), on the right ours: the plain program in a loop, random choices (what Node.fz does), the default. Our times are of the
search up to the bug. The programs are models of the published bugs on libuv, libevent and Asio, not the originals.

{table(header, lines)}

Figure 4.8: one order of all callbacks out of 6^(5n+10) fails; with the seeds {FRESH_SEED}, {FRESH_SEED + 1}, …

{scaling}
{example}
"""
    found = bars(rows, results, theirs) if rows else []
    return Section("Event-driven programs (ConFuzz)", text, found + scaling_bar(points), {"thesis_events.csv": csv})
