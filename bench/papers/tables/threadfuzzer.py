"""150 iterations per program and configuration: tables 1 and 2 of the ThreadFuzzer paper."""

from .. import published
from ..markdown import number, percent, table
from ..section import Bar, Section
from ..subjects import published_in
from ..work import NATIVE, Cell, Limit, Method

ORDER = 2
NAME = "threadfuzzer"

ITERATIONS = 150
CHEAPER = 1000  # times

# Theirs and ours. Delay bounding as they configure it, random delays of a deterministic scheduler, is our `delay`.
CONFIGURATIONS = (
    ("baseline", NATIVE),
    ("random", Method("random", "random")),
    ("systematic-first", Method("systematic-first", "systematic-first")),
    ("systematic-random", Method("systematic-random", "systematic-random")),
    ("delay-bounding", Method("delay-bound", "delay-bound")),
)
OURS = Method("portfolio", "portfolio")
METHODS = (*(method for _, method in CONFIGURATIONS), OURS)


def rows_of(subjects, plan):
    return [subject for subject in published_in("threadfuzzer", subjects) if plan.wants(subject)]


def cells(subjects, plan):
    limit = Limit(plan.budget, ITERATIONS)
    return [
        Cell(subject, method, 1, limit, keep_going=True) for subject in rows_of(subjects, plan) for method in METHODS
    ]


def violated(outcome):
    """Per cent of the runs that failed. A deadlock is a failure: we see it, they ran into their time-out."""
    return outcome.stats.get("percent_violated", 0.0) + outcome.stats.get("percent_deadlocked", 0.0)


def our_text(outcome):
    stats = outcome.stats
    if not stats:
        return outcome.note
    timed_out = stats["percent_timed_out"]
    text = percent(violated(outcome))
    if timed_out:
        text += f" + {percent(timed_out)} timed out"
    text += f", {number(stats['ms_per_schedule'])} ms"
    if "distinct" in stats:
        text += f", {stats['distinct']} of {outcome.schedules}"
    return text


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
        ours = [results.of(subject.name, method.name) for method in METHODS if not method.native]
        ours = [outcomes[0] for outcomes in ours if outcomes and outcomes[0].stats]
        if not ours:
            return []
        best = max(ours, key=violated)
        if violated(best) < best_published(name, cells_of):
            behind.append(f"{subject.name} ({percent(violated(best))} < {percent(best_published(name, cells_of))})")
        costs = [cells_of[name, configuration].ms for configuration, method in CONFIGURATIONS if not method.native]
        cheapest = min((cost for cost in costs if cost is not None), default=None)
        ours_ms = best.stats["ms_per_schedule"]
        if cheapest is not None and ours_ms * CHEAPER > cheapest:
            dear.append(f"{subject.name} ({number(cheapest / ours_ms)} times)")
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
    yield ["program", "published_name", "method", "iterations", "violated_percent", "deadlocked_percent"] + [
        "timed_out_percent",
        "ms_per_iteration",
        "unique_schedules",
    ]
    for subject in subjects:
        for method in METHODS:
            for o in results.of(subject.name, method.name):
                stats = o.stats
                names = ("percent_violated", "percent_deadlocked", "percent_timed_out", "ms_per_schedule", "distinct")
                yield [subject.name, subject.name_in("threadfuzzer"), method.name, o.schedules] + [
                    stats.get(name, "") for name in names
                ]


def section(subjects, results, plan):
    subjects = rows_of(subjects, plan)
    cells_of = published.threadfuzzer()
    rows = []
    for subject in subjects:
        name = subject.name_in("threadfuzzer")
        theirs = [their_text(cells_of[name, configuration]) for configuration, _ in CONFIGURATIONS]
        rows.append([f"`{subject.name}`", "published", *theirs, ""])
        ours = []
        for method in METHODS:
            outcomes = results.of(subject.name, method.name)
            ours.append(our_text(outcomes[0]) if outcomes else "")
        rows.append(["", "ours", *ours])
    header = ["program", "", *(configuration for configuration, _ in CONFIGURATIONS), "portfolio"]
    text = f"""\
Tables 1 and 2 of the ThreadFuzzer paper: {ITERATIONS} iterations of each configuration, how many of them failed, and what one costs. Each cell:
failing runs, runs that timed out, time per iteration, and (ours) different schedules of those that were run. Deadlocks count as failing here,
because jostle sees them; in the paper they are among those that timed out. A systematic search may end early because there is no further schedule. `baseline` is
the program alone; a hang is recognised after one second there. Ours are C programs, theirs C# ones with stop points at method calls only.

{table(header, rows)}
"""
    csv = {"threadfuzzer.csv": list(csv_rows(subjects, results))}
    return Section("Share of failing iterations (ThreadFuzzer)", text, bars(subjects, results, cells_of), csv)
