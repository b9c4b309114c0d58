# SPDX-License-Identifier: Apache-2.0
"""Figures as the papers print them, from bench/data. Each file there says which paper it is from."""

from dataclasses import dataclass

from . import places
from .markdown import number
from .subjects import read_csv


@dataclass(frozen=True)
class Schedules:
    """A cell of a table of schedules to the first bug."""

    status: str  # found, never-found, tool-error; "" if the program is not in the table
    mean: float = 0.0
    deviation: float = None  # None: not given
    missed_some: bool = False

    @property
    def found(self):
        return self.status == "found"

    def text(self):
        """As printed: `*` some trials missed, `-` all did."""
        if not self.found:
            return {"never-found": "-", "tool-error": "error"}.get(self.status, "")
        text = number(self.mean) if self.mean % 1 else f"{self.mean:,.0f}"
        if self.deviation is not None:
            text += f" ± {self.deviation:,.0f}"
        return text + ("*" if self.missed_some else "")


NOTHING = Schedules("")


def reads_from_fuzzer():
    """{(program, tool): Schedules} of appendix B."""
    cells = {}
    for row in read_csv(places.DATA / "reads-from-fuzzer.csv"):
        key = row["program"], row["tool"]
        if row["status"] != "found":
            cells[key] = Schedules(row["status"])
            continue
        deviation = float(row["stddev"]) if row["stddev"] else None
        cells[key] = Schedules("found", float(row["mean_schedules"]), deviation, row["some_trials_missed"] == "1")
    return cells


def surw():
    """{program: Schedules} of the column SURW."""
    cells = {}
    for row in read_csv(places.DATA / "surw.csv"):
        text = row["SURW"]
        missed_some = text.endswith("*")
        cells[row["program"]] = (
            Schedules("never-found") if text == "-" else Schedules("found", float(text.rstrip("*")), None, missed_some)
        )
    return cells


@dataclass(frozen=True)
class Iterations:
    """A cell of ThreadFuzzer's tables."""

    violated: float  # per cent
    timed_out: float  # per cent
    ms: float  # per iteration; None: all timed out


def threadfuzzer():
    """{(benchmark, configuration): Iterations}."""
    return {
        (row["benchmark"], row["configuration"]): Iterations(
            float(row["violated_percent"]),
            float(row["timed_out_percent"]),
            float(row["ms_per_iteration"]) if row["ms_per_iteration"] else None,
        )
        for row in read_csv(places.DATA / "threadfuzzer.csv")
    }


def taming_pthreads():
    """{program: {column: seconds, None for a time-out}}."""

    def read(text):
        return None if text == "timeout" else float(text)

    return {
        row["program"]: {
            "pthread": read(row["pthread_s"]),
            "schedule": read(row["schedule_s"]),
            "seed": read(row["seed_s"]),
        }
        for row in read_csv(places.DATA / "taming-pthreads.csv")
    }


@dataclass(frozen=True)
class TestingRuns:
    """A row of the thesis' tables on parallel programs."""

    parafuzz_found: float  # share of the testing runs
    parafuzz_s: float


def thesis_parallel():
    """{subject: TestingRuns}."""
    return {
        row["subject"]: TestingRuns(float(row["parafuzz_found"]), float(row["parafuzz_mttf_s"]))
        for row in read_csv(places.DATA / "thesis-parallel.csv")
    }
