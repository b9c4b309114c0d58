# SPDX-License-Identifier: Apache-2.0
"""How much of the memory that reports name has a name that the program gave it.

Every buggy subject is searched for a moment with a few seeds. In each report.json every object is a place that names memory, and so
is every event, lock or wait that refers to it. An object counts as nameless when the report could say no more than in which
block, on which stack or at which address it lies, or how many bytes behind the beginning of something. What belongs to libraries
without debug information (libuv's own blocks and variables) is counted apart.

    bench/names.sh [--seeds 3] [--time 2s] [--least 95] [SUBJECT…]
"""

import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOSTLE = ROOT / "build/release/bin/jostle"
SUBJECTS = ROOT / "build/release/subjects"

# Libraries without debug information: whatever is theirs has no name that anybody could know.
NOT_DESCRIBED = re.compile(r"\.so[.\d]*\b")
NAMELESS = re.compile(r"^(heap block|stack of|thread_local of|0x|\?)|\+(0x[0-9a-f]+|\d+)\b")


def is_nameless(name):
    return NAMELESS.search(name) is not None


def references(report):
    """How often each object of a report is referred to."""
    counts = collections.Counter()
    for event in report["events"] + report["holds"] + report["waits"]:
        if event.get("object") is not None:
            counts[event["object"]] += 1
    for thread in report["threads"]:
        if thread.get("wants") is not None:
            counts[thread["wants"]] += 1
        counts.update(lock["object"] for lock in thread.get("holds", ()))
    return counts


def reports_of(subject, seeds, seconds):
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            command = [JOSTLE, "fuzz", "--fresh", "--quiet", "--seed", str(seed), "-t", seconds, "-o", folder, "--"]
            command += [SUBJECTS / subject["name"], *subject["arguments"].split()]
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for path in sorted(pathlib.Path(folder).rglob("report.json")):
                yield json.loads(path.read_text())


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--time", default="2s")
    options.add_argument("--least", type=float, default=95)
    options.add_argument("--worst", type=int, default=40)
    options.add_argument("subjects", nargs="*")
    options = options.parse_args()
    with open(ROOT / "subjects/manifest.csv") as manifest:
        subjects = [row for row in csv.DictReader(manifest) if not options.subjects or row["name"] in options.subjects]
    objects, uses = [0, 0], [0, 0]  # all, named
    worst = collections.Counter()
    reports = missing = foreign = 0
    for subject in subjects:
        if not (SUBJECTS / subject["name"]).exists():
            missing += 1
            continue
        for report in reports_of(subject, options.seeds, options.time):
            reports += 1
            counts = references(report)
            for index, each in enumerate(report["objects"]):
                named = not is_nameless(each["name"])
                if not named and NOT_DESCRIBED.search(each["name"]):
                    foreign += 1
                    continue
                objects = [objects[0] + 1, objects[1] + named]
                uses = [uses[0] + counts[index], uses[1] + named * counts[index]]
                if not named:
                    worst[subject["name"], each["name"]] += 1
    if reports == 0:
        sys.exit("no failure was found")
    print(f"{reports} reports of {len(subjects) - missing} subjects ({missing} are not built)")
    share = 100 * objects[1] / max(objects[0], 1)
    print(f"objects    {objects[1]} of {objects[0]} named: {share:.1f} %")
    print(f"references {uses[1]} of {uses[0]} named: {100 * uses[1] / max(uses[0], 1):.1f} %")
    print(f"{foreign} more objects belong to libraries without debug information")
    if worst:
        print("\nnameless, the most frequent first:")
    for (subject, name), count in worst.most_common(options.worst):
        print(f"{count:5}  {subject:32} {name}")
    sys.exit(0 if share >= options.least else 1)


if __name__ == "__main__":
    main()
