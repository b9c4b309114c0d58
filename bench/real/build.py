# SPDX-License-Identifier: Apache-2.0
"""Builds a package in a copy of its source: with `jostle cc`, and with gcc to see what the wrapper costs."""

import shutil

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
        "JOSTLE_CC": f"{places.JOSTLE}-cc" if jostle else "gcc",
        "DRIVERS": str(places.DRIVERS),
        "CCACHE_DISABLE": "1",
    }


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
