#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms of docs/architecture.md are the folders of src/, and includes follow its arrows.

A row of its tables is `| `room/` | what it is | room, room |`. A file may include its own room, the rooms of
the last column, and what those may include. `room/` stands for the folders inside it that have no row.
"""
import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_FILES = 30


def read_rooms(document):
    rooms = {}
    for line in document.splitlines():
        row = re.fullmatch(r"\| `src/([a-z_/]+)/` \| .* \| (.*) \|", line)
        if row:
            rooms[row[1]] = re.findall(r"[a-z_]+(?:/[a-z_]+)*", row[2].replace("nothing", ""))
    return rooms


def room_of(path, rooms):
    """The innermost room that holds `path`, a file below src/."""
    while path := os.path.dirname(path):
        if path in rooms:
            return path
    return None


def below(room, rooms):
    seen, todo = {room}, [room]
    while todo:
        for lower in rooms.get(todo.pop(), []):
            if lower not in seen:
                seen.add(lower)
                todo.append(lower)
    return seen


def main():
    os.chdir(ROOT)
    with open("docs/architecture.md", encoding="utf-8") as file:
        rooms = read_rooms(file.read())
    wrong, stems = [], collections.defaultdict(set)
    for room, lower in rooms.items():
        wrong += [f"architecture.md: {room} depends on {name}, which has no row" for name in lower if name not in rooms]
        if not os.path.isdir(f"src/{room}"):
            wrong.append(f"architecture.md: there is no src/{room}")
    allowed = {room: below(room, rooms) for room in rooms}
    for folder, _, names in os.walk("src"):
        sources = [name for name in names if name.endswith((".cc", ".h", ".S"))]
        if len(names) > MOST_FILES:
            wrong.append(f"{folder} has {len(names)} files, more than {MOST_FILES}: it wants rooms")
        for name in sources:
            path = f"{folder}/{name}"[len("src/"):]
            stems[name].add(folder)
            room = room_of(path, rooms)
            if not room:
                wrong.append(f"src/{path} is in no room of architecture.md")
                continue
            with open(f"src/{path}", encoding="utf-8") as file:
                for included in re.findall(r'#include "src/([^"]+)"', file.read()):
                    other = room_of(included, rooms)
                    if other not in allowed[room]:
                        wrong.append(f"src/{path} includes src/{included}: {room} does not depend on {other}")
    wrong += [f"{name} is in {' and in '.join(sorted(folders))}" for name, folders in stems.items() if len(folders) > 1]
    print("\n".join(wrong) or f"{len(rooms)} rooms, every include follows an arrow")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
