#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every end-to-end test compiles by itself: it includes, perhaps by way of others, the header of the helpers it uses.

Continuous integration compiles many tests at once, where a forgotten include goes unnoticed; `./dev test` on a fresh clone
does not. Functions, types and constants that one header of the folder alone declares are looked for in the other files.
`.ci/run --long` compiles every file by itself.
"""
import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = "tests/e2e"
FEWEST_USES = 300  # fewer: the patterns do not fit the sources any more

COMMENT_OR_STRING = re.compile(r'R"\((?:.|\n)*?\)"|//[^\n]*|"(?:\\.|[^"\\\n])*"')
DECLARED = re.compile(r"^(?:(?:class|struct|enum class|enum) (\w+)[^;\n]*\{"
                      r"|(?:inline )?constexpr [\w:<>]+ (\w+)"
                      r"|(?! |using |return |#|namespace )[\w:<>,&*\[\] ]*[\w>&*] [*&]?(\w+)\()", re.M)
# Members, and functions in variables.
INSIDE = re.compile(r"^ +(?!return |throw )[\w:<>,&*\[\] ]*[\w>&*] [*&]?(\w+)(?:\([^;\n]*[{,]$| = \[)", re.M)
USED = re.compile(r"(?<![\w.>:])(\w+(?=\()|[A-Zk]\w*[a-z]\w*)")  # functions are called; types and constants
INCLUDED = re.compile(r'^#include "([^"]+)"', re.M)


def closure(path, included):
    seen, todo = {path}, [path]
    while todo:
        for other in included.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def names_declared(text):
    return {name for names in DECLARED.findall(text) for name in names if name}


def look_through(folder):
    """What is missing in this folder, and how many uses there are of what its headers declare."""
    texts, included = {}, {}
    for name in os.listdir(folder):
        if name.endswith((".cc", ".h")):
            path = f"{folder}/{name}"
            with open(path, encoding="utf-8") as file:
                text = file.read()
            included[path] = INCLUDED.findall(text)
            texts[path] = COMMENT_OR_STRING.sub('""', text)
    homes = collections.defaultdict(set)
    for path, text in texts.items():
        if path.endswith(".h"):
            for name in names_declared(text):
                homes[name].add(path)
    missing, uses = [], 0
    for path, text in texts.items():
        known = closure(path, included)
        own = names_declared(text) | set(INSIDE.findall(text))
        for name in sorted(set(USED.findall(text)) - own):
            home = homes.get(name, ())
            uses += len(home) == 1
            if len(home) == 1 and not known & home:
                missing.append(f"{path} uses {name} without including {next(iter(home))}")
    return missing, uses


def main():
    os.chdir(ROOT)
    missing, uses = look_through(FOLDER)
    if uses < FEWEST_USES:
        missing.append(f"only {uses} uses were found: the patterns do not fit the sources any more")
    print("\n".join(missing) or f"{uses} uses of what one header declares: all include it")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
