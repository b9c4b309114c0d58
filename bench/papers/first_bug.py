# SPDX-License-Identifier: Apache-2.0
"""How many schedules to the first bug, against the bars of the search.

Some subjects of the reads-from fuzzer paper, each with every strategy, once per seed; a trial ends at the first failure
or when its time is up. The whole table, with significance and figures, is `./dev bench papers --only rff`; this is for an
hour's work on the search. What was run before with the same runtime is not run again.
"""

import argparse
import math
import re
import sys

from . import places, published
from .markdown import number, tick
from .plan import read_duration
from .runner import run_cells
from .store import Store
from .subjects import read_manifest
from .survival import samples_of, summarise
from .tables.rff import PUBLISHED, published_columns, summary_text
from .work import Cell, Limit, Method

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
DEFAULT_STRATEGIES = "rff,portfolio,pos,pct:d=3,surw,random"


def reaches(summary, bar):
    return summary.missed == 0 and summary.mean <= bar


def print_table(header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def print_results(subjects, strategies, summaries):
    print("\nschedules to the first bug (published | ours)\n")
    reads_from, surw = published.reads_from_fuzzer(), published.surw()
    rows = []
    for subject in subjects:
        theirs = published_columns(subject, reads_from, surw)
        rows.append([subject.name, *theirs, "|", *(summary_text(summaries[subject.name, name]) for name in strategies)])
    print_table(["subject", *PUBLISHED, "SURW", "|", *strategies], rows)


def bars_of_rff(names, summaries):
    of = {name: summaries[name, BAR_STRATEGY] for name in names}
    for name, summary in of.items():
        if BARS[name] is not None:
            yield f"{name}: {BAR_STRATEGY}", f"<= {BARS[name]}", summary_text(summary), reaches(summary, BARS[name])
    means = [of[name].mean for name in names if name.startswith("reorder_")]
    if len(means) > 1:
        ratio = math.inf if any(map(math.isnan, means)) else max(means) / min(means)
        yield "reorder_*: largest mean / smallest", f"<= {FLAT_WITHIN:g}", f"{ratio:.2f}", ratio <= FLAT_WITHIN


def bars_of_portfolio(names, strategies, summaries):
    for name in names:
        if BARS[name] is None:
            continue
        others = [summaries[name, strategy] for strategy in strategies if strategy != PORTFOLIO]
        bar = PORTFOLIO_WITHIN * min((other.mean for other in others if other.missed == 0), default=math.inf)
        summary = summaries[name, PORTFOLIO]
        wanted = f"<= {number(bar)}" if bar < math.inf else "no miss"
        yield f"{name}: {PORTFOLIO}", wanted, summary_text(summary), reaches(summary, bar)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench rff", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--strategies", default=DEFAULT_STRATEGIES, help=f"comma-separated (default {DEFAULT_STRATEGIES})")
    add("--seeds", type=int, default=20, help="trials of each, with seeds 1, 2, … (default 20)")
    add("--subjects", default=".", metavar="REGEX", help="only those whose name matches")
    add("--time", type=read_duration, default="10s", help="of one trial (default 10s)")
    add("--safestack-time", type=read_duration, default="30s", help="of one trial of safestack (default 30s)")
    add("--safestack-seeds", type=int, default=3, help="trials of safestack (default 3; 0: leave it out)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    strategies = arguments.strategies.split(",")
    known = read_manifest()
    names = [name for name in BARS if re.search(arguments.subjects, name)]
    if arguments.safestack_seeds == 0:
        names = [name for name in names if name != "safestack"]
    subjects = [subject for name in names for subject in known if subject.name == name]
    if not subjects:
        sys.exit("rff: nothing to do: no such subject")
    cells = []
    for subject in subjects:
        trials, seconds = arguments.seeds, arguments.time
        if subject.name == "safestack":
            trials, seconds = min(trials, arguments.safestack_seeds), arguments.safestack_time
        cells += [Cell(subject, Method(name, name), trials, Limit(seconds)) for name in strategies]
    results = run_cells("rff", cells, Store(places.RESULTS / "trials.jsonl"))
    names = [subject.name for subject in subjects]
    summaries = {
        (name, strategy): summarise(samples_of(results.of(name, strategy))) for name in names for strategy in strategies
    }
    print_results(subjects, strategies, summaries)
    bars = list(bars_of_rff(names, summaries)) if BAR_STRATEGY in strategies else []
    if PORTFOLIO in strategies:
        bars += bars_of_portfolio(names, strategies, summaries)
    if not bars:
        print(f"\nno bars: neither {BAR_STRATEGY} nor {PORTFOLIO} was run")
        return 0
    print()
    print_table(["bar", "wanted", "got", ""], [[*bar[:3], tick(bar[3])] for bar in bars])
    missed = sum(not bar[3] for bar in bars)
    print(f"\n{len(bars) - missed} of {len(bars)} bars reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
