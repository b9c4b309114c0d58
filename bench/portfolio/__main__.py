# SPDX-License-Identifier: Apache-2.0
"""The default strategy against the best of its members, and injected bugs over runs."""

import argparse
import re
import sys
from pathlib import Path

from . import injected, programs, regret, trials

MEMBERS = "random,pos,pct:d=3,surw,urw,rff"


def say(text):
    print(text, file=sys.stderr, flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench portfolio", description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="5 seeds, 500 schedules, -O1: some minutes")
    add("--seeds", type=int, help="trials of each, with seeds 1, 2, … (default 100)")
    add("--schedules", type=int, help="of a trial at most (default 2000)")
    add("--sets", default=",".join(programs.SETS), help="of programs (default: all)")
    add("--levels", help="of optimisation (default O0,O1)")
    add("--members", default=MEMBERS, help=f"strategies to compare with (default {MEMBERS})")
    add("--only", default=".", metavar="REGEX", help="programs whose name matches")
    add("--reuse", action="store_true", help="take members' trials from an earlier version of the search")
    add("--jostle", type=Path, default=programs.JOSTLE, help="the command to measure (default: this build's)")
    add("--injected", action="store_true", help="bugs found after 10, 50, 100, 500 runs instead")
    add("--programs", type=int, default=20, help="with --injected: so many programs with bugs")
    return parser.parse_args()


def compare_members(arguments):
    seeds = arguments.seeds or (5 if arguments.quick else 100)
    limit = arguments.schedules or (500 if arguments.quick else 2000)
    levels = (arguments.levels or ("O1" if arguments.quick else "O0,O1")).split(",")
    strategies = [*filter(None, arguments.members.split(",")), regret.PORTFOLIO]
    store = trials.Store(programs.OUTPUT / "trials.jsonl", arguments.jostle.resolve(), arguments.reuse)
    print(f"schedules to the first failure: {seeds} seeds, {limit} schedules at most; in brackets: trials that missed")
    everything, summaries = [], []
    for level in levels:
        for set_name in arguments.sets.split(","):
            rows = regret.measure(
                store, set_name, level, strategies, seeds, limit, re.compile(arguments.only), say
            )
            if not rows:
                continue
            print(f"\n{set_name}, -{level}\n")
            regret.print_rows(rows, strategies)
            summaries.append((f"{set_name} -{level}", rows))
            everything += rows
    print()
    reached = [regret.summarise(title, rows) for title, rows in summaries]
    regret.write_csv(programs.OUTPUT / "regret.csv", everything, strategies)
    return 0 if all(reached) else 1


def main():
    arguments = parse_arguments()
    sys.exit(injected.main(arguments, say) if arguments.injected else compare_members(arguments))


main()
