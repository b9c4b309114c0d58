"""Every program of subjects/, and every fixed twin, builds with plain gcc and clang, without a warning."""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SUBJECTS = Path(__file__).resolve().parents[2] / "subjects"
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
FLAGS = ["-O1", "-pthread", "-Wall", "-Wextra", "-Werror"]


def variants():
    """Each different pair of a source and its defines, once."""
    with open(SUBJECTS / "manifest.csv", newline="") as file:
        for row in csv.DictReader(file):
            yield row["source"], tuple(row["defines"].split())
            if row["twin"]:
                yield row["source"], (*row["defines"].split(), "-DFIXED")


def build(job):
    family, (source, defines) = job
    c, cxx = COMPILERS[family]
    compiler = [c, "-std=gnu11"] if source.endswith(".c") else [cxx, "-std=c++20"]
    with tempfile.TemporaryDirectory() as folder:
        command = [*compiler, *FLAGS, *defines, str(SUBJECTS / source), "-o", f"{folder}/program"]
        done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else [" ".join(command) + "\n" + done.stderr]


def main():
    families = [family for family, (_, cxx) in COMPILERS.items() if shutil.which(cxx)]
    jobs = [(family, variant) for family in families for variant in sorted(set(variants()))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = sum(pool.map(build, jobs), [])
    print("\n".join(failures))
    print(f"{len(jobs) - len(failures)} of {len(jobs)} programs built ({', '.join(families)})")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
