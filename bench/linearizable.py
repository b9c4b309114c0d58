# SPDX-License-Identifier: Apache-2.0
"""Tests of operations side by side (docs/linearizability.md): the structures of tests/programs/linearizable.

  broken     each is found within 10 s of processor time, for every seed; how large the scenario is that is reported
  right      nothing is said of those that are right
  cost       processor time of the process that knows what is right, as a part of all
  verified   every scenario of a size, and every execution of each

  python3 bench/linearizable.py [--build build/release] [--seeds 20] [--seconds 10] [PART...]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

TREE = pathlib.Path(__file__).resolve().parent.parent

# program, test, further options of jostle
BROKEN = [
    ("treiber", "WithoutTags", ""),
    ("queues", "Hasty", ""),
    ("queues", "TakesUnchecked", ""),
    ("queues", "VyukovOfMany", ""),
    ("queues", "HerlihyWing", ""),
    ("queues", "RingOfMany", ""),
    ("queues", "SkipsOne", ""),
    ("queues", "ForgetsToWake", ""),
    ("others", "LazyUnvalidated", ""),
    ("others", "SingleCollect", ""),
    ("others", "CountsTwice", ""),
    ("others", "StripedSize", ""),
    ("others", "CacheUpgrades", ""),
    ("everyday", "RingHalfLocked", ""),
    ("everyday", "LruLocksTwice", ""),
    ("everyday", "SetMovesInTwo", ""),
    ("everyday", "ShardsTakeAll", ""),
    ("everyday", "ClosesWithoutLock", ""),
    ("everyday", "PoolTakesInTwo", ""),
    ("everyday", "LimiterTakesInTwo", ""),
    ("everyday", "MapManyWriters", ""),
    ("treiber", "RelaxedMail", "--memory=c11"),
    ("progress", "LockInside", ""),
    ("progress", "SpinInside", ""),
    ("progress", "PatientInside", ""),
    ("progress", "PoliteLockFree", ""),
    ("progress", "RetryingWaitFree", ""),
]
RIGHT = [
    ("treiber", "Leaking", ""),
    ("treiber", "Tagged", ""),
    ("treiber", "Mail", "--memory=c11"),
    ("queues", "Locked", ""),
    ("queues", "MichaelScott", ""),
    ("queues", "MichaelScott", "--memory=c11"),
    ("queues", "VyukovOfOne", ""),
    ("queues", "RingOfOneEach", ""),
    ("queues", "Blocking", ""),
    ("queues", "Patient", ""),
    ("queues", "SkipsMany", ""),
    ("others", "Lazy", ""),
    ("others", "DoubleCollect", ""),
    ("others", "CountsAtOnce", ""),
    ("others", "Striped", ""),
    ("others", "StripedWeakSize", ""),
    ("others", "CacheLooksAgain", ""),
    ("others", "StandardLatch", ""),
    ("everyday", "RingLocked", ""),
    ("everyday", "LruOneLock", ""),
    ("everyday", "SetMovesAtOnce", ""),
    ("everyday", "ShardsWeakly", ""),
    ("everyday", "ClosesUnderLock", ""),
    ("everyday", "PoolTakesAtOnce", ""),
    ("everyday", "LimiterTakesAtOnce", ""),
    ("everyday", "MapOneWriter", ""),
    ("progress", "PoliteObstructionFree", ""),
    ("progress", "RetryingLockFree", ""),
    ("progress", "AtomicWaitFree", ""),
    ("progress", "StackLockFree", ""),
    ("progress", "LongButLockFree", ""),
]
VERIFIED = [
    ("treiber", "Leaking", "2x2", ""),
    ("treiber", "Tagged", "2x2", ""),
    ("treiber", "Mail", "2x2", "--memory=c11"),
]
# Seconds for the search for something smaller, which come on top.
MINIMIZING = 3
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid):
    """(seconds, parent) of a process, or None."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / TICKS, int(fields[1])


class Watch:
    """Samples the processes below one: the test, its runs, and below those who knows what is right."""

    def __init__(self, root):
        self.root, self.seconds, self.parents = root, {}, {}
        self.over = False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.over:
            for entry in os.listdir("/proc"):
                seen = processor_seconds(entry) if entry.isdigit() else None
                if seen:
                    self.seconds[int(entry)] = seen[0]
                    self.parents.setdefault(int(entry), seen[1])  # before it is an orphan
            time.sleep(0.1)

    def end(self):
        self.over = True
        self.thread.join()

    def depth(self, pid):
        steps = 0
        while pid != self.root:
            pid = self.parents.get(pid, 0)
            steps += 1
            if pid in (0, 1):
                return None
        return steps

    def parts(self):
        """Seconds of the runs, and of the runs that show what is right."""
        runs = references = 0.0
        for pid in self.seconds:
            depth = self.depth(pid)
            if depth == 1:
                runs += self.seconds[pid]
            elif depth == 2:
                references += self.seconds[pid]
        return runs, references


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="linearizable-"))
        self.ok = True

    def program(self, name):
        path = pathlib.Path(self.arguments.programs or self.folder).resolve() / name
        if not path.exists():
            source = TREE / "tests/programs/linearizable" / f"{name}.cc"
            jostle = TREE / self.arguments.build / "bin/jostle"
            subprocess.run([jostle, "c++", "-g", "-O1", "-std=c++20", source, "-o", path], check=True)
        return path

    def run(self, program, test, options, seconds, watch=False):
        home = self.folder / "run"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        environment = dict(os.environ, JOSTLE_FUZZ_FOR=f"{seconds}s", JOSTLE_OPTIONS=f"--quiet {options}")
        began = time.monotonic()
        process = subprocess.Popen([self.program(program), test] + (watch if isinstance(watch, list) else []),
                                   cwd=home, env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        watcher = Watch(process.pid) if watch is True else None
        out, _ = process.communicate()
        if watcher:
            watcher.end()
        return process.returncode, out, time.monotonic() - began, watcher and watcher.parts()

    def wrong(self, row):
        self.ok = False
        return row + "   <-- WRONG"

    def operations(self):
        """Of the scenario that is in the report; where a structure says what always holds, that may be what breaks first."""
        for replay in (self.folder / "run").rglob("replay.json"):
            jostle = TREE / self.arguments.build / "bin/jostle"
            shown = subprocess.run([jostle, "replay", "--format", "json", replay], cwd=self.folder / "run",
                                   capture_output=True, text=True)
            finding = json.loads(shown.stdout)["findings"][0]
            return len(finding["history"]["operations"]) if "history" in finding else "invariant"
        return None

    def broken(self):
        print(f"{'broken':24} {'found':>7} {'seconds':>7} {'schedules':>9}  operations: how often")
        for program, test, options in self.chosen(BROKEN):
            found, worst, sizes, most = 0, 0.0, {}, 0
            for seed in range(1, self.arguments.seeds + 1):
                before = os.times()
                status, out, _, _ = self.run(program, test, f"{options} --seed={seed} --minimize={MINIMIZING}s", 60)
                after = os.times()
                seconds = sum(after[2:4]) - sum(before[2:4])
                if status != 77 or seconds > 10 + MINIMIZING:
                    continue
                found += 1
                worst = max(worst, seconds)
                schedules = re.search(r"after ([\d,]+) schedules?", out)
                most = max(most, int(schedules[1].replace(",", "")) if schedules else 0)
                size = self.operations()
                sizes[size] = sizes.get(size, 0) + 1
            text = ", ".join(f"{size}: {sizes[size]}" for size in sorted(sizes, key=str))
            row = f"{test:24} {found:>3}/{self.arguments.seeds:<3} {worst:6.1f}s {most:>9}  {text}"
            print(row if found == self.arguments.seeds else self.wrong(row), flush=True)

    def right(self):
        print(f"{'right':24} {'options':14} {'schedules':>10} {'scenarios':>10}")
        for program, test, options in self.chosen(RIGHT):
            status, out, _, _ = self.run(program, test, f"{options} --seed=1", self.arguments.seconds)
            counts = re.search(r"no failure in ([\d,]+) schedules of ([\d,]+) scenarios$", out.strip())
            row = f"{test:24} {options:14} " + (f"{counts[1]:>10} {counts[2]:>10}" if counts else out[:200])
            print(row if status == 0 and counts else self.wrong(row), flush=True)

    def cost(self):
        print(f"{'cost':24} {'options':14} {'runs':>7} {'checking':>9} {'share':>6} {'schedules':>10} {'scenarios':>10}")
        sums = [0.0, 0.0]
        for program, test, options in self.chosen(RIGHT):
            _, out, _, parts = self.run(program, test, f"{options} --seed=1 -j1", self.arguments.seconds, True)
            sums = [sum(pair) for pair in zip(sums, parts)]
            counts = re.search(r"no failure in ([\d,]+) schedules of ([\d,]+) scenarios", out)
            print(f"{test:24} {options:14} {parts[0]:6.2f}s {parts[1]:8.2f}s {parts[1] / sum(parts):6.1%} "
                  + (f"{counts[1]:>10} {counts[2]:>10}" if counts else out[:200]), flush=True)
        row = f"{'all':24} {'':14} {sums[0]:6.2f}s {sums[1]:8.2f}s {sums[1] / sum(sums):6.1%}"
        print(row if sums[1] < 0.1 * sum(sums) else self.wrong(row))

    def verified(self):
        print(f"{'verified':24} {'size':5} {'options':14} {'time':>7}")
        for program, test, size, options in self.chosen(VERIFIED):
            status, out, seconds, _ = self.run(program, test, options, 600, ["--all", size])
            row = f"{test:24} {size:5} {options:14} {seconds:6.1f}s  {out.strip()}"
            print(row if status == 0 and seconds < 60 else self.wrong(row), flush=True)

    def chosen(self, rows):
        return [row for row in rows if not self.arguments.only or row[1] in self.arguments.only]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="broken, right, cost, verified (default: all)")
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=10, help="of each right structure; 60 is the long form")
    parser.add_argument("--programs", help="folder where programs are that have been compiled already")
    parser.add_argument("--only", action="append", help="a test")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    try:
        for part in arguments.parts or ["broken", "right", "cost", "verified"]:
            getattr(bench, part)()
            print()
    finally:
        shutil.rmtree(bench.folder)
    sys.exit(0 if bench.ok else 1)


if __name__ == "__main__":
    main()
