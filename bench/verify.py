# SPDX-License-Identifier: Apache-2.0
"""`jostle verify` on small programs: how many runs it needs, how fast it is, and whether it is ever wrong.

Three tables, all measured in this run:

  - the smallest repaired programs (twins of subjects/ and tests/programs/bugs): all schedules (`--strategy systematic-first`) against the runs of `jostle verify`;
  - two programs with known numbers of executions: executions per second of processor time, time, memory, and how much faster two workers are (on a machine that does nothing else);
  - every subject with a bug: none may be called verified.

Exit status 1 if a bar is missed, which is then marked with an exclamation mark.
"""

import argparse
import csv
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
JOSTLE = BUILD / "bin" / "jostle"
COUNTED = BUILD / "programs" / "gcc" / "verify" / "memory_counts"

# The bars: a program takes at most one run for so many schedules; executions per second; seconds; MB.
SCHEDULES_PER_RUN = 50
FIB_PER_SECOND = 25_000
LASTZERO_SECONDS, LASTZERO_MEGABYTES = 15, 200
# Two workers are so much faster than one, by time on the wall.
GAIN_OF_TWO = 1.7
# Fewer schedules than this say nothing about a ratio.
FEWEST_SCHEDULES = 500


@dataclasses.dataclass
class Outcome:
    """One command: what stats.json says, processor time, and the memory of its largest process."""

    stats: dict
    exit_code: int
    processor_s: float
    megabytes: float


@dataclasses.dataclass(frozen=True)
class Subject:
    program: Path
    arguments: tuple = ()

    @property
    def name(self):
        return self.program.name

    def command(self):
        return [str(self.program), *self.arguments]


def run(options, command):
    with tempfile.TemporaryDirectory(prefix="jostle-verify-") as folder:
        words = [JOSTLE, *options, "--json", "--quiet", "--no-config", "-o", folder, "--", *command]
        with open(Path(folder) / "stdout", "w+b") as out:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            text = out.read()
        try:
            stats = json.loads(text)
        except ValueError:
            sys.exit(f"verify: {' '.join(map(str, words))} ended with {process.returncode} and no statistics")
        return Outcome(stats, process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def subjects(column):
    """Those of the manifest: by their `name` (with the bug), or by their `twin`."""
    with open(ROOT / "subjects" / "manifest.csv") as file:
        rows = [row for row in csv.DictReader(file) if row[column]]
    found = [Subject(BUILD / "subjects" / row[column], tuple(row["arguments"].split())) for row in rows]
    return [each for each in found if each.program.exists()]


def repaired_programs():
    """The subjects' twins, and those of the test programs."""
    bugs = BUILD / "programs" / "gcc" / "bugs"
    return subjects("twin") + [Subject(path) for path in sorted(bugs.glob("*_ok"))]


def marked(fine):
    return " " if fine else "!"


def twins(arguments):
    """The smallest ones by their number of schedules."""
    measured = []
    for subject in repaired_programs():
        if arguments.only and arguments.only not in subject.name:
            continue
        # What is not verified at once has more schedules than can be run.
        if run(["verify", "-t", "1s"], subject.command()).stats["verdict"] != "verified":
            continue
        every = run(["fuzz", "--strategy", "systematic-first", "-t", arguments.time], subject.command()).stats
        if every["exhausted"] and every["explored"] >= FEWEST_SCHEDULES:
            measured.append((every["explored"], subject))
    measured.sort(key=lambda each: each[0])
    fine = True
    print(f"{'repaired program':<34}{'schedules':>11}{'executions':>12}{'runs':>8}{'ratio':>9}")
    for schedules, subject in measured[: arguments.count]:
        stats = run(["verify"], subject.command()).stats
        ratio = schedules / stats["schedules"]
        good = stats["verdict"] == "verified" and ratio >= SCHEDULES_PER_RUN
        fine = fine and good
        print(f"{subject.name:<34}{schedules:>11,}{stats['executions']:>12,}{stats['schedules']:>8,}{ratio:>8,.0f}{marked(good)}")
    return fine


def known_programs():
    fine = True
    print(f"\n{'program':<16}{'executions':>12}{'seconds':>9}{'processor s':>13}{'per second':>12}{'MB':>7}{'-j 2':>8}")
    for name, number, executions in (("fib_bench", 5, 218_243), ("lastzero", 15, 147_456)):
        outcome = run(["verify"], [str(COUNTED), name, str(number)])
        stats = outcome.stats
        # Of processor time, that of starting and reporting included: a busy machine measures the same.
        rate = stats["executions"] / outcome.processor_s
        good = stats["verdict"] == "verified" and stats["executions"] == executions
        good = good and outcome.megabytes < LASTZERO_MEGABYTES
        good = good and (rate >= FIB_PER_SECOND if name == "fib_bench" else outcome.processor_s <= LASTZERO_SECONDS)
        two = run(["verify", "-j", "2"], [str(COUNTED), name, str(number)])
        gain = stats["elapsed_s"] / two.stats["elapsed_s"]
        good = good and two.stats["verdict"] == "verified" and two.stats["executions"] == executions
        good = good and gain >= GAIN_OF_TWO
        fine = fine and good
        title = f"{name}({number})"
        print(f"{title:<16}{stats['executions']:>12,}{stats['elapsed_s']:>9.1f}{outcome.processor_s:>13.1f}{rate:>12,.0f}"
              f"{outcome.megabytes:>7.0f}{gain:>7.2f}{marked(good)}")
    return fine


def buggy(arguments):
    verdicts, wrong = {}, []
    for subject in subjects("name"):
        if arguments.only and arguments.only not in subject.name:
            continue
        stats = run(["verify", "-t", arguments.bug_time, "--minimize", "off"], subject.command()).stats
        verdicts[stats["verdict"]] = verdicts.get(stats["verdict"], 0) + 1
        if stats["verdict"] == "verified":
            wrong.append(subject.name)
    print("\nsubjects with a bug: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    for name in wrong:
        print(f"! {name} is called verified")
    return not wrong


def main():
    parser = argparse.ArgumentParser(prog="./dev bench verify", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="how many repaired programs (default 20)")
    parser.add_argument("--time", default="20s", help="to run all schedules of one (default 20s)")
    parser.add_argument("--bug-time", default="5s", help="to verify each program with a bug (default 5s)")
    parser.add_argument("--only", help="subjects with this in their name")
    parser.add_argument("--tables", default="twins,known,bugs", help="which of them (default twins,known,bugs)")
    arguments = parser.parse_args()
    tables = {"twins": lambda: twins(arguments), "known": known_programs, "bugs": lambda: buggy(arguments)}
    unknown = set(arguments.tables.split(",")) - set(tables)
    if unknown:
        parser.error(f"no such table: {', '.join(sorted(unknown))}")
    fine = [table() for name, table in tables.items() if name in arguments.tables.split(",")]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
