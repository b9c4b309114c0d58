# SPDX-License-Identifier: Apache-2.0
"""One campaign until its first failure, and the file that remembers all of them."""

import hashlib
import json
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass

from . import programs

# A campaign ends after so much time whatever it has found.
LONGEST = "20s"


@dataclass
class Trial:
    program: str
    level: str
    strategy: str
    seed: int
    found_at: int = 0  # 0: missed
    schedules: int = 0
    processor: float = 0.0  # seconds of the whole command and its target
    note: str = ""


def campaign(jostle, binary, strategy, seed, options):
    """Its statistics (None when there are none), processor time in seconds, and the last line of stderr."""
    with tempfile.TemporaryDirectory() as folder:
        command = [jostle, "fuzz", "--seed", str(seed), "--strategy", strategy, "--json", "--quiet", "--no-config"]
        command += ["--minimize", "off", "-o", folder, *options, "--", binary]
        out, errors = os.path.join(folder, "stdout"), os.path.join(folder, "stderr")
        with open(out, "wb") as stdout, open(errors, "wb") as stderr:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        with open(errors, encoding="utf-8", errors="replace") as file:
            last = (file.read().strip().splitlines() or [""])[-1]
    try:
        stats = json.loads(text)
    except json.JSONDecodeError:
        stats = None
    return stats, usage.ru_utime + usage.ru_stime, last


def run(jostle, program, level, strategy, seed, schedules, time=LONGEST):
    trial = Trial(program.name, level, strategy, seed)
    options = ["--schedules", str(schedules), "--time", time]
    stats, trial.processor, last = campaign(jostle, program.binary(level), strategy, seed, options)
    if stats is None:
        trial.note = last or "no statistics"
        return trial
    trial.schedules = stats["schedules"]
    if trial.schedules == 0:
        trial.note = last or "ran nothing"
        return trial
    kinds = stats["failures_by_kind"]
    if kinds and (not program.kinds or any(kind in program.kinds for kind in kinds)):
        trial.found_at = stats["first_failure_at"]
    elif kinds:
        trial.note = f"found {', '.join(kinds)}"
    return trial


class Store:
    """Trials that need not be run again: of this runtime, program and limit. The members' are kept from one version of
    the search to the next only if asked for (`reuse`): a change of the portfolio changes none of them."""

    def __init__(self, path, jostle, reuse):
        self.path, self.jostle, self.reuse, self.known = path, jostle, reuse, {}
        if path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.known[tuple(entry["key"])] = Trial(**entry["trial"])
        self.runtime = hashlib.sha256((jostle.parent.parent / "lib" / "libjostle.so").read_bytes()).hexdigest()[:12]

    def version(self, strategy):
        return "members" if self.reuse and strategy != "portfolio" else self.runtime

    def run(self, program, level, strategy, seed, schedules):
        key = (self.version(strategy), program.set_name, program.name, level, strategy, seed, schedules)
        if key not in self.known:
            trial = run(self.jostle, program, level, strategy, seed, schedules)
            if trial.schedules == 0:
                raise RuntimeError(f"{program.name} {level} {strategy} seed {seed}: {trial.note}")
            self.known[key] = trial
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "trial": asdict(trial)}) + "\n")
        return self.known[key]
