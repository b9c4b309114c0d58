# SPDX-License-Identifier: Apache-2.0
"""Commands of packages run as a user who cannot change the machine, when we are root."""

import os
import resource
import signal
import subprocess
import time

NOBODY = 65534
LAST_WORDS = 10  # seconds, for what was killed


def words():
    if os.getuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def give(folder):
    """The folder becomes the guest's."""
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(folder)], check=True)


class Outcome:
    def __init__(self, code, out, err, seconds, processor_seconds, hung):
        self.code, self.out, self.err, self.hung = code, out, err, hung
        self.seconds, self.processor_seconds = seconds, processor_seconds


def _processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _end(process):
    """Kills the whole group. What has left it may hold the pipes: that is not waited for."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate(timeout=LAST_WORDS)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        process.stdout.close()
        process.stderr.close()
        process.wait()
        return "", ""


def run(command, folder, environment, limit):
    """Runs words (or, if it is text, a script of bash) in the folder, with all it starts ended after `limit` seconds."""
    if isinstance(command, str):
        command = ["bash", "-euo", "pipefail", "-c", command]
    started, used = time.monotonic(), _processor_seconds()
    process = subprocess.Popen(
        [*words(), *command],
        cwd=folder,
        env={**os.environ, **environment, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    hung = False
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        hung = True
        out, err = _end(process)
    seconds = time.monotonic() - started
    return Outcome(process.returncode, out, err, seconds, _processor_seconds() - used, hung)
