# SPDX-License-Identifier: Apache-2.0
"""A recipe as data: packages/NAME.toml.

    source = "libuv1"              the source package; without it the software is in the packages of `needs`
    kind = "event loop"
    needs = ["libx-dev"]           Debian packages, beside compilers, make and cmake
    build = "…"                    bash, in the unpacked source; $CC and $CXX are the compilers ($CLANGXX: clang), $JOBS how many at once,
                                   $DRIVERS our drivers' folder
    [[run]]
    what = "…"                     for the page
    command = "./test a b"         bash words, in the same folder; $DATA is a file of 300 KB
    fuzz = ["--points=sync"]       more words for `jostle fuzz` (and doctor, without them)
    before = "…"                   bash, once before the campaigns
    verify = true                  small enough for `jostle verify`
    [[verdict]]
    finding = "race of .*counter"  a regular expression; the first that is found in a finding's text holds
    is = "bug"                     bug, benign, assumption (of the test) or ours (a false alarm, or a limit)
    why = "…"
    since = "…"                    what upstream did, if anything is known
"""

import dataclasses
import re
import tomllib

VERDICTS = {
    "bug": "bug",
    "benign": "benign by the standard's letter",
    "assumption": "the test's assumption",
    "ours": "ours",
}


@dataclasses.dataclass(frozen=True)
class Run:
    what: str
    command: str
    before: str = ""
    fuzz: tuple = ()
    verify: bool = False
    verify_with: tuple = ()


@dataclasses.dataclass(frozen=True)
class Verdict:
    finding: str
    judgement: str
    why: str
    since: str = ""


@dataclasses.dataclass(frozen=True)
class Recipe:
    name: str
    kind: str
    source: str
    needs: tuple
    build: str
    runs: tuple
    verdicts: tuple
    text: str  # of the file: what a result depends on


def _run(data):
    return Run(
        what=data["what"],
        command=data["command"],
        before=data.get("before", ""),
        fuzz=tuple(data.get("fuzz", ())),
        verify=data.get("verify", False),
        verify_with=tuple(data.get("verify_with", ())),
    )


def _verdict(data):
    if data["is"] not in VERDICTS:
        raise ValueError(f"a verdict is one of {', '.join(VERDICTS)}, not {data['is']}")
    re.compile(data["finding"])
    return Verdict(data["finding"], data["is"], " ".join(data["why"].split()), data.get("since", ""))


def read(path):
    text = path.read_text()
    data = tomllib.loads(text)
    try:
        return Recipe(
            name=path.stem,
            kind=data["kind"],
            source=data.get("source", ""),
            needs=tuple(data.get("needs", ())),
            build=data["build"],
            runs=tuple(_run(run) for run in data["run"]),
            verdicts=tuple(_verdict(verdict) for verdict in data.get("verdict", ())),
            text=text,
        )
    except (KeyError, ValueError, re.error) as error:
        raise ValueError(f"{path}: {error}") from error


def read_all(folder):
    return [read(path) for path in sorted(folder.glob("*/*.toml"))]
