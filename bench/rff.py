# SPDX-License-Identifier: Apache-2.0
"""How many schedules jostle needs to the first bug, beside the published figures.

Every subject is searched with every strategy, once per seed; a trial is one `jostle fuzz` that ends at
the first failure or when its time is up. Tables go to stdout, progress to stderr, and two CSV files
(one line per cell, one per trial) to the output folder.

Means and deviations are over the trials that found the bug, as in the paper.
"""

import argparse
import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
JOSTLE = BUILD / "bin" / "jostle"
DATA = ROOT / "bench" / "data"

# What rff has to reach: the mean number of schedules to the first bug, and no miss. These are the
# paper's own figures for its tool; where it says 1 or 2 for a bug that some of the schedules show
# whatever the strategy, it is 3. None: no bar, the figure is of interest all the same.
BARS = {
    "reorder_3": 7,
    "reorder_4": 7,
    "reorder_5": 7,
    "reorder_10": 7,
    "reorder_20": 7,
    "reorder_50": 7,
    "reorder_100": 7,
    "twostage_20": 22,
    "twostage_50": 35,
    "twostage_100": 56,
    "bluetooth_driver": 45,
    "stringbuffer": 15,
    "lazy01": 6,
    "work_steal_queue": 10,
    "cve_2017_15265": 36,
    "account": 3,
    "queue": 3,
    "wronglock": 3,
    "circular_buffer": 3,
    "stack": 3,
    "safestack": None,
}
BAR_STRATEGY = "rff"
PORTFOLIO = "portfolio"
# reorder_N with 3 and with 100 threads should cost the same; this much more is noise of 20 trials.
FLAT_WITHIN = 2.0
# The portfolio does not know which of its strategies is the right one.
PORTFOLIO_WITHIN = 2.0
# Below this many schedules starting the program is all that would be measured.
ENOUGH_FOR_A_RATE = 1000

DEFAULT_STRATEGIES = "rff,portfolio,pos,pct:d=3,surw,random"
PUBLISHED_TOOLS = ("RFF", "POS", "PCT3", "QLearningRF")


def say(text):
    print(text, file=sys.stderr, flush=True)


# --- what is known -----------------------------------------------------------------------------------


def read_csv(path):
    """Rows as dictionaries; lines that begin with # say where the figures are from."""
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def published_cells(manifest):
    """{subject: {column: text}}, written as the papers do: `*` some trials missed, `-` all did."""
    reads_from = {}
    for row in read_csv(DATA / "reads-from-fuzzer.csv"):
        if row["status"] == "found":
            star = "*" if row["some_trials_missed"] == "1" else ""
            text = f"{row['mean_schedules']} ± {row['stddev']}{star}"
        else:
            text = "-"
        reads_from[row["program"], row["tool"]] = text
    surw = {row["program"]: row["SURW"] for row in read_csv(DATA / "surw.csv")}
    cells = {}
    for name, row in manifest.items():
        cells[name] = {tool: reads_from.get((row["rff"], tool), "") for tool in PUBLISHED_TOOLS}
        cells[name]["SURW"] = surw.get(row["surw"], "")
    return cells


def known_strategies():
    listing = subprocess.run([JOSTLE, "strategies"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in listing.splitlines() if line and not line[0].isspace()}


# --- trials ------------------------------------------------------------------------------------------


@dataclass
class Trial:
    subject: str
    strategy: str
    seed: int
    found_at: int = 0  # 0: missed
    schedules: int = 0
    seconds: float = 0.0
    note: str = ""


def fuzz(subject, strategy, seed, options):
    """One campaign: its statistics (None when there are none) and what it wrote to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        command = [JOSTLE, "fuzz", "--seed", str(seed), "--strategy", strategy, "--json", "--quiet"]
        command += ["--minimize", "off"]
        command += ["-o", folder, *options, "--", BUILD / "subjects" / subject]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    try:
        return json.loads(done.stdout), done.stderr
    except json.JSONDecodeError:
        return None, done.stderr


def run_trial(subject, expected_kinds, strategy, seed, time):
    trial = Trial(subject, strategy, seed)
    stats, errors = fuzz(subject, strategy, seed, ["--time", time])
    if stats is None:
        trial.note = errors.strip().splitlines()[-1] if errors.strip() else "no statistics"
        return trial
    trial.schedules = stats["schedules"]
    trial.seconds = stats["elapsed_s"]
    kinds = stats["failures_by_kind"]
    if any(kind in expected_kinds for kind in kinds):
        trial.found_at = stats["first_failure_at"]
    elif kinds:
        trial.note = f"found {', '.join(kinds)} instead of {' or '.join(expected_kinds)}"
    elif stats["first_failure_at"]:
        trial.note = "a failure that did not show again"
    return trial


def run_all(work, jobs):
    """work: a list of argument tuples for run_trial."""
    trials = []
    with ThreadPoolExecutor(jobs) as pool:
        for trial in pool.map(lambda arguments: run_trial(*arguments), work):
            trials.append(trial)
            result = f"after {trial.found_at}" if trial.found_at else "missed"
            note = f"  ({trial.note})" if trial.note else ""
            say(
                f"[{len(trials)}/{len(work)}] {trial.subject} {trial.strategy} "
                f"seed {trial.seed}: {result}{note}"
            )
    return trials


def number(value):
    """Small numbers with a decimal, so that a verdict next to them can be understood."""
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


@dataclass
class Cell:
    """All trials of one subject with one strategy."""

    trials: list

    def __post_init__(self):
        found = [trial.found_at for trial in self.trials if trial.found_at]
        self.missed = len(self.trials) - len(found)
        self.mean = statistics.mean(found) if found else None
        self.deviation = statistics.stdev(found) if len(found) > 1 else 0.0
        schedules = sum(trial.schedules for trial in self.trials)
        seconds = sum(trial.seconds for trial in self.trials)
        enough = schedules >= ENOUGH_FOR_A_RATE and seconds > 0
        self.rate = schedules / seconds if enough else None

    def text(self):
        if self.mean is None:
            return "-"
        missed = f" ({self.missed} missed)" if self.missed else ""
        return f"{number(self.mean)} ± {number(self.deviation)}{missed}"

    def reaches(self, bar):
        return self.mean is not None and self.missed == 0 and self.mean <= bar


# --- tables ------------------------------------------------------------------------------------------


def print_table(header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def print_results(cells, subjects, strategies, published):
    print("\nschedules to the first bug (published | ours)\n")
    columns = (*PUBLISHED_TOOLS, "SURW")
    rows = []
    for subject in subjects:
        ours = [cells[subject, strategy].text() for strategy in strategies]
        rows.append([subject, *(published[subject][column] for column in columns), "|", *ours])
    print_table(["subject", *columns, "|", *strategies], rows)

    print("\nschedules per second (of trials with enough of them)\n")
    rows = []
    for subject in subjects:
        rates = [cells[subject, strategy].rate for strategy in strategies]
        rows.append([subject, *(f"{rate:,.0f}" if rate else "" for rate in rates)])
    print_table(["subject", *strategies], rows)


def tick(reached):
    return "✓" if reached else "✗"


def print_bars(cells, subjects, strategies):
    """The verdicts; returns how many bars were missed."""
    rows = []
    if BAR_STRATEGY in strategies:
        for subject in subjects:
            bar = BARS[subject]
            if bar is None:
                continue
            cell = cells[subject, BAR_STRATEGY]
            rows.append([f"{subject}: {BAR_STRATEGY}", f"<= {bar}", cell.text(), tick(cell.reaches(bar))])
        means = {s: cells[s, BAR_STRATEGY].mean for s in subjects if s.startswith("reorder_")}
        if len(means) > 1:
            known = [mean for mean in means.values() if mean is not None]
            ratio = max(known) / min(known) if len(known) == len(means) else math.inf
            what = "reorder_*: largest mean / smallest"
            rows.append([what, f"<= {FLAT_WITHIN:g}", f"{ratio:.2f}", tick(ratio <= FLAT_WITHIN)])
    singles = [strategy for strategy in strategies if strategy != PORTFOLIO]
    if PORTFOLIO in strategies:
        for subject in subjects:
            if BARS[subject] is None:
                continue
            cell = cells[subject, PORTFOLIO]
            others = [cells[subject, single] for single in singles]
            best = min((other.mean for other in others if other.missed == 0), default=math.inf)
            bar = PORTFOLIO_WITHIN * best
            wanted = f"<= {number(bar)}" if bar < math.inf else "no miss"
            rows.append([f"{subject}: {PORTFOLIO}", wanted, cell.text(), tick(cell.reaches(bar))])
    if not rows:
        print(f"\nno bars: neither {BAR_STRATEGY} nor {PORTFOLIO} was run")
        return 0
    print()
    print_table(["bar", "wanted", "got", ""], rows)
    missed = sum(row[-1] == tick(False) for row in rows)
    print(f"\n{len(rows) - missed} of {len(rows)} bars reached")
    return missed


def print_signatures(strategies, schedules):
    """How evenly the reads-from combinations of safestack are visited (figure 5 of the paper).

    The share of the commonest one, and the entropy: more is more even.
    """
    print(f"\nreads-from combinations of safestack in {schedules:,} schedules\n")
    rows = []
    for strategy in strategies:
        stats, _ = fuzz("safestack", strategy, 1, ["--schedules", str(schedules), "--keep-going"])
        if stats is None:
            continue
        different = stats.get("unique_rf_signatures")
        share, entropy = stats["rf_commonest_share"], stats["rf_entropy_bits"]
        most = math.log2(stats["schedules"])
        rows.append([strategy, f"{different:,}", f"{share:.1%}", f"{entropy:.2f} of {most:.2f}"])
    print_table(["strategy", "different", "commonest", "entropy (bits)"], rows)


def write_csv(folder, cells, published):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "rff.csv", "w", newline="") as file:
        writer = csv.writer(file)
        header = ["subject", "strategy", "mean_schedules", "stddev", "trials", "missed", "schedules_per_s"]
        writer.writerow([*header, "published_rff", "bar"])
        for (subject, strategy), cell in cells.items():
            numbers = ["", ""] if cell.mean is None else [f"{cell.mean:.2f}", f"{cell.deviation:.2f}"]
            rate = f"{cell.rate:.0f}" if cell.rate else ""
            ours = [subject, strategy, *numbers, len(cell.trials), cell.missed, rate]
            writer.writerow([*ours, published[subject]["RFF"], BARS[subject] or ""])
    with open(folder / "rff-trials.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["subject", "strategy", "seed", "found_at", "schedules", "seconds", "note"])
        for cell in cells.values():
            for t in cell.trials:
                found_at = t.found_at or ""
                writer.writerow([t.subject, t.strategy, t.seed, found_at, t.schedules, t.seconds, t.note])
    say(f"written: {folder}/rff.csv and rff-trials.csv")


# --- the whole ---------------------------------------------------------------------------------------


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench rff", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--strategies", default=DEFAULT_STRATEGIES, help=f"comma-separated (default {DEFAULT_STRATEGIES})")
    add("--seeds", type=int, default=20, help="trials of each, with seeds 1, 2, … (default 20)")
    add("--subjects", default=".", metavar="REGEX", help="only those whose name matches")
    add("--time", default="10s", help="of one trial (default 10s)")
    add("--safestack-time", default="30s", help="of one trial of safestack (default 30s)")
    add("--safestack-seeds", type=int, default=3, help="trials of safestack (default 3; 0: leave it out)")
    add(
        "--signatures",
        type=int,
        default=10000,
        metavar="N",
        help="schedules for safestack's reads-from combinations; 0: leave them out (default 10000)",
    )
    add("--jobs", type=int, default=os.cpu_count(), help="trials at once (default: one per processor)")
    add("--output", type=Path, default=BUILD / "bench", metavar="DIR", help="where the CSV files go")
    return parser.parse_args()


def choose_strategies(wanted):
    known = known_strategies()
    chosen = []
    for strategy in wanted.split(","):
        if strategy.split(":")[0] in known:
            chosen.append(strategy)
        else:
            say(f"left out: this jostle has no strategy {strategy}")
    return chosen


def main():
    arguments = parse_arguments()
    strategies = choose_strategies(arguments.strategies)
    subjects = [name for name in BARS if re.search(arguments.subjects, name)]
    if arguments.safestack_seeds == 0 and "safestack" in subjects:
        subjects.remove("safestack")
    if not strategies or not subjects:
        sys.exit("rff: nothing to do: no such strategy, or no such subject")
    manifest = {row["name"]: row for row in read_csv(ROOT / "subjects" / "manifest.csv")}
    published = published_cells({name: manifest[name] for name in subjects})

    work = []
    for subject in subjects:
        own = subject == "safestack"
        seeds = min(arguments.seeds, arguments.safestack_seeds) if own else arguments.seeds
        time = arguments.safestack_time if own else arguments.time
        for strategy in strategies:
            for seed in range(1, seeds + 1):
                work.append((subject, manifest[subject]["kind"].split("|"), strategy, seed, time))
    trials = run_all(work, arguments.jobs)
    cells = {}
    for trial in trials:
        cells.setdefault((trial.subject, trial.strategy), []).append(trial)
    cells = {key: Cell(list_of_trials) for key, list_of_trials in cells.items()}

    print_results(cells, subjects, strategies, published)
    missed = print_bars(cells, subjects, strategies)
    if "safestack" in subjects and arguments.signatures > 0:
        print_signatures([s for s in strategies if s in (BAR_STRATEGY, "pos")], arguments.signatures)
    write_csv(arguments.output, cells, published)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
