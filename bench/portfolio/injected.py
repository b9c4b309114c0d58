# SPDX-License-Identifier: Apache-2.0
"""How many different injected bugs each strategy has found after so many runs."""

import re
from pathlib import Path

from . import programs, trials
from .injector import inject
from .regret import print_table

BASES = Path(__file__).resolve().parent / "bases"
AFTER = (10, 50, 100, 500)
BUGS = 12  # in a program
SEEDS = 3
STRATEGIES = "random,pos,surw,rff"
BUG = re.compile(r'"bug (\d+)"')


def build(number):
    """Program `number`: a base in turn, with bugs at places of its own."""
    bases = sorted(BASES.glob("*.c"))
    base = bases[number % len(bases)]
    folder = programs.OUTPUT / "injected"
    source = folder / f"{base.stem}_{number}.c"
    text, needs = inject(base.read_text(), number, BUGS)
    binary = source.with_suffix("")
    if not binary.exists() or not source.exists() or source.read_text() != text:
        folder.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        programs.compile_program(source, binary, "O1")
    return binary, needs


def found_at(jostle, binary, strategy, seed, runs):
    """{bug: the run that found it first}, and the share of runs that failed."""
    stats, _, last = trials.campaign(
        jostle, binary, strategy, seed, ["--schedules", str(runs), "--time", "60s", "--keep-going"]
    )
    if stats is None:
        raise RuntimeError(f"{binary.name} {strategy}: {last}")
    first = {}
    for failure in stats["failures"]:
        match = BUG.search(failure["summary"])
        if match:
            bug = int(match.group(1))
            first[bug] = min(first.get(bug, runs + 1), failure["schedule"])
    return first, stats["failing_schedules"] / max(stats["schedules"], 1)


def main(arguments, say):
    strategies = [*STRATEGIES.split(","), "portfolio"]
    if arguments.only != ".":
        strategies = [s for s in strategies if re.search(arguments.only, s)]
    seeds = arguments.seeds or SEEDS
    rows = []
    built = [build(number) for number in range(arguments.programs)]
    total = BUGS * len(built) * seeds
    ever = {}
    for strategy in strategies:
        counts, failing = [0] * len(AFTER), 0.0
        for number, (binary, _) in enumerate(built):
            for seed in range(1, seeds + 1):
                first, share = found_at(arguments.jostle, binary, strategy, seed, AFTER[-1])
                failing += share / (len(built) * seeds)
                for i, limit in enumerate(AFTER):
                    counts[i] += sum(1 for run in first.values() if run <= limit)
                ever.setdefault(number, set()).update(first)
            say(f"{strategy} {binary.name}: {len(first)}")
        rows.append([strategy, *(f"{count / seeds:.1f}" for count in counts), f"{failing:.0%}"])
    print(f"bugs found, of {total // seeds} ({sum(len(b) for b in ever.values())} by anybody), mean over {seeds} seeds\n")
    print_table(["strategy", *(f"after {limit}" for limit in AFTER), "runs that fail"], rows)
    return 0
