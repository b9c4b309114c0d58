# SPDX-License-Identifier: Apache-2.0
"""What a page shows is what is printed: every `$ command` of README.md and docs/ is run, and its output compared.

usage: shown.py BUILD_FOLDER [--update] [PAGE…]

A page is a session in a folder of its own, with the examples in it. Comments, which readers do not see, say what a
page does not show:

    <!-- before: jostle c++ -g -O1 bank.cc -o bank -->    run first, from here on; must succeed
    <!-- not run: reason -->                              the next block is not run

What differs from one machine or day to the next is left out of the comparison: the digits of a finding's name,
addresses, times, speeds, numbers of schedules. A line `…` stands for any lines, `…` inside of one for any text.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 120  # seconds, for one command

COMMENT = re.compile(r"<!-- (before|not run): (.*?) -->", re.DOTALL)
FINDING = re.compile(r"\b(assert|deadlock|race|crash|exception|exit|abort|heap|misuse|livelock|history)-[0-9a-f]{6,40}\b")
PROGRESS = re.compile(r" +[0-9]+:[0-9][0-9] +[0-9,]+ schedules ")  # comes when it comes
VARIES = [
    (FINDING, r"\1-######"),
    (re.compile(r"0x[0-9a-f]+"), "0x#"),
    (re.compile(r"^ (?:[0-9][0-9,]* )+(?=\D)"), "# "),
    (re.compile(r"\b[0-9]{1,3}(,[0-9]{3})+\b"), "#"),
    (re.compile(r"\b[0-9.,]+( ?)(s|ms|k/s|M/s|/s)\b"), r"#\1s"),
    (re.compile(r"\b[0-9][0-9.,]*[kM]? (schedules?|distinct|by reads-from|runs?|violated|executions?|reads-from pairs|data flows)\b"), r"# \1"),
    (re.compile(r"\b1 of [0-9,]+ schedules?"), "# schedules"),
    (re.compile(r"\b[0-9]+ of (?=# data flows)"), "# of "),
    (re.compile(r"\bseed [0-9]+"), "seed #"),
    (re.compile(r"(after|in|of) # schedules?"), r"\1 # schedules"),
    (re.compile(r"after # runs?;"), "after # runs;"),
    (re.compile(r"[0-9.]+ %"), "# %"),
    (re.compile(rf"(/tmp|{re.escape(tempfile.gettempdir())})/[\w.-]+/"), ""),
]


class Block:
    """Indented lines of a page: commands, each with what it printed."""

    def __init__(self, line, reason):
        self.line, self.reason, self.commands = line, reason, []


def blocks_of(text):
    """The blocks with commands, and what is to be run before them, in the order of the page."""
    found, block, reason = [], None, None
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("    ") or (block and line == "" and at + 1 < len(lines) and lines[at + 1].startswith("    ")):
            shown = line[4:]
            if shown.startswith("$ "):
                if block is None:
                    block = Block(at + 1, reason)
                    reason = None
                    found.append(block)
                block.commands.append((at + 1, shown[2:], []))
            elif block:
                block.commands[-1][2].append(shown)
        else:
            block = None
            comment = COMMENT.match("\n".join(lines[at:]))
            if comment and comment[1] == "before":
                found.append(comment[2])
            elif comment:
                reason = comment[2]
        at += 1
    return found


def plain(line):
    line = re.sub(r"\s+", " ", line.rstrip())
    for pattern, text in VARIES:
        line = pattern.sub(text, line)
    return line


def matches(shown, printed):
    """Lines of a page, with `…`, against lines that were printed."""
    if not shown:
        return not printed
    if shown[0].strip() == "…":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in plain(shown[0]).split("…"))
    return re.fullmatch(pattern, plain(printed[0])) is not None and matches(shown[1:], printed[1:])


def without_blank_ends(lines):
    lines = list(lines)
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


class Session:
    """A shell in a folder of its own."""

    def __init__(self, build):
        self.folder = Path(tempfile.mkdtemp(prefix="jostle-page-"))
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        shutil.copytree(ROOT / "tests" / "programs", self.folder / "tests" / "programs")
        for source in (ROOT / "examples").glob("*.cc"):
            shutil.copy(source, self.folder)
        self.environment = dict(os.environ, PATH=f"{build}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8", ROOT=str(ROOT))
        for name in ("JOSTLE_CONFIG", "COLUMNS", "CXX", "CC"):
            self.environment.pop(name, None)

    def run(self, command):
        """What it printed: on its standard output alone, and all of it."""
        command = FINDING.sub(self.finding, command.split("   #")[0])
        exported = re.fullmatch(r"export (\w+)=(\S+)((?: \w+=\S+)*)", command.strip())
        if exported:
            for word in command.split()[1:]:
                name, _, value = word.partition("=")
                self.environment[name] = value
            return [], [], 0
        answer = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST)
        lines = answer.stdout.decode(errors="replace").split("\n")
        both = without_blank_ends(line for line in lines if not PROGRESS.match(line))
        # What the command has to say about itself goes to stderr.
        out = without_blank_ends(line for line in both if not line.startswith("jostle: "))
        return out, both, answer.returncode

    def finding(self, match):
        """The finding of today, in place of the one on the page."""
        today = sorted((self.folder / "jostle-out").glob(f"**/{match[1]}-*"))
        return today[0].name if today else match[0]

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def check(page, build, update):
    """What is wrong with the page, as text."""
    text = page.read_text()
    lines = text.split("\n")
    wrong, new = [], []
    session = Session(build)
    name = page.relative_to(ROOT)
    try:
        for block in blocks_of(text):
            if isinstance(block, str):
                out, both, status = session.run(block)
                if status != 0:
                    wrong.append(f"{name}: `{block}` fails:\n" + "\n".join(both[-20:]))
                continue
            if block.reason:
                continue
            for line, command, shown in block.commands:
                out, both, _ = session.run(command)
                shown = without_blank_ends(shown)
                if not shown or any(matches(shown, printed) for printed in (out, both)):
                    continue
                difference = difflib.unified_diff([plain(each) for each in shown], [plain(each) for each in out or both],
                                                  "shown", "printed", lineterm="", n=1)
                wrong.append(f"{name}:{line}: $ {command}\n" + "\n".join(difference))
                if update and not any("…" in each for each in shown):
                    new.append((line, len(shown), out or both))
    finally:
        session.close()
    for line, count, printed in reversed(new):
        lines[line:line + count] = [f"    {each}".rstrip() for each in printed]
    if new:
        page.write_text("\n".join(lines))
    return wrong


def main():
    arguments = [each for each in sys.argv[1:] if not each.startswith("--")]
    update = "--update" in sys.argv
    build = Path(arguments[0]).resolve()
    pages = [Path(each).resolve() for each in arguments[1:]]
    pages = pages or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    wrong = []
    for page in pages:
        wrong += check(page, build, update)
    for each in wrong:
        print(each, end="\n\n")
    print(f"{len(pages)} pages, {len(wrong)} of their commands print something else")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
