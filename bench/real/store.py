# SPDX-License-Identifier: Apache-2.0
"""Results on disk, one line of JSON a package, so that a benchmark that was interrupted goes on where it was.

The key is made of all that a result depends on: the recipe and its drivers, the source's version, the command and
the runtime (by content), and the time for each.
"""

import functools
import hashlib
import json

from . import places


@functools.lru_cache(maxsize=None)
def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def key_of(recipe, version, seconds):
    """Verdicts are no part of it: they are looked up when the page is made."""
    recipe_text = recipe.text.split("[[verdict]]")[0]
    drivers = [path for path in sorted(places.DRIVERS.iterdir()) if path.name in recipe.text]
    parts = [recipe.name, version, str(seconds), digest_of(places.JOSTLE), digest_of(places.RUNTIME)]
    parts += [hashlib.sha256(recipe_text.encode()).hexdigest()[:16], *(digest_of(path) for path in drivers)]
    return " ".join(parts)


class Store:
    def __init__(self, path):
        self._path = path
        self._known = {}
        self._last = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in path.read_text().splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
                self._keep(entry["key"], entry["result"])
            except (ValueError, KeyError, TypeError):
                continue  # a line that was cut off when the benchmark was interrupted

    def _keep(self, key, result):
        self._known[key] = result
        self._last[result["name"]] = result

    def find(self, key):
        return self._known.get(key)

    def last(self, name):
        """The newest result of a package, whatever it was made with."""
        return self._last.get(name)

    def add(self, key, result):
        self._keep(key, result)
        with open(self._path, "a") as file:
            file.write(json.dumps({"key": key, "result": result}) + "\n")
