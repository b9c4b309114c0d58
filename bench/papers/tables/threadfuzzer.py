# SPDX-License-Identifier: Apache-2.0
"""150 iterations per program and configuration: tables 1 and 2 of the ThreadFuzzer paper."""

from dataclasses import dataclass
from statistics import fmean

from .. import published
from ..markdown import number, percent, table
from ..section import Bar, Section
from ..subjects import published_in
from ..work import NATIVE, Cell, Limit, Method

ORDER = 2
NAME = "threadfuzzer"

ITERATIONS = 150
CHEAPER = 1000  # times
# Five times 150 iterations, with other seeds: one time is right only within four per cent. The time of an
# iteration is that of the fastest campaign: whatever else the machine does makes it slower, never faster.
TRIALS = 5

# Theirs and ours.
CONFIGURATIONS = (
    ("baseline", NATIVE),
    ("random", Method("random", "random")),
    ("systematic-first", Method("systematic-first", "systematic-first")),
    ("systematic-random", Method("systematic-random", "systematic-random")),
    ("delay-bounding", Method("delay-bound", "delay-bound")),
)
# Those that spread their runs over the schedules, and the default, which looks elsewhere once it has seen a failure.
OURS = tuple(Method(name, name) for name in ("pos", "urw", "surw", "portfolio"))
METHODS = (*(method for _, method in CONFIGURATIONS), *OURS)


def rows_of(subjects, plan):
    return [subject for subject in published_in("threadfuzzer", subjects) if plan.wants(subject)]


def cells(subjects, plan):
    limit = Limit(plan.budget, ITERATIONS)
    return [
        Cell(subject, method, min(plan.trials, TRIALS), limit, keep_going=True)
        for subject in rows_of(subjects, plan)
        for method in METHODS
    ]


@dataclass(frozen=True)
class Ours:
    """Means over the trials of a cell, but the smallest time."""

    iterations: float
    violated: float  # per cent; a deadlock is a failure: we see it, they ran into their time-out
    timed_out: float  # per cent
    ms: float  # per iteration
    unique: float  # schedules; None: not known

    def text(self):
        text = percent(self.violated)
        if self.timed_out:
            text += f" + {percent(self.timed_out)} timed out"
        text += f", {number(self.ms)} ms"
        return text if self.unique is None else f"{text}, {self.unique:.0f} of {self.iterations:.0f}"


def means(outcomes):
    """None if there are no figures."""
    outcomes = [outcome for outcome in outcomes if outcome.stats]
    if not outcomes:
        return None

    def mean(name):
        return fmean(outcome.stats[name] for outcome in outcomes)

    return Ours(
        fmean(outcome.schedules for outcome in outcomes),
        mean("percent_violated") + mean("percent_deadlocked"),
        mean("percent_timed_out"),
        min(outcome.stats["ms_per_schedule"] for outcome in outcomes),
        mean("distinct") if all("distinct" in outcome.stats for outcome in outcomes) else None,
    )


def their_text(cell):
    text = percent(cell.violated)
    if cell.timed_out:
        text += f" + {percent(cell.timed_out)} timed out"
    return text + (f", {number(cell.ms)} ms" if cell.ms is not None else "")


def best_published(name, cells_of):
    return max(cells_of[name, configuration].violated for configuration, _ in CONFIGURATIONS)


def bars(subjects, results, cells_of):
    behind, dear = [], []
    for subject in subjects:
        name = subject.name_in("threadfuzzer")
        ours = [means(results.of(subject.name, method.name)) for method in METHODS if not method.native]
        ours = [cell for cell in ours if cell is not None]
        if not ours:
            return []
        best = max(ours, key=lambda cell: cell.violated)
        wanted = best_published(name, cells_of)
        if best.violated < wanted:
            behind.append(f"{subject.name} ({percent(best.violated)} < {percent(wanted)})")
        costs = [cells_of[name, configuration].ms for configuration, method in CONFIGURATIONS if not method.native]
        cheapest = min((cost for cost in costs if cost is not None), default=None)
        if cheapest is not None and best.ms * CHEAPER > cheapest:
            dear.append(f"{subject.name} ({number(cheapest / best.ms)} times)")
    count = len(subjects)
    return [
        Bar(
            "threadfuzzer: violated % of our best configuration at least that of the best published one",
            "every row",
            f"{count - len(behind)} of {count}" + (f"; not: {', '.join(behind)}" if behind else ""),
            not behind,
        ),
        Bar(
            f"threadfuzzer: cost per iteration of that configuration {CHEAPER:,} times below their cheapest one",
            "every row",
            f"{count - len(dear)} of {count}" + (f"; not: {', '.join(dear)}" if dear else ""),
            not dear,
        ),
    ]


def csv_rows(subjects, results):
    yield ["program", "published_name", "method", "seed", "iterations", "violated_percent"] + [
        "deadlocked_percent",
        "timed_out_percent",
        "ms_per_iteration",
        "unique_schedules",
    ]
    for subject in subjects:
        for method in METHODS:
            for o in results.of(subject.name, method.name):
                stats = o.stats
                names = ("percent_violated", "percent_deadlocked", "percent_timed_out", "ms_per_schedule", "distinct")
                yield [subject.name, subject.name_in("threadfuzzer"), method.name, o.seed, o.schedules] + [
                    stats.get(name, "") for name in names
                ]


def section(subjects, results, plan):
    subjects = rows_of(subjects, plan)
    cells_of = published.threadfuzzer()
    rows = []
    for subject in subjects:
        name = subject.name_in("threadfuzzer")
        theirs = [their_text(cells_of[name, configuration]) for configuration, _ in CONFIGURATIONS]
        rows.append([f"`{subject.name}`", "published", *theirs, *("" for _ in OURS)])
        ours = []
        for method in METHODS:
            cell = means(results.of(subject.name, method.name))
            ours.append(cell.text() if cell else "")
        rows.append(["", "ours", *ours])
    header = ["program", "", *(configuration for configuration, _ in CONFIGURATIONS), *(method.name for method in OURS)]
    text = f"""\
Tables 1 and 2 of the ThreadFuzzer paper: {ITERATIONS} iterations of each configuration, how many of them failed, and what one costs; ours
are means of {min(plan.trials, TRIALS)} such campaigns (the smallest of the times: the machine had other work, too). Each cell:
failing runs, runs that timed out, time per iteration, and (ours) different schedules of those that were run. Deadlocks count as failing here,
because jostle sees them; in the paper they are among those that timed out. A systematic search may end early because there is no further schedule. `baseline` is
the program alone; a hang is recognised after one second there. Ours are C programs, theirs C# ones with stop points at method calls only.

{table(header, rows)}
"""
    csv = {"threadfuzzer.csv": list(csv_rows(subjects, results))}
    return Section("Share of failing iterations (ThreadFuzzer)", text, bars(subjects, results, cells_of), csv)
