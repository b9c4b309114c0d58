# SPDX-License-Identifier: Apache-2.0
"""One trial of the baseline: the plain program, built without jostle, in a loop.

A run fails when the program ends with anything but 0. A run that takes very long is taken for a deadlock: the
programs need a millisecond.
"""

import os
import signal
import time

from . import places
from .work import Outcome


def run_once(program, arguments, null, limit):
    """The wait status of one run; None: it hung and was killed."""
    actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    child = os.posix_spawn(program, [program, *arguments], os.environ, file_actions=actions, setsigmask=[])
    deadline = time.monotonic() + limit
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid == child:
            return status
        left = deadline - time.monotonic()
        if left <= 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        signal.sigtimedwait([signal.SIGCHLD], left)


def run_native(cell, seed):
    """The seed has no influence: the operating system decides."""
    outcome = Outcome(seed)
    program = os.fspath(places.PLAIN / cell.program_name)
    failing = hung = 0
    null = os.open(os.devnull, os.O_RDWR)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    started = time.monotonic()
    try:
        while True:
            elapsed = time.monotonic() - started
            if cell.limit.seconds and elapsed >= cell.limit.seconds:
                break
            if cell.limit.schedules and outcome.schedules >= cell.limit.schedules:
                break
            status = run_once(program, cell.subject.arguments, null, cell.hang)
            outcome.schedules += 1
            if status == 0:
                continue
            failing += status is not None
            hung += status is None
            if not outcome.found_at:
                outcome.found_at = outcome.schedules
            if not cell.keep_going:
                break
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(null)
    outcome.wall_s = outcome.search_s = outcome.to_bug_s = time.monotonic() - started
    runs = max(outcome.schedules, 1)
    # As in the papers, the time of an iteration leaves out those that timed out.
    outcome.stats = {
        "failing_schedules": failing + hung,
        "percent_violated": 100 * failing / runs,
        "percent_deadlocked": 0.0,
        "percent_timed_out": 100 * hung / runs,
        "ms_per_schedule": 1000 * (outcome.wall_s - hung * cell.hang) / max(runs - hung, 1),
    }
    return outcome
