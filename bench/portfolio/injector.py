# SPDX-License-Identifier: Apache-2.0
"""Puts bugs into correct programs: each needs k places to be passed in one order, by threads that alternate.

A place is in front of a statement of code that threads run. Each bug has a state of its own in shared memory; who passes the place that comes
next, and is not the one who passed the last, takes the bug one step on, and any other pass sets it back. The last
step fails an assertion of the bug's own. Passing a place costs what a shared access costs: a read, and a write if it
changes something.
"""

import random
import re

HEAD = """#include <assert.h>
static struct { volatile int stage; volatile long last; } injected[{bugs}];
static __thread int injected_me;
static inline int injected_pass(int bug, int place, int places) {
  if (injected[bug].stage == place && injected[bug].last != (long)&injected_me) {
    injected[bug].stage = place + 1;
    injected[bug].last = (long)&injected_me;
    return place + 1 == places;
  }
  if (injected[bug].stage != 0) injected[bug].stage = 0;
  return 0;
}
"""

STATEMENT = re.compile(r"^ {2,}(?!return|break|continue|static|\}|do\b|case\b|for\b|while\b|if\b|else\b).*;$")


def places_of(lines):
    """Lines in front of which a statement can be put, by number; not in main."""
    end = next(n for n, line in enumerate(lines) if line.startswith("int main"))
    return [
        n
        for n in range(1, end)
        if STATEMENT.match(lines[n]) and lines[n - 1].rstrip().endswith(("{", ";", "}")) and is_in_function(lines, n)
    ]


def is_in_function(lines, number):
    """Not in a structure or a list of constants: the last line without indentation begins a function."""
    while lines[number].startswith(" "):
        number -= 1
    return lines[number].endswith("{") and "(" in lines[number]


def inject(text, seed, bugs):
    """The program with so many bugs, and how many places each of them needs."""
    rng = random.Random(seed)
    lines = text.splitlines()
    places = places_of(lines)
    passes, needs = {}, []
    for bug in range(bugs):
        k = rng.choice((2, 3, 3, 4, 5))
        needs.append(k)
        for place, line in enumerate(rng.sample(places, k)):
            passes.setdefault(line, []).append(f'  assert(!(injected_pass({bug}, {place}, {k}) && "bug {bug}"));')
    out = []
    for number, line in enumerate(lines):
        if line.startswith("#include") and not any("injected[" in one for one in out):
            out += HEAD.replace("{bugs}", str(bugs)).splitlines()
        out += passes.get(number, [])
        out.append(line)
    return "\n".join(out) + "\n", needs
