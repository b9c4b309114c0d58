#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Remakes src/hot_functions.txt: the functions of libjostle.so in which runs spend their time, which are linked side by side.

    hot_functions.py JOSTLE FILE PROGRAM...     # programs of subjects/ and bench/throughput, built

Needs `perf`. A second for each program and strategy; functions with one sample in 20,000 count.
"""
import collections
import re
import subprocess
import sys
import tempfile

STRATEGIES = ["random", "pos", "surw", "rff", "portfolio"]
LEAST_SHARE = 1 / 20000


def samples(jostle, strategy, program):
    with tempfile.TemporaryDirectory() as folder:
        data = folder + "/perf.data"
        subprocess.run(["perf", "record", "-q", "-F", "5000", "-o", data, jostle, "fuzz", "--quiet", "--fresh", "-k", "--minimize", "off",
                        "--seed", "1", "--time", "1s", "-o", folder + "/out", "--strategy", strategy, "--executor=snapshot", program],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        text = subprocess.run(["perf", "script", "-i", data, "--no-demangle", "-F", "ip,sym,dso"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        found = re.fullmatch(r"\s*\w+ (\S+) \(.*/libjostle\.so\)", line)
        if found:
            # Parts and copies that the compiler made have the name of the whole.
            yield re.sub(r"(\.(constprop|isra|part|cold|lto_priv)\.?\d*)+$", "", found[1])


def main():
    jostle, file, *programs = sys.argv[1:]
    counts = collections.Counter()
    for program in programs:
        for strategy in STRATEGIES:
            counts.update(samples(jostle, strategy, program))
    least = counts.total() * LEAST_SHARE
    names = sorted(name for name, count in counts.items() if count >= least and re.fullmatch(r"\w+", name))
    with open(file, "w") as out:
        out.write("\n".join(names) + "\n")
    print(f"{len(names)} functions of {counts.total()} samples in {file}")


if __name__ == "__main__":
    main()
