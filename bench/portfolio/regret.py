# SPDX-License-Identifier: Apache-2.0
"""Tables: schedules to the first failure with every member, and what the portfolio needs over the best of them.

A trial that missed is censored at its limit: means are areas below the Kaplan-Meier curve (papers/survival.py).
"""

import csv
import math
import statistics
import sys

from papers.survival import Sample, restricted_mean

from . import programs

PORTFOLIO = "portfolio"
WANTED = 1.5


class Cell:
    """All trials of a program, built at a level, with a strategy."""

    def __init__(self, trials, limit):
        self.missed = sum(1 for trial in trials if not trial.found_at)
        samples = [Sample(t.found_at, True) if t.found_at else Sample(max(t.schedules, 1), False) for t in trials]
        self.all_missed = self.missed == len(trials)
        self.mean = restricted_mean(samples, limit) if not self.all_missed else math.inf
        # Half of the trials cost less: one that was disturbed says nothing.
        self.processor = statistics.median(trial.processor for trial in trials)
        self.error = statistics.stdev(s.schedules for s in samples) / math.sqrt(len(samples)) if len(samples) > 1 else 0

    def text(self):
        if self.all_missed:
            return "-"
        mean = f"{self.mean:.1f}" if self.mean < 100 else f"{self.mean:,.0f}"
        return mean + (f" ({self.missed})" if self.missed else "")


class Row:
    def __init__(self, program, level, cells):
        self.program, self.level, self.cells = program, level, cells
        members = {name: cell for name, cell in cells.items() if name != PORTFOLIO}
        self.best = min(members, key=lambda name: members[name].mean, default=None)
        self.regret = math.nan
        if self.best and PORTFOLIO in cells and not members[self.best].all_missed:
            self.regret = cells[PORTFOLIO].mean / members[self.best].mean
        self.cost = math.nan
        if self.best and PORTFOLIO in cells:
            cheapest = min((c.processor for c in members.values() if not c.missed), default=math.nan)
            self.cost = cells[PORTFOLIO].processor / cheapest


def measure(store, set_name, level, strategies, seeds, limit, pattern, say):
    rows = []
    for program in programs.programs_of(set_name):
        if not pattern.search(program.name):
            continue
        programs.build(program, level)
        cells = {}
        for strategy in strategies:
            trials = [store.run(program, level, strategy, seed, limit) for seed in range(1, seeds + 1)]
            for note in {trial.note for trial in trials if trial.note}:
                say(f"{program.name} {level} {strategy}: {note}")
            cells[strategy] = Cell(trials, limit)
        rows.append(Row(program, level, cells))
        row = rows[-1]
        say(f"{level} {program.name}: " + ", ".join(f"{name} {cell.text()}" for name, cell in cells.items()))
    return rows


def geometric_mean(values):
    values = [value for value in values if value > 0 and not math.isinf(value)]
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else math.nan


def print_table(header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def print_rows(rows, strategies):
    lines = []
    for row in sorted(rows, key=lambda row: -row.regret if not math.isnan(row.regret) else 0):
        cells = [row.cells[strategy].text() for strategy in strategies]
        lines.append([row.program.name, *cells, row.best or "", f"{row.regret:.2f}", f"{row.cost:.2f}"])
    print_table(["program", *strategies, "best", "regret", "time"], lines)


def summarise(title, rows):
    """One line; whether every regret is within the bar."""
    regrets = [row.regret for row in rows if not math.isnan(row.regret)]
    if not regrets:
        return True
    within = sum(1 for regret in regrets if regret <= WANTED)
    missed = sum(row.cells[PORTFOLIO].missed for row in rows)
    print(
        f"{title}: regret {geometric_mean(regrets):.2f} (geometric mean), {max(regrets):.2f} at most; "
        f"{within} of {len(regrets)} programs within {WANTED}; portfolio missed in {missed} trials; "
        f"processor time over the cheapest member's {geometric_mean([row.cost for row in rows]):.2f}"
    )
    sys.stdout.flush()
    return within == len(regrets)


def write_csv(path, rows, strategies):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["set", "level", "program", "strategy", "mean_schedules", "missed", "processor_s"])
        for row in rows:
            for strategy in strategies:
                cell = row.cells[strategy]
                where = [row.program.set_name, row.level, row.program.name, strategy]
                writer.writerow([*where, f"{cell.mean:.2f}", cell.missed, f"{cell.processor:.4f}"])
