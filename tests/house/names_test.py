#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/architecture*.md names in `…` is there: files and folders by the end of their path, `Type::member` in a file
that declares the type and names the member, other words of the code anywhere in it."""
import collections
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = (".h", ".hpp", ".cc", ".S", ".py", ".txt", ".cmake")
# Of a build tree, of a campaign's folder, of the kernel.
ELSEWHERE = {"lib/checked/libjostle.so", "JOSTLE_LIB=lib/checked", "rt_sigreturn"}
FEWEST_NAMES = 200  # fewer: the patterns do not fit the documents any more

DECLARED = re.compile(r"\b(?:class|struct|enum class|enum|namespace) (\w+)")


def tracked_files():
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return listed.stdout.splitlines()
    return [os.path.relpath(os.path.join(folder, name), ".") for folder, _, names in os.walk(".") for name in names]


def ends_of(paths):
    """Every end of a path that begins at a folder: a/b/c, b/c, c."""
    ends = set()
    for path in paths:
        parts = path.split("/")
        ends.update("/".join(parts[i:]) for i in range(len(parts)))
    return ends


class Tree:
    def __init__(self, files):
        folders = {os.path.dirname(path) for path in files}
        folders |= {os.path.dirname(folder) for folder in folders}
        self.ends = ends_of(set(files) | folders)
        self.words = set()
        self.beside = collections.defaultdict(set)  # a type: the words of the files that declare it
        for path in files:
            if path.startswith(("src/", "include/", "tests/", "cmake/")) and path.endswith(SOURCES):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
                words = set(re.findall(r"[A-Za-z_]\w*", text))
                self.words |= words
                for name in set(DECLARED.findall(text)):
                    self.beside[name] |= words

    def has(self, name):
        if "/" in name or name.endswith(SOURCES + (".md", ".so")):
            return name.rstrip("/") in self.ends
        for owner, member in re.findall(r"(\w+)::(\w+)", name):
            if owner in self.beside and member not in self.beside[owner]:
                return False
        return all(word in self.words for word in re.findall(r"[A-Za-z_]\w+", name))


def names_in(document):
    text = re.sub(r"^    .*$", "", document, flags=re.M)  # pictures
    return [name for name in re.findall(r"`([^`\n]+)`", text)
            if name not in ELSEWHERE and not name.startswith(("-", "@")) and not re.match(r"\S+/.* ", name)]


def main():
    os.chdir(ROOT)
    tree = Tree(tracked_files())
    count, wrong = 0, []
    for page in sorted(glob.glob("docs/architecture*.md")):
        with open(page, encoding="utf-8") as file:
            names = names_in(file.read())
        count += len(names)
        wrong += [f"{page}: there is no {name}" for name in names if not tree.has(name)]
    if count < FEWEST_NAMES:
        wrong.append(f"only {count} names were found: the patterns do not fit the documents any more")
    print("\n".join(wrong) or f"{count} names of the architecture are in the tree")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
