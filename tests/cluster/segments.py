# SPDX-License-Identifier: Apache-2.0
"""Segments of a campaign's folder, written by the table of docs/campaign.md and by nothing else: so the table is tested, too."""

import json
import struct
import zlib
from pathlib import Path


def record(kind, payload):
    return struct.pack("<I", kind << 24 | len(payload)) + payload


def progress(milliseconds, schedules):
    return record(1, struct.pack("<7QI", milliseconds, schedules, 0, schedules, 1, schedules, 0, 0))


def schedule(*constraints):
    return record(2, b"".join(struct.pack("<3QB", *each) for each in constraints))


def pair(value):
    return record(3, struct.pack("<Q", value))


def reads_from_class(value, runs):
    return record(4, struct.pack("<QI", value, runs))


def segment(number, milliseconds, records):
    body = b"".join(records)
    head = b"JSTLSEG\n" + struct.pack("<IIQQQ", 1, len(records), number, milliseconds, len(body))
    return head + struct.pack("<II", zlib.crc32(head + body), 0) + body


class Worker:
    """One that exists on disk only."""

    def __init__(self, build, number):
        self.folder = Path(build) / f"w{number:06}"
        self.folder.mkdir(parents=True)
        self.written = 0
        (self.folder / "info.json").write_text(json.dumps({"host": "simulated", "process": number, "seed": number, "jobs": 1}))
        self.beat(0)

    def beat(self, schedules):
        (self.folder / "heartbeat").write_text(json.dumps({"state": "running", "ended": False, "schedules": schedules}))

    def write(self, milliseconds, records):
        self.written += 1
        path = self.folder / f"{self.written:010}.seg"
        temporary = path.with_suffix(".seg.tmp-simulated")
        temporary.write_bytes(segment(self.written, milliseconds, records))
        temporary.rename(path)
