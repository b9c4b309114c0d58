# SPDX-License-Identifier: Apache-2.0
"""Every program of subjects/, and every fixed twin, builds with plain gcc and clang, without a warning.

In `./dev test --long`, which sets JOSTLE_LONG_TESTS; otherwise one program of each group does, with clang: the build
has gcc's warnings.

Left out, as the build does: those that name a library or header which is not installed, and those that explore
themselves, which are nothing without jostle.
"""

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


def words_after(source, what):
    """Of the lines `// what: …` of a program."""
    lines = (SUBJECTS / source).read_text().splitlines()
    return [word for line in lines if line.startswith(f"// {what}: ") for word in line.split()[2:]]


def libraries_of(source):
    return [f"-l{name}" for name in words_after(source, "libraries")]


def can_build(source):
    """True when the libraries and headers that it names are there, and it does not need ours."""
    if "#include <jostle/" in (SUBJECTS / source).read_text():
        return False
    if not words_after(source, "libraries") + words_after(source, "headers"):
        return True
    code = "".join(f"#include <{name}>\n" for name in words_after(source, "headers")) + "int main() {}\n"
    command = ["g++", "-std=c++20", "-x", "c++", "-", "-o", os.devnull, *libraries_of(source)]
    return subprocess.run(command, input=code, text=True, capture_output=True).returncode == 0


def variants():
    """Every source once, as it is and, if it has a twin, repaired: pairs of the source and its defines."""
    chosen = {}
    groups = set()
    with open(SUBJECTS / "manifest.csv", newline="") as file:
        for row in csv.DictReader(file):
            if not os.environ.get("JOSTLE_LONG_TESTS"):
                if row["group"] in groups or not can_build(row["source"]):
                    continue
                groups.add(row["group"])
            defines = tuple(row["defines"].split())
            chosen.setdefault((row["source"], False), defines)
            if row["twin"]:
                chosen.setdefault((row["source"], True), (*defines, "-DFIXED"))
    return [(source, defines) for (source, _), defines in sorted(chosen.items())]


def build(job):
    family, (source, defines) = job
    c, cxx = COMPILERS[family]
    compiler = [c, "-std=gnu11"] if source.endswith(".c") else [cxx, "-std=c++20"]
    with tempfile.TemporaryDirectory() as folder:
        command = [*compiler, *FLAGS, *defines, str(SUBJECTS / source), "-o", f"{folder}/program"]
        command += libraries_of(source)
        done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else [" ".join(command) + "\n" + done.stderr]


def main():
    families = [family for family, (_, cxx) in COMPILERS.items() if shutil.which(cxx)]
    if not os.environ.get("JOSTLE_LONG_TESTS"):
        families = families[-1:]
    missing = {source for source, _ in variants() if not can_build(source)}
    if missing:
        print(f"left out: {', '.join(sorted(missing))}")
    builds = [variant for variant in variants() if variant[0] not in missing]
    jobs = [(family, variant) for family in families for variant in builds]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = sum(pool.map(build, jobs), [])
    print("\n".join(failures))
    print(f"{len(jobs) - len(failures)} of {len(jobs)} programs built ({', '.join(families)})")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
