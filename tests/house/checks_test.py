#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Invariants are code: so many checks there are, in every part that has some to keep (src/base/check.h)."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEAST = 200
# At least so many in each, or a part has lost its own.
PARTS = {
    "base": 10,
    "strategy": 30,
    "minimize": 5,
    "report": 10,
    "engine": 5,
    "runtime/scheduler": 60,
    "runtime/fiber": 10,
    "runtime/image": 5,
    "runtime/heap": 8,
    "runtime/race": 10,
    "runtime/sync": 15,
    "runtime/memory": 8,
}


def main():
    counts = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if not name.endswith((".cc", ".h")) or name in ("check.h", "check.cc"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = re.sub(r"//.*", "", file.read())
            counts[os.path.relpath(folder, os.path.join(ROOT, "src"))] = counts.get(
                os.path.relpath(folder, os.path.join(ROOT, "src")), 0) + len(
                    re.findall(r"\bJOSTLE_CHECK(?:_EQ|_NE|_LT|_LE)?\(", text))
    total = sum(counts.values())
    wrong = [] if total >= LEAST else [f"{total} checks, fewer than {LEAST}"]
    for part, least in PARTS.items():
        here = sum(n for room, n in counts.items() if room == part or room.startswith(part + "/"))
        if here < least:
            wrong.append(f"src/{part}: {here} checks, fewer than {least}")
    print("\n".join(wrong) if wrong else f"{total} checks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
