# SPDX-License-Identifier: Apache-2.0
"""Builds a package in a copy of its source: with `jostle cc`, and with gcc to see what the wrapper costs."""

import functools
import hashlib
import json
import os
import shutil
import subprocess

from . import guest, places

LIMIT = 900  # seconds


def environment(jostle):
    """What a recipe's script finds. Debug information, because findings are to name lines."""
    compilers = (f"{places.JOSTLE} cc", f"{places.JOSTLE} c++") if jostle else ("gcc", "g++")
    return {
        "CC": compilers[0],
        "CXX": compilers[1],
        "CFLAGS": "-g -O1",
        "CXXFLAGS": "-g -O1",
        "JOBS": "2",
        "CC_OF_ONE_WORD": f"{places.JOSTLE}-cc" if jostle else "gcc",
        "DRIVERS": str(places.DRIVERS),
        "CCACHE_DISABLE": "1",
    }


STAMP = "jostle-built.json"


@functools.lru_cache(maxsize=None)
def _wrapper():
    """What the wrapper makes of a compilation and of a link, in words."""
    texts = [str(places.JOSTLE)]
    for program, variable in (("cc", "JOSTLE_CC"), ("c++", "JOSTLE_CXX")):
        environment = {**os.environ, variable: "echo gcc"}
        for words in (["-c", "x.c"], ["x.o"]):
            done = subprocess.run([places.JOSTLE, program, *words], env=environment, capture_output=True, text=True)
            texts.append(done.stdout)
    return "\n".join(texts)


def _key(recipe, version):
    """What was built: programs load the runtime when they start, so that it is no part of it."""
    drivers = [path.read_text() for path in sorted(places.DRIVERS.iterdir()) if path.name in recipe.build]
    return hashlib.sha256("\0".join([recipe.build, version, _wrapper(), *drivers]).encode()).hexdigest()


def known(recipe, version, folder):
    """How long it took, if the folder has been built like this before."""
    try:
        stamp = json.loads((folder / STAMP).read_text())
    except (OSError, ValueError):
        return None
    return stamp if stamp["key"] == _key(recipe, version) else None


def remember(recipe, version, folder, times):
    (folder / STAMP).write_text(json.dumps({"key": _key(recipe, version), **times}))


def build(recipe, source, folder, jostle):
    """The outcome of the recipe's script, run in a new copy of the source (or in an empty folder)."""
    shutil.rmtree(folder, ignore_errors=True)
    if source is None:
        folder.mkdir(parents=True)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, folder, symlinks=True)
    guest.give(folder)
    outcome = guest.run(recipe.build, folder, environment(jostle), LIMIT)
    (folder / "jostle-build.log").write_text(outcome.out + outcome.err)
    return outcome
