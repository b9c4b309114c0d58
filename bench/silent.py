# SPDX-License-Identifier: Apache-2.0
"""Correct programs under every strategy and both executors: no failure, no false claim, the plain program's behaviour.

Every program of a folder is built twice, plainly and with `jostle cc`. Then, for each strategy and executor, one campaign; it is wrong when

  - it reports a failure, or one that it could not confirm, or a data race, or ends with an error;
  - it claims to have seen all schedules (not executions, of which many schedules are one), and one that only samples finds more
    (spurious wake-ups apart, which the claim excludes);
  - both executors ran all their schedules, and not the same ones;
  - it takes longer than it was told.

A few single runs of each strategy must print what the plain program prints, and end with its status. Numbers in what is
printed are not compared when plain runs differ in them, and nothing is when they differ otherwise.

A folder may have an arguments.txt, one program or several variants of one a line; fields that are not needed are left out:

    program | options of the compiler | arguments | options of jostle | standard input

The word any-output among the options: what the program prints depends on the machine.

`{0..12}` and `{a,b}` in the first three fields stand for one variant each. A line that begins with `- ` leaves a program out. A
program that is in no line has one variant, without arguments; programs in sub-folders are run when a line names them.
"""

import argparse
import dataclasses
import itertools
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOSTLE = ROOT / "build" / "release" / "bin" / "jostle"
STRATEGIES = "portfolio,rff,surw,pos,pct,random,ql"
# auto: rewinds where that is possible, and says why where it is not.
EXECUTORS = "auto,fork"
# Plain runs, to see in what they differ.
PLAIN_RUNS = 3
# What `-t` promises: the whole command ends within this much of the time, and this many seconds.
LATE_FACTOR, LATE_SECONDS = 1.5, 2.0
# A single run that takes longer hangs.
RUN_LIMIT = 120


def say(text):
    print(text, file=sys.stderr, flush=True)


# --- the programs ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Variant:
    """One way to build and run a program. Single runs have no options about the number of workers."""

    source: Path
    build: tuple = ()
    arguments: tuple = ()
    options: tuple = ()  # of jostle
    input: str = ""
    any_output: bool = False

    def name(self):
        words = [*self.build, *self.arguments, *self.options]
        return " ".join([self.source.stem, *(word if len(word) < 14 else f"{word[:11]}..." for word in words)])


def expanded(text):
    """All texts that one with braces stands for, as in a shell."""
    found = re.search(r"\{([^{}]*)\}", text)
    if not found:
        return [text]
    inside = found[1]
    bounds = re.fullmatch(r"(\d+)\.\.(\d+)", inside)
    items = range(int(bounds[1]), int(bounds[2]) + 1) if bounds else inside.split(",")
    rest = expanded(text[found.end() :])
    return [f"{text[:found.start()]}{item}{tail}" for item in items for tail in rest]


def find_source(folder, name):
    matches = [path for path in (folder / f"{name}{ending}" for ending in ("", ".c", ".cc", ".cpp")) if path.is_file()]
    if not matches:
        sys.exit(f"silent: no program {name} in {folder}")
    return matches[0]


def variants_of_line(folder, line):
    fields = [field.strip() for field in line.split("|")]
    if len(fields) > 5:
        sys.exit(f"silent: more than five fields: {line}")
    name, build, arguments, options, text = fields + [""] * (5 - len(fields))
    several = itertools.product(expanded(name), expanded(build), expanded(arguments))
    words = shlex.split(options)
    return [
        Variant(
            find_source(folder, one_name),
            tuple(shlex.split(one_build)),
            tuple(shlex.split(one_arguments)),
            tuple(word for word in words if word != "any-output"),
            text.encode().decode("unicode_escape"),
            "any-output" in words,
        )
        for one_name, one_build, one_arguments in several
    ]


def all_variants(folder, lines):
    listed, left_out = [], set()
    for line in lines:
        line = line.strip()
        if line.startswith("- "):
            left_out.add(find_source(folder, line[2:].strip()))
        elif line and not line.startswith("#"):
            listed += variants_of_line(folder, line)
    mentioned = left_out | {variant.source for variant in listed}
    others = [path for path in folder.iterdir() if path.suffix in (".c", ".cc", ".cpp") and path not in mentioned]
    return sorted(listed + [Variant(path) for path in others], key=lambda variant: variant.source)


def options_in_source(source):
    """What the first lines of a program say about how it is built."""
    with open(source, errors="replace") as file:
        head = list(itertools.islice(file, 5))
    return [word for line in head if line.startswith("// build:") for word in line[len("// build:") :].split()]


def built(variant, folder, wrapper):
    """The program's path; None when it cannot be built. wrapper: jostle, or nothing for the plain program."""
    plus = variant.source.suffix != ".c"
    compiler = [*wrapper, "c++" if plus else "cc"]
    version = "-std=c++20" if plus else "-std=gnu11"
    folder = folder / ("controlled" if wrapper else "plain")
    folder.mkdir(exist_ok=True)
    program = folder / variant.source.stem
    words = [*compiler, version, "-g", "-O1", "-w", "-pthread", *variant.build, variant.source, "-o", program]
    done = subprocess.run(words + options_in_source(variant.source), capture_output=True, text=True)
    if done.returncode:
        say(f"{variant.source}: cannot be built: {done.stderr.strip()}")
        return None
    return program


# --- what is compared --------------------------------------------------------------------------------


def ended_with(status):
    return f"signal {-status}" if status < 0 else f"status {status}"


def run(command, text, limit):
    """Status (-n for signal n), what was printed to stdout and to stderr; None when it hangs."""
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def without_numbers(text):
    return re.sub(r"\d+", "#", text)


class PlainBehaviour:
    """How a program behaves without us, as far as its runs agree."""

    def __init__(self, variant, program):
        runs = [run([program, *variant.arguments], variant.input, RUN_LIMIT) for _ in range(PLAIN_RUNS)]
        self.wrong = "hangs natively" if None in runs else ""
        if self.wrong:
            return
        statuses = {status for status, _, _ in runs}
        if len(statuses) > 1:
            self.wrong = "ends differently natively: " + ", ".join(map(ended_with, sorted(statuses)))
        self.status = runs[0][0]
        nothing = lambda _: ""  # noqa: E731
        for same in (nothing,) if variant.any_output else (str, without_numbers, nothing):
            texts = {same(printed) for _, printed, _ in runs}
            if len(texts) == 1:
                self.comparable, self.printed = same, texts.pop()
                break

    def difference(self, status, printed):
        """One line; empty when the behaviour is the same."""
        if status > 128 and self.status == 128 - status:
            status = self.status  # the command ends with 128+n where the program ends with signal n
        if status != self.status:
            return f"ends with {ended_with(status)}, natively with {ended_with(self.status)}"
        if self.comparable(printed) != self.printed:
            return f"prints {printed[:60]!r}, natively {self.printed[:60]!r}"
        return ""


def last_line(text):
    """What jostle says in the end, where an error is."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else "nothing said"


@dataclasses.dataclass
class Campaign:
    strategy: str
    executor: str
    stats: dict
    wrong: list

    def text(self):
        if not self.stats:
            return "-"
        runs = f"{self.stats['schedules']:,}"
        return ("all " if self.stats["exhausted"] else "") + runs + ("!" if self.wrong else "")


def seconds(text):
    """Of a time as jostle takes it: 90, 90s, 2m."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)?", text)
    if not found:
        sys.exit(f"silent: no time: {text}")
    return float(found[1]) * {None: 1, "s": 1, "ms": 0.001, "m": 60, "h": 3600}[found[2]]


def campaign(variant, program, plain, strategy, executor, arguments, folder, more=()):
    options = ["--seed", str(arguments.seed), "--strategy", strategy, "--executor", executor]
    options += ["-n", str(arguments.schedules), "-t", arguments.time, "--json", "--fresh", "--no-config"]
    if plain.status > 0:
        options += ["--ok-exit", str(plain.status)]
    command = [arguments.jostle, "fuzz", *options, *variant.options, *more, "-o", folder / "out", "--", program, *variant.arguments]
    started = time.monotonic()
    limit = seconds(arguments.time)
    done = run(command, variant.input, 3 * limit + RUN_LIMIT)
    took = time.monotonic() - started
    result = Campaign(strategy, executor, {}, [])
    if done is None:
        result.wrong.append("does not end")
        return result
    status, printed, errors = done
    try:
        result.stats = json.loads(printed)
    except json.JSONDecodeError:
        result.wrong.append(f"ends with {ended_with(status)}: {last_line(errors)}")
        return result
    stats = result.stats
    kinds = ", ".join(stats["failures_by_kind"])
    if kinds:
        result.wrong.append(f"{kinds} after {stats['first_failure_at']:,} schedules")
    elif stats["unconfirmed"] or stats["first_failure_at"]:
        result.wrong.append(f"a failure that does not show again, after {stats['first_failure_at']:,} schedules")
    elif status:
        result.wrong.append(f"ends with {ended_with(status)}: {last_line(errors)}")
    if stats["data_races"] and not arguments.races:
        result.wrong.append(f"{stats['data_races']} data races")
    if executor == "auto" and stats["executor"] != "snapshot" and not stats["executor_note"]:
        result.wrong.append("a process per run, without a reason")
    if took > LATE_FACTOR * limit + LATE_SECONDS:
        result.wrong.append(f"took {took:.0f} s with -t {arguments.time}")
    return result


def other_traces(campaigns):
    """Pairs of a campaign and a line: the same search with another executor, and not the same runs."""
    found = []
    for one, other in itertools.combinations([one for one in campaigns if one.stats], 2):
        # Several workers share what they learn when they learn it. Where a process per run is all there is, because of
        # child processes, those take their own time.
        executors_differ = one.stats["executor"] != other.stats["executor"]
        same_search = one.stats["workers"] == 1 and one.strategy == other.strategy and executors_differ
        same_runs = one.stats["schedules"] == other.stats["schedules"]
        if same_search and same_runs and one.stats["traces_digest"] != other.stats["traces_digest"]:
            found.append((other, f"other traces than with the executor {one.executor}"))
    return found


def false_claims(campaigns, sampled):
    """Pairs of a campaign that claims to be complete and a line: `sampled` runs schedules that it does not know of."""
    found = []
    for one in campaigns:
        if not one.stats or not one.stats["exhausted"] or one.stats.get("executions") or not sampled.stats:
            continue
        known, seen = max(one.stats["explored"], one.stats["distinct"]), sampled.stats["distinct"]
        if seen > known:
            found.append((one, f"claims all schedules and knows {known:,}, {sampled.strategy} finds {seen:,}"))
    return found


def single_runs(variant, program, plain, arguments):
    """Runs of one schedule each: what differs from the plain program."""
    wrong = []
    options = shlex.split(re.sub(r"(-j|--jobs)[ =]?\d+", "", shlex.join(variant.options)))
    for strategy, seed in itertools.product(arguments.strategies.split(","), range(1, arguments.runs + 1)):
        command = [arguments.jostle, "run", "--no-config", "--strategy", strategy, "--seed", str(seed), *options]
        done = run([*command, "--", program, *variant.arguments], variant.input, RUN_LIMIT)
        if done is None:
            difference = "hangs"
        else:
            difference = plain.difference(done[0], done[1])
        if difference:
            wrong.append(f"run --strategy {strategy} --seed {seed}: {difference}")
    return wrong


# --- the whole ---------------------------------------------------------------------------------------


def parse_arguments():
    about, _, more = __doc__.partition("\n")
    parser = argparse.ArgumentParser(
        prog="./dev bench silent",
        description=about,
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, default=ROOT / "tests" / "programs", help="default: programs of our own tests")
    add("--arguments", type=Path, metavar="FILE", help="instead of the folder's arguments.txt")
    add("--only", default=".", metavar="REGEX", help="variants whose name matches")
    add("--strategies", default=STRATEGIES, help=f"comma-separated (default {STRATEGIES})")
    add("--executors", default=EXECUTORS, help=f"comma-separated (default {EXECUTORS})")
    add("--schedules", type=int, default=100000, metavar="N", help="of one campaign (default 100000)")
    add("--time", default="60s", help="of one campaign (default 60s)")
    add("--seed", type=int, default=1, help="of the campaigns (default 1)")
    add("--runs", type=int, default=3, metavar="N", help="single runs of each strategy (default 3)")
    add("--jostle", type=Path, default=JOSTLE, metavar="PATH", help="another build of the command")
    add("--races", action="store_true", help="the programs may have data races")
    return parser.parse_args()


def check_variant(variant, arguments, folder):
    """Prints the variant's row, and returns the lines about what is wrong."""
    plain_program, program = built(variant, folder, []), built(variant, folder, [arguments.jostle])
    if plain_program is None or program is None:
        return ["cannot be built"]
    plain = PlainBehaviour(variant, plain_program)
    if plain.wrong:
        return [plain.wrong]
    strategies = arguments.strategies.split(",")
    wrong = single_runs(variant, program, plain, arguments)
    campaigns = []
    for strategy, executor in itertools.product(strategies, arguments.executors.split(",")):
        campaigns.append(campaign(variant, program, plain, strategy, executor, arguments, folder))
        say(f"{variant.name()}: {strategy} {executor}: {campaigns[-1].text()}")
    found = other_traces(campaigns)
    if any(one.stats and one.stats["exhausted"] for one in campaigns):
        sampled = campaign(variant, program, plain, "random", "auto", arguments, folder, ["--no-spurious"])
        found += false_claims(campaigns, sampled)
    for one, line in found:
        one.wrong.append(line)
    for one in campaigns:
        wrong += [f"{one.strategy}, {one.executor}: {line}" for line in one.wrong]
    cells = ["/".join(one.text() for one in campaigns if one.strategy == strategy) for strategy in strategies]
    print("".join([f"{variant.name():<34}", *(f" {cell:>17}" for cell in cells)]), flush=True)
    return wrong


def main():
    arguments = parse_arguments()
    listing = arguments.arguments or arguments.folder / "arguments.txt"
    lines = listing.read_text().splitlines() if arguments.arguments or listing.exists() else []
    variants = [v for v in all_variants(arguments.folder.resolve(), lines) if re.search(arguments.only, v.name())]
    if not variants:
        sys.exit("silent: nothing to do: no such program")
    strategies = arguments.strategies.split(",")
    print(f"schedules run with the executors {arguments.executors.replace(',', '/')}; !: something is wrong, see below\n")
    print("".join([f"{'program':<34}", *(f" {strategy:>17}" for strategy in strategies)]), flush=True)
    wrong = []
    for variant in variants:
        with tempfile.TemporaryDirectory() as folder:
            wrong += [f"{variant.name()}: {line}" for line in check_variant(variant, arguments, Path(folder))]
    print()
    for line in wrong:
        print(line)
    print(f"{len(variants)} programs, {len(wrong)} things wrong" if wrong else f"{len(variants)} programs, all silent")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
