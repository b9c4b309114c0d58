#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every strategy does with every program, as digests: a change that is meant to change no schedule is compared with what was before.

    bench/traces.py record before.json --jostle build/release/bin/jostle build/release/programs/gcc
    bench/traces.py record before2.json …          # once more: what differs here is the program's doing
    bench/traces.py compare before.json after.json --noise before2.json
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The searches that learn have phases that begin after some hundred runs.
LONG = {"portfolio": 400, "directed": 200, "rff": 200}
SCHEDULES = 30
KEPT = ["traces_digest", "schedules", "outcomes", "first_failure_at", "explored", "unexplored", "exhausted",
        "exhaustive_bound", "corpus", "executor"]
FOUND_BY = re.compile(r"FAILED after .* schedules? \((.*?)\)")


def strategies(jostle):
    listed = subprocess.run([jostle, "strategies"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")]
    return [name for name in names if name != "replay"]  # it needs a recording


def programs(paths):
    for path in (pathlib.Path(path).resolve() for path in paths):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (f for f in files if f.is_file() and os.access(f, os.X_OK) and f.suffix not in (".so", ".py", ".sh"))


def digest(jostle, program, strategy):
    schedules = LONG.get(strategy, SCHEDULES)
    with tempfile.TemporaryDirectory() as out:
        command = [jostle, "fuzz", "--strategy", strategy, "--seed", "5", "--fresh", "--json", "-q", "-k", "--minimize", "off"]
        command += ["-n", str(schedules), "-o", out + "/out", "--", str(program)]
        try:
            run = subprocess.run(["timeout", "-s", "INT", "-k", "5", "20"] + command, cwd=out, input="first line\nsecond 2\n",
                                 capture_output=True, text=True, errors="replace")
            stats = json.loads(run.stdout)
        except ValueError:
            return "no statistics"
    if stats["stopped"] == "interrupted":
        return "takes too long"
    kept = {key: stats[key] for key in KEPT}
    kept["found_by"] = FOUND_BY.findall(run.stderr)
    return kept


def record(args):
    args.jostle = os.path.abspath(args.jostle)  # runs have directories of their own
    names = args.strategy or strategies(args.jostle)
    pairs = [(program, name) for program in programs(args.programs) for name in names]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        digests = pool.map(lambda pair: digest(args.jostle, *pair), pairs)
        table = {f"{pair[0].parent.name}/{pair[0].name} {pair[1]}": d for pair, d in zip(pairs, digests)}
    pathlib.Path(args.file).write_text(json.dumps(table, indent=0, sort_keys=True) + "\n")
    print(f"{len(table)} digests in {args.file}")
    return 0


def compare(args):
    before, after = (json.loads(pathlib.Path(path).read_text()) for path in (args.before, args.after))
    noise = json.loads(pathlib.Path(args.noise).read_text()) if args.noise else before
    stable = [key for key in before if before[key] == noise.get(key) and isinstance(before[key], dict)
              and after.get(key) != "takes too long"]  # a busy machine
    missing = [key for key in stable if key not in after]
    different = [key for key in stable if key in after and before[key] != after[key]]
    for key in different:
        print(f"{key}\n  before {before[key]}\n  after  {after[key]}")
    print(f"{len(stable)} of {len(before)} can be compared: {len(different)} differ, {len(missing)} are missing")
    return 1 if different or missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record")
    recording.add_argument("file")
    recording.add_argument("programs", nargs="+")
    recording.add_argument("--jostle", default="build/release/bin/jostle")
    recording.add_argument("--strategy", action="append")
    recording.add_argument("--jobs", type=int, default=2)
    recording.set_defaults(run=record)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before")
    comparing.add_argument("after")
    comparing.add_argument("--noise")
    comparing.set_defaults(run=compare)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
