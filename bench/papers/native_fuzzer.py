# SPDX-License-Identifier: Apache-2.0
"""One trial of a fuzzer with ordinary threads: afl-fuzz on the plain program, which it starts again and again.

What a loop of the plain program leaves out is that a fuzzer has to be started, too. Published times of fuzzers have
that in them.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from . import places
from .work import Outcome

ENVIRONMENT = {
    "AFL_NO_UI": "1",
    "AFL_NO_AFFINITY": "1",
    "AFL_SKIP_CPUFREQ": "1",
    "AFL_SKIP_BIN_CHECK": "1",  # the program has no instrumentation
    "AFL_BENCH_UNTIL_CRASH": "1",
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
}
# What it says when the very first run has failed.
FAILS_AT_ONCE = "does not crash"


def run_native_fuzzer(cell, seed):
    """The seed has no influence: the operating system decides. How many runs there were is not known."""
    outcome = Outcome(seed)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder, "inputs")
        inputs.mkdir()
        (inputs / "one").write_text("1\n")
        command = ["afl-fuzz", "-n", "-t", str(int(cell.hang * 1000)), "-V", str(max(1, int(cell.limit.seconds)))]
        command += ["-i", inputs, "-o", Path(folder, "out"), "--", places.PLAIN / cell.program_name, *cell.subject.arguments]
        started = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=os.environ | ENVIRONMENT)
        except FileNotFoundError:
            outcome.note = "no afl-fuzz here"
            return outcome
        outcome.wall_s = outcome.search_s = outcome.to_bug_s = time.monotonic() - started
        found = FAILS_AT_ONCE in done.stdout + done.stderr or any(Path(folder, "out").rglob("crashes/id*"))
    outcome.found_at = outcome.schedules = int(found)
    return outcome
