# SPDX-License-Identifier: Apache-2.0
"""Outcomes of trials on disk, so that a benchmark that was interrupted goes on where it was.

One line of JSON per trial, added when the trial ends. The key is made of everything the outcome depends
on: the program, the command and the runtime (by content), the method, its options, the limits, the seed.
"""

import functools
import hashlib
import json

from . import places
from .work import Outcome


@functools.lru_cache(maxsize=None)
def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def program_of(cell):
    return (places.PLAIN if cell.method.native else places.INSTRUMENTED) / cell.program_name


def key_of(cell, seed):
    binaries = [digest_of(program_of(cell))]
    if not cell.method.native:
        binaries = [digest_of(places.JOSTLE), digest_of(places.RUNTIME), *binaries]
    parts = [cell.program_name, cell.method.strategy, *cell.method.options, cell.limit.seconds, cell.limit.schedules]
    parts += [cell.keep_going, seed, *binaries]
    if cell.method.native:
        parts += [cell.method.name, cell.hang]
    return " ".join(str(part) for part in parts)


class Store:
    def __init__(self, path):
        self._path = path
        self._known = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                    self._known[entry["key"]] = Outcome(**entry["outcome"])
                except (ValueError, KeyError, TypeError):
                    continue  # a line that was cut off when the benchmark was interrupted

    def find(self, key):
        return self._known.get(key)

    def add(self, key, outcome):
        self._known[key] = outcome
        with open(self._path, "a") as file:
            file.write(json.dumps({"key": key, "outcome": outcome.as_dict()}) + "\n")
