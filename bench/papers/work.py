# SPDX-License-Identifier: Apache-2.0
"""What is to be run and what came of it: data only."""

from dataclasses import asdict, dataclass, field

from .subjects import Subject


@dataclass(frozen=True)
class Method:
    """A column: a way to look for the bug. Without a strategy it is the plain program in a loop."""

    name: str
    strategy: str = ""
    options: tuple = ()  # more words for `jostle fuzz`

    @property
    def native(self):
        return not self.strategy


NATIVE = Method("native")
NATIVE_FUZZER = Method("afl-fuzz")  # of the plain program, too


@dataclass(frozen=True)
class Limit:
    """Of one trial; 0: none."""

    seconds: float = 0
    schedules: int = 0


@dataclass(frozen=True)
class Cell:
    """All trials of one program with one method, with the seeds first_seed, first_seed + 1, …"""

    subject: Subject
    method: Method
    trials: int
    limit: Limit
    keep_going: bool = False  # do not end at the first failure
    give_up_after: int = 0  # so many trials at the beginning that all miss; 0: never give up
    program: str = ""  # if it is not the subject itself but its twin
    first_seed: int = 1
    hang: float = 1.0  # seconds after which a run of the plain program counts as hung

    @property
    def program_name(self):
        return self.program or self.subject.name

    @property
    def seeds(self):
        return range(self.first_seed, self.first_seed + self.trials)


@dataclass
class Outcome:
    """Of one trial."""

    seed: int
    found_at: int = 0  # the number of the schedule that showed the bug; 0: missed
    schedules: int = 0
    wall_s: float = 0.0  # of the whole command, with starting it and confirming the failure
    search_s: float = 0.0  # of the search alone
    to_bug_s: float = 0.0  # from the start of the command to the end of the search
    cpu_s: float = 0.0  # processor time of the whole command and all it started
    note: str = ""  # why there is no result, or another failure than the expected one
    stats: dict = field(default_factory=dict)  # more figures, by their name in stats.json

    @property
    def found(self):
        return self.found_at > 0

    def as_dict(self):
        return asdict(self)


class Results:
    """The outcomes of all cells of a table."""

    def __init__(self):
        self._outcomes = {}

    def add(self, cell, outcomes):
        self._outcomes[cell.program_name, cell.method.name] = outcomes

    def of(self, program, method):
        """The outcomes of the trials of a cell; empty if it was not run."""
        return self._outcomes.get((program, method), [])
