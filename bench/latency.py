# SPDX-License-Identifier: Apache-2.0
"""What a campaign costs that finds its bug in its first schedules: starting, confirming, showing.

Absolute times on shared machines are noise. Everything is measured in turns, and of each the least of some rounds is taken:
what else the machine does only adds. The processor time of a command is compared with that of as many processes that do nothing
as it starts itself, the search with the time from the start of one of them to its end. (Not with a plain run of the program: some wait
for timers, which here costs nothing, and some hang.)
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOSTLE = ROOT / "build/release/bin/jostle"
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 25

# The program, what it is linked with, and the bars: processor time of the whole command over that of the idle processes, and
# the search over one of them. Where a library is missing, its line is left out.
PROGRAMS = (
    ("sct/lazy01.c", (), 16, 8),
    ("sct/phase01.c", (), 17, 10),
    ("pthreads/bigshot_p.c", (), 23, 10),
    ("events/ghost_signup.c", ("-levent_core",), 21, 16),
    ("events/porybox.c", ("-luv",), 28, 16),
)
# The command, the search, the run that confirms, and one that passes, for the explanation.
PROCESSES = 4


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(command):
    """Wall and processor time of a command, and what it printed."""
    used, started = processor_time(), time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return time.monotonic() - started, processor_time() - used, done.stdout


def build(source, libraries, folder):
    """None when a library is missing here."""
    path = ROOT / "subjects" / source
    program = folder / path.stem
    words = [JOSTLE, "cc", "-g", "-O1", f"-I{ROOT}", path, "-pthread", "-o", program, *libraries]
    return program if subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0 else None


def measure(program, folder):
    fuzz = [JOSTLE, "fuzz", "--fresh", "--seed", "1", "--minimize", "off", "--json", "--quiet"]
    fuzz += ["-o", folder / "out", "--", program]
    idle_wall, idle, whole, processor, search = [], [], [], [], []
    for _ in range(ROUNDS):
        nothing = [measured(["/bin/true"]) for _ in range(PROCESSES)]
        idle_wall.append(min(wall for wall, _, _ in nothing))
        idle.append(sum(used for _, used, _ in nothing))
        wall, used, printed = measured(fuzz)
        stats = json.loads(printed)
        if not stats["failures"]:
            sys.exit(f"{program.name}: no failure found")
        whole.append(wall)
        processor.append(used)
        search.append(stats["elapsed_s"])
    return min(idle_wall), min(idle), min(whole), min(processor), min(search), stats["first_failure_at"]


def main():
    print(f"the machine: {os.uname().machine}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}; least of {ROUNDS}")
    print()
    heads = ("program", "schedule", "wall ms", "cpu ms", "/ idle", "wanted", "search ms", "/ idle", "wanted")
    print("%-14s %8s %8s %8s %8s %8s %10s %8s %8s" % heads)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source, libraries, most_processor, most_search in PROGRAMS:
            program = build(source, libraries, folder)
            if program is None:
                continue
            idle_wall, idle, wall, processor, search, schedule = measure(program, folder)
            ratios = processor / idle, search / idle_wall
            verdict = "ok" if ratios[0] <= most_processor and ratios[1] <= most_search else "missed"
            figures = (program.name, schedule, wall * 1e3, processor * 1e3, ratios[0], f"<= {most_processor}")
            figures += (search * 1e3, ratios[1], f"<= {most_search}", verdict)
            print("%-14s %8d %8.1f %8.1f %8.1f %8s %10.1f %8.1f %8s  %s" % figures)


if __name__ == "__main__":
    main()
