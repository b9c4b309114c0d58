# SPDX-License-Identifier: Apache-2.0
"""Commands of packages run as a user who cannot change the machine, when we are root."""

import os
import signal
import subprocess
import time

NOBODY = 65534


def words():
    if os.getuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def give(folder):
    """The folder becomes the guest's."""
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(folder)], check=True)


class Outcome:
    def __init__(self, code, out, err, seconds, hung):
        self.code, self.out, self.err, self.seconds, self.hung = code, out, err, seconds, hung


def run(command, folder, environment, limit):
    """Runs words (or, if it is text, a script of bash) in the folder, with all it starts ended after `limit` seconds."""
    if isinstance(command, str):
        command = ["bash", "-euo", "pipefail", "-c", command]
    started = time.monotonic()
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
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Outcome(process.returncode, out, err, time.monotonic() - started, hung)
