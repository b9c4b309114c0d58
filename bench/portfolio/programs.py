# SPDX-License-Identifier: Apache-2.0
"""The programs of the benchmark, and how they are built.

A set is the subjects, those of our own that the search may be tuned on, or those kept apart: a change is kept when it
helps there, too, and nobody looks at single programs of theirs.
"""

import csv
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
JOSTLE = BUILD / "bin" / "jostle"
OUTPUT = BUILD / "portfolio"
OWN = Path(__file__).resolve().parent / "programs"
SETS = ("subjects", "tuning", "apart")
LEVELS = ("O0", "O1")

# Found in the first run whatever decides it (barnes, fft, lu), or in a time of its own (safestack).
LEFT_OUT = {"barnes", "fft", "lu", "safestack"}
# Event loops need libraries; properties are searched with coverage: neither is about members.
GROUPS_LEFT_OUT = {"events", "property"}


@dataclass(frozen=True)
class Program:
    set_name: str
    name: str
    source: Path
    defines: tuple = ()
    kinds: tuple = ()  # of the failure; empty: any

    def binary(self, level):
        return OUTPUT / level / self.set_name / self.name


def own(set_name):
    return [Program(set_name, path.stem, path) for path in sorted((OWN / set_name).glob("*.c*"))]


def subjects(with_safestack=False):
    found, seen = [], set()
    with open(ROOT / "subjects" / "manifest.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["source"], row["defines"])
            if row["name"] in LEFT_OUT and not (with_safestack and row["name"] == "safestack"):
                continue
            if row["group"] in GROUPS_LEFT_OUT or key in seen:
                continue
            seen.add(key)
            source = ROOT / "subjects" / row["source"]
            found.append(
                Program("subjects", row["name"], source, tuple(row["defines"].split()), tuple(row["kind"].split("|")))
            )
    return found


def programs_of(set_name):
    return subjects() if set_name == "subjects" else own(set_name)


def compile_program(source, binary, level, defines=()):
    is_c = source.suffix == ".c"
    environment = dict(os.environ, JOSTLE_CC="gcc", JOSTLE_CXX="g++")
    command = [JOSTLE, "cc" if is_c else "c++", "-std=gnu11" if is_c else "-std=c++20", "-g", f"-{level}", "-pthread"]
    binary.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*command, *defines, source, "-o", binary], env=environment, check=True)


def build(program, level):
    binary = program.binary(level)
    if not binary.exists() or binary.stat().st_mtime < program.source.stat().st_mtime:
        compile_program(program.source, binary, level, program.defines)
    return binary
