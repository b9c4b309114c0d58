# SPDX-License-Identifier: Apache-2.0
"""The programs of subjects/, as the manifest lists them."""

import csv
from dataclasses import dataclass

from . import places


@dataclass(frozen=True)
class Subject:
    name: str
    group: str
    threads: int
    kinds: tuple  # of the failure
    arguments: tuple
    twin: str  # "": none
    published: tuple  # pairs of a paper and the program's name in its tables

    def name_in(self, paper):
        return dict(self.published).get(paper, "")


PAPERS = ("rff", "surw", "taming", "threadfuzzer", "thesis")


def read_csv(path):
    """Rows as dictionaries; lines that begin with # say where the figures are from."""
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def read_manifest(path=places.MANIFEST):
    subjects = []
    for row in read_csv(path):
        published = tuple((paper, row[paper]) for paper in PAPERS if row.get(paper))
        arguments = tuple(row["arguments"].split())
        subjects.append(
            Subject(row["name"], row["group"], int(row["threads"]), tuple(row["kind"].split("|")), arguments, row["twin"], published)
        )
    return subjects


def published_in(paper, subjects):
    """Those that are in the tables of a paper."""
    return [subject for subject in subjects if subject.name_in(paper)]
