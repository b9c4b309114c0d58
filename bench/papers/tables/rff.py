# SPDX-License-Identifier: Apache-2.0
"""Schedules to the first bug: appendix B of the reads-from fuzzer paper, its figures 4 and 5."""

import math
import re

from .. import published
from ..markdown import number, table
from ..section import Bar, Section
from ..subjects import published_in
from ..survival import compare, restricted_mean, samples_of, summarise
from ..svg import Axis, Line, plot
from ..work import NATIVE, Cell, Limit, Method

ORDER = 1
NAME = "rff"

OURS = Method("portfolio", "portfolio")
NONE = Method("none", "none")
READS_FROM = Method("rff", "rff")
METHODS = (
    NATIVE,
    NONE,
    Method("random", "random"),
    Method("pct3", "pct:d=3"),
    Method("pos", "pos"),
    Method("ql", "ql"),
    Method("surw", "surw"),
    READS_FROM,
    OURS,
)
PUBLISHED = ("PCT3", "PERIOD", "RFF", "POS", "QLearningRF", "GenMC")
# Subjects whose schedules multiply with a number of threads; the bar is about them.
FAMILY = re.compile(r"(reorder|twostage)_\d+$")

# Figure 5: how often each combination of reads-from is visited.
FIGURE_5_PROGRAM = "safestack"
FIGURE_5_SCHEDULES = 10_000
FIGURE_5_METHODS = tuple(
    Method(f"{name}, for figure 5", name) for name in ("pos", "rff:feedback=off", "rff", "portfolio")
)


def rows_of(subjects, plan):
    return [subject for subject in published_in("rff", subjects) if plan.wants(subject)]


def cells(subjects, plan):
    baseline = Limit(plan.baseline_budget, plan.schedules)
    result = []
    for subject in rows_of(subjects, plan):
        for method in METHODS:
            if method is OURS:
                result.append(Cell(subject, method, plan.trials, Limit(plan.budget)))
            elif method is NONE:  # the same every time
                result.append(Cell(subject, method, 1, Limit(plan.baseline_budget, 2)))
            else:
                limit = Limit(plan.baseline_budget) if method is NATIVE else baseline
                trials = plan.trials if method is READS_FROM else plan.baseline_trials
                result.append(Cell(subject, method, trials, limit, give_up_after=plan.give_up_after))
        if subject.name == FIGURE_5_PROGRAM:
            limit = Limit(0, FIGURE_5_SCHEDULES)
            result += [Cell(subject, method, 1, limit, keep_going=True) for method in FIGURE_5_METHODS]
    return result


# --- the table ---------------------------------------------------------------------------------------


def summary_text(summary):
    if math.isnan(summary.mean):
        return f"- ({summary.missed})"
    missed = f" ({summary.missed} missed)" if summary.missed else ""
    return f"{number(summary.mean)} ± {number(summary.deviation)}{missed}"


def cell_text(samples, against=None):
    """As the paper prints it, with the number of misses instead of a star; ▲ and ▼: significantly more
    or fewer schedules than `against`."""
    if not samples:
        return ""
    summary = summarise(samples)
    text = summary_text(summary)
    if against and not math.isnan(summary.mean):
        text += {-1: " ▼", 0: "", 1: " ▲"}[compare(samples, against)]
    return text


def published_columns(subject, reads_from, surw):
    texts = [reads_from.get((subject.name_in("rff"), tool), published.NOTHING).text() for tool in PUBLISHED]
    return texts + [surw.get(subject.name_in("surw"), published.NOTHING).text()]


def comparison(subjects, samples):
    """How often each method differs from ours, by the log-rank test."""
    rows = []
    for method in METHODS:
        if method is OURS or method is NONE:
            continue
        verdicts = [
            compare(samples[subject.name, OURS.name], samples[subject.name, method.name])
            for subject in subjects
            if samples[subject.name, OURS.name] and samples[subject.name, method.name]
        ]
        counts = [str(verdicts.count(verdict)) for verdict in (-1, 0, 1)]
        rows.append([f"`{method.name}`", *counts])
    return table(["against", "portfolio needs fewer", "no difference", "portfolio needs more"], rows)


# --- figures -----------------------------------------------------------------------------------------


def cumulative(subjects, samples, method):
    """Points (schedules, bugs found by then), averaged over the trials."""
    gains = []
    for subject in subjects:
        trials = samples[subject.name, method]
        gains += [(sample.schedules, 1 / len(trials)) for sample in trials if sample.found]
    points, total = [(1, 0.0)], 0.0
    for schedules, gain in sorted(gains):
        total += gain
        points.append((schedules, total))
    return points


def cumulative_published(subjects, reads_from, tool):
    """Only means are published: a bug counts from its mean on."""
    cells_of_tool = [reads_from.get((subject.name_in("rff"), tool), published.NOTHING) for subject in subjects]
    points = [(1, 0)]
    for count, mean in enumerate(sorted(cell.mean for cell in cells_of_tool if cell.found), 1):
        points.append((max(mean, 1), count))
    return points


def figure_4(subjects, samples, reads_from):
    lines = [
        Line(method.name, cumulative(subjects, samples, method.name), steps=True)
        for method in reversed(METHODS)
        if method is not NONE
    ]
    lines += [
        Line(f"{tool} (published means)", cumulative_published(subjects, reads_from, tool), dashed=True, steps=True)
        for tool in ("RFF", "PERIOD", "POS", "PCT3")
    ]
    end = max(point[0] for line in lines for point in line.points)
    lines = [Line(l.name, [*l.points, (end, l.points[-1][1])], l.dashed, l.steps) for l in lines]
    x = Axis("schedules", 1, max(end, 10), logarithmic=True)
    y = Axis("bugs found (mean of the trials)", 0, len(subjects))
    return plot("Bugs found over schedules", x, y, lines)


def signature_counts(outcome):
    """How often each combination of reads-from was visited, most often first."""
    counts = []
    for visits, combinations in outcome.stats.get("rf_histogram", []):
        counts += [visits] * combinations
    return sorted(counts, reverse=True)


def figure_5(results):
    lines, rows = [], []
    for method in FIGURE_5_METHODS:
        outcomes = results.of(FIGURE_5_PROGRAM, method.name)
        if not outcomes:
            continue
        outcome = outcomes[0]
        counts = signature_counts(outcome)
        if not counts:
            continue
        lines.append(Line(method.strategy, list(enumerate(counts, 1))))
        entropy = outcome.stats["rf_entropy_bits"]
        rows.append(
            [f"`{method.strategy}`", f"{len(counts):,}", f"{100 * counts[0] / sum(counts):.1f} %", f"{entropy:.2f}"]
        )
    if not lines:
        return "", ""
    x = Axis("combinations of reads-from, most frequent first", 1, max(len(l.points) for l in lines) + 1, True)
    y = Axis("how often visited", 1, max(l.points[0][1] for l in lines) + 1, True)
    title = f"Reads-from combinations of {FIGURE_5_PROGRAM} in {FIGURE_5_SCHEDULES:,} schedules"
    text = table(["strategy", "different combinations", "share of the commonest", "entropy (bits)"], rows)
    return text, plot(title, x, y, lines)


# --- bars --------------------------------------------------------------------------------------------


def within_one(samples, reference):
    """At most one schedule more than the published mean; where nothing was found, finding it at all."""
    summary = summarise(samples)
    if math.isnan(summary.mean):
        return False
    if not reference.found:
        return True
    return summary.missed == 0 and summary.mean <= reference.mean + 1


def bars(subjects, samples, reads_from):
    ours = {subject.name: samples[subject.name, OURS.name] for subject in subjects}
    if not all(ours.values()):
        return []
    missed = [name for name, trials in ours.items() if summarise(trials).missed]
    behind = [
        subject.name
        for subject in subjects
        if not within_one(ours[subject.name], reads_from[subject.name_in("rff"), "RFF"])
    ]
    family = [subject.name for subject in subjects if FAMILY.match(subject.name)]
    not_ahead = [
        f"{name} ({rival})"
        for name in family
        for rival in ("pos", "pct3")
        if restricted_mean(ours[name]) >= restricted_mean(samples[name, rival])
    ]
    count = len(subjects)

    def listed(names):
        return ", ".join(names) if names else "none"

    return [
        Bar(
            "rff: programs that the portfolio finds in every trial",
            "≥ 47 of 49",
            f"{count - len(missed)} of {count}; not: {listed(missed)}",
            count - len(missed) >= 47,
        ),
        Bar(
            "rff: programs with a mean of at most published RFF + 1",
            "≥ 40 of 49",
            f"{count - len(behind)} of {count}; not: {listed(behind)}",
            count - len(behind) >= 40,
        ),
        Bar(
            "rff: ahead of our POS and PCT on every member of reorder_N and twostage_N",
            "all",
            f"not ahead: {listed(not_ahead)}",
            not not_ahead,
        ),
    ]


def losses(subjects, samples, reads_from):
    """The programs on which we need more schedules than published RFF + 1, worst first. POS beside it
    says how much of that is the program: it is the same algorithm here and there."""
    rows = []
    for subject in subjects:
        reference = reads_from[subject.name_in("rff"), "RFF"]
        pos = reads_from[subject.name_in("rff"), "POS"]
        trials = samples[subject.name, OURS.name]
        if not trials or within_one(trials, reference):
            continue
        factor = restricted_mean(trials) / reference.mean if reference.found else math.inf
        best = min(
            (m for m in METHODS if not m.native and samples[subject.name, m.name]),
            key=lambda m: restricted_mean(samples[subject.name, m.name], 1e9),
        )
        best_text = f"`{best.name}` {cell_text(samples[subject.name, best.name])}"
        pos_texts = [pos.text(), cell_text(samples[subject.name, "pos"])]
        rows.append((factor, [f"`{subject.name}`", reference.text(), cell_text(trials), *pos_texts, best_text]))
    rows.sort(key=lambda row: -row[0])
    if not rows:
        return "Nowhere.\n"
    header = ["program", "published RFF", "portfolio", "published POS", "our `pos`", "best of ours"]
    return table(header, [row for _, row in rows])


# --- the whole ---------------------------------------------------------------------------------------


def csv_rows(subjects, samples, results, reads_from):
    yield ["program", "published_name", "method", "trials", "missed", "mean", "stddev", "restricted_mean", "published_rff"]
    for subject in subjects:
        for method in METHODS:
            trials = samples[subject.name, method.name]
            if not trials:
                continue
            summary = summarise(trials)
            numbers = [summary.mean, summary.deviation, restricted_mean(trials)]
            texts = ["" if math.isnan(value) else f"{value:.2f}" for value in numbers]
            name = subject.name_in("rff")
            published_rff = reads_from[name, "RFF"].text()
            yield [subject.name, name, method.name, summary.trials, summary.missed, *texts, published_rff]


def trial_rows(subjects, results):
    yield ["program", "method", "seed", "found_at", "schedules", "search_s", "wall_s", "note"]
    for subject in subjects:
        for method in METHODS:
            for o in results.of(subject.name, method.name):
                times = [f"{o.search_s:.4f}", f"{o.wall_s:.4f}"]
                yield [subject.name, method.name, o.seed, o.found_at or "", o.schedules, *times, o.note]


def section(subjects, results, plan):
    subjects = rows_of(subjects, plan)
    reads_from, surw = published.reads_from_fuzzer(), published.surw()
    samples = {
        (subject.name, method.name): samples_of(results.of(subject.name, method.name))
        for subject in subjects
        for method in METHODS
    }
    rows = []
    for subject in subjects:
        ours = samples[subject.name, OURS.name]
        texts = [
            cell_text(samples[subject.name, method.name], None if method in (OURS, NONE) else ours) for method in METHODS
        ]
        rows.append([f"`{subject.name}`", *published_columns(subject, reads_from, surw), *texts])
    figure_5_table, figure_5_plot = figure_5(results)
    header = ["program", *PUBLISHED, "SURW", *(f"`{method.name}`" for method in METHODS)]
    text = f"""\
Appendix B of the reads-from fuzzer paper: how many schedules it takes to the first bug, mean ± standard deviation of the trials
that found it. On the left the published figures of the originals (`*`: some trials missed it, `-`: all did, error: the tool does
not run on it), from SURW's paper where it has the program; on the right (lower case) ours, with the number of
trials that missed. ▲, ▼: significantly more, fewer schedules than the portfolio by the log-rank test (p < 0.05), which counts
trials that missed as what they are. `native` is the program built without jostle in a loop; `none` runs one schedule without
preemption. With few trials of a method only large differences are to be believed, whatever the test says. A baseline that misses in its first {plan.give_up_after} trials is not tried again.

{table(header, rows)}
### Is the difference significant?

Programs on which the portfolio and another method of ours differ by the log-rank test.

{comparison(subjects, samples)}
### Bugs over schedules (figure 4)

![Bugs found over schedules](plots/rff-figure-4.svg)

Solid: our strategies, means over all trials. Dashed: the published tools, of which only means per program are known.

### Where we need more than published RFF + 1

{losses(subjects, samples, reads_from)}
"""
    plots = {"rff-figure-4.svg": figure_4(subjects, samples, reads_from)}
    if figure_5_plot:
        text += f"""\
### How evenly are combinations of reads-from visited? (figure 5)

![Reads-from combinations](plots/rff-figure-5.svg)

{figure_5_table}
"""
        plots["rff-figure-5.svg"] = figure_5_plot
    csv = {
        "rff.csv": list(csv_rows(subjects, samples, results, reads_from)),
        "rff-trials.csv": list(trial_rows(subjects, results)),
    }
    return Section("Schedules to the first bug (reads-from fuzzer)", text, bars(subjects, samples, reads_from), csv, plots)
