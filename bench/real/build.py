# SPDX-License-Identifier: Apache-2.0
"""Builds a package in a copy of its source: with `jostle cc`, and without Jostle to see what the wrapper costs."""

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
        "CLANGXX": f"env JOSTLE_CXX=clang++ {compilers[1]}" if jostle else "clang++",
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


def _key(recipe, version, wrapper):
    """What was built: programs load the runtime when they start, so that it is no part of it."""
    drivers = [path.read_text() for path in sorted(places.DRIVERS.iterdir()) if path.name in recipe.build]
    return hashlib.sha256("\0".join([recipe.build, version, wrapper, *drivers]).encode()).hexdigest()


def _remembered(folder):
    try:
        return json.loads((folder / STAMP).read_text())
    except (OSError, ValueError):
        return {}


def known(recipe, version, folder):
    """How long it took, if the folder has been built like this before."""
    stamp = _remembered(folder)
    return stamp if stamp.get("key") == _key(recipe, version, _wrapper()) else None


def known_without_jostle(recipe, version, folder):
    """How long that took before, whatever the wrapper was then."""
    stamp = _remembered(folder)
    return stamp.get("gcc_s") if stamp.get("plain_key") == _key(recipe, version, "") else None


def remember(recipe, version, folder, times):
    keys = {"key": _key(recipe, version, _wrapper()), "plain_key": _key(recipe, version, "")}
    (folder / STAMP).write_text(json.dumps({**times, **keys}))


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
