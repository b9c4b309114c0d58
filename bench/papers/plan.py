# SPDX-License-Identifier: Apache-2.0
"""How much to run: what was asked for on the command line."""

import re
from dataclasses import dataclass

UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def read_duration(text):
    """Seconds: `300ms`, `5s`, `5m`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)?", text)
    if match is None:
        raise ValueError(f"`{text}' is no duration: try 5s or 5m")
    return float(match[1]) * UNITS[match[2] or "s"]


@dataclass(frozen=True)
class Plan:
    trials: int = 20  # of each program with each method
    baseline_trials: int = 20  # of anything but rff and our default
    budget: float = 300.0  # seconds of one trial
    baseline_budget: float = 300.0  # of a trial of anything but our default
    native_budget: float = 60.0  # of a trial of the plain program, where times are scaled by it
    schedules: int = 0  # most of one trial of a baseline; 0: any number
    give_up_after: int = 3  # baselines only
    twin_schedules: int = 100_000
    subjects: str = "."  # a regular expression

    def wants(self, subject):
        return re.search(self.subjects, subject.name) is not None


QUICK = Plan(
    trials=3,
    baseline_trials=2,
    budget=3.0,
    baseline_budget=0.5,
    native_budget=1.0,
    schedules=2000,
    give_up_after=1,
    twin_schedules=1000,
)
