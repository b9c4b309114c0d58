# SPDX-License-Identifier: Apache-2.0
"""Reads the part of YAML that pipelines are written in: mappings, lists, plain and quoted words, `|` texts.

Everything is text, no word is a number or a truth value. What is not understood is an error, never a guess.
"""

import re

KEY = re.compile(r"""([A-Za-z0-9_.-]+):(?:\s+(.*))?$""")


def load(text):
    lines = [(len(line) - len(line.lstrip(" ")), line.strip(), number)
             for number, line in enumerate(text.splitlines(), 1)]
    reader = Reader(lines, text.splitlines())
    value = reader.block(0)
    if reader.peek() is not None:
        raise ValueError(f"line {reader.peek()[2]}: not at this depth: {reader.peek()[1]}")
    return value


class Reader:
    def __init__(self, lines, raw):
        self.lines, self.raw, self.at = lines, raw, 0

    def peek(self):
        while self.at < len(self.lines) and (not self.lines[self.at][1] or self.lines[self.at][1].startswith("#")):
            self.at += 1
        return self.lines[self.at] if self.at < len(self.lines) else None

    def block(self, least):
        """The list or mapping that begins here, if it is indented by at least so much."""
        line = self.peek()
        if line is None or line[0] < least:
            return None
        return self.list(line[0]) if line[1].startswith("- ") else self.mapping(line[0])

    def list(self, depth):
        items = []
        while (line := self.peek()) and line[0] == depth and line[1].startswith("- "):
            rest = line[1][2:].lstrip()
            if KEY.match(rest):
                # A mapping whose first key stands behind the dash.
                inner = depth + len(line[1]) - len(rest)
                self.lines[self.at] = (inner, rest, line[2])
                items.append(self.mapping(inner))
            else:
                self.at += 1
                items.append(scalar(rest, line[2]))
        return items

    def mapping(self, depth):
        result = {}
        while (line := self.peek()) and line[0] == depth and not line[1].startswith("- "):
            match = KEY.match(line[1])
            if not match or match[1] in result:
                raise ValueError(f"line {line[2]}: expected a new `key:', not {line[1]}")
            self.at += 1
            if match[2] == "|":
                result[match[1]] = self.text(depth)
            elif match[2] and not match[2].startswith("#"):
                result[match[1]] = scalar(match[2], line[2])
            else:
                result[match[1]] = self.block(depth + 1)
        return result

    def text(self, depth):
        begin = self.at
        while self.at < len(self.lines) and (not self.lines[self.at][1] or self.lines[self.at][0] > depth):
            self.at += 1
        lines = self.raw[begin:self.at]
        margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        return "\n".join(line[margin:] for line in lines).rstrip("\n") + "\n"


def scalar(text, number):
    if text[0] in "\"'":
        if len(text) < 2 or text[-1] != text[0] or text[0] in text[1:-1] or "\\" in text:
            raise ValueError(f"line {number}: quoted text that is not understood: {text}")
        return text[1:-1]
    if text[0] in "[{&*!|>%@`" or " #" in text or ": " in text:
        raise ValueError(f"line {number}: not understood: {text}")
    return text
