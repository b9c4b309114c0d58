#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nanoseconds of processor time that one more schedule costs.

    processor_time.py JOSTLE STRATEGY FEW MANY PROGRAM [ARGUMENTS]

A campaign of FEW schedules and one of MANY, in turns, five times; of each the least counts. What starting the command and the
program costs is in both, and what else the machine does takes time but no processor time of ours.
"""
import resource
import subprocess
import sys
import tempfile

ROUNDS = 5


def processor_time(jostle, strategy, schedules, program):
    with tempfile.TemporaryDirectory() as out:
        command = [jostle, "fuzz", "--quiet", "--fresh", "--seed", "1", "--max-steps", "100000000", "-n", str(schedules),
                   "-o", out + "/out", "--strategy", strategy, "--executor=snapshot", *program]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    jostle, strategy, few, many, *program = sys.argv[1:]
    few, many = int(few), int(many)
    times = [(processor_time(jostle, strategy, few, program), processor_time(jostle, strategy, many, program))
             for _ in range(ROUNDS)]
    short, long = (min(column) for column in zip(*times))
    print(round((long - short) * 1e9 / (many - few)))


if __name__ == "__main__":
    main()
