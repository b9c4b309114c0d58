# SPDX-License-Identifier: Apache-2.0
"""One trial of jostle: a campaign that ends at the first failure, or at its limit."""

import json
import resource
import subprocess
import tempfile
import time

from . import places
from .work import Outcome

# What the tables need of stats.json.
KEPT = (
    "executor",
    "exit_code",
    "stopped",
    "distinct",
    "unique_rf_signatures",
    "rf_commonest_share",
    "rf_entropy_bits",
    "rf_histogram",
    "exhausted",
    "failing_schedules",
    "percent_violated",
    "percent_deadlocked",
    "percent_timed_out",
    "ms_per_schedule",
    "failures_by_kind",
    "data_races",
)


def processor_time_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def command_of(cell, seed, folder):
    command = [places.JOSTLE, "fuzz", "--seed", str(seed), "--strategy", cell.method.strategy]
    command += ["--json", "--quiet", "--minimize", "off", "-j", "1", "-o", folder]
    if cell.limit.seconds:
        command += ["--time", f"{cell.limit.seconds:g}s"]
    if cell.limit.schedules:
        command += ["--schedules", str(cell.limit.schedules)]
    if cell.keep_going:
        command.append("--keep-going")
    command += [*cell.method.options, "--", places.INSTRUMENTED / cell.program_name, *cell.subject.arguments]
    return command


def run_campaign(cell, seed):
    outcome = Outcome(seed)
    with tempfile.TemporaryDirectory() as folder:
        begun, started, used = time.time(), time.monotonic(), processor_time_of_children()
        done = subprocess.run(command_of(cell, seed, folder), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        outcome.wall_s = time.monotonic() - started
        outcome.cpu_s = processor_time_of_children() - used
    try:
        stats = json.loads(done.stdout)
    except json.JSONDecodeError:
        lines = done.stderr.strip().splitlines()
        outcome.note = lines[-1] if lines else "no statistics"
        return outcome
    outcome.schedules = stats["schedules"]
    outcome.search_s = stats["elapsed_s"]
    outcome.to_bug_s = stats["start_time"] + stats["elapsed_s"] - begun
    outcome.stats = {name: stats[name] for name in KEPT if name in stats}
    kinds = stats["failures_by_kind"]
    if any(kind in cell.subject.kinds for kind in kinds):
        outcome.found_at = stats["first_failure_at"]
    elif kinds:
        outcome.note = f"found {', '.join(kinds)} instead of {' or '.join(cell.subject.kinds)}"
    elif stats["first_failure_at"]:
        outcome.note = "a failure that did not show again"
    return outcome
