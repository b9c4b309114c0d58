# SPDX-License-Identifier: Apache-2.0
"""Documents lead somewhere, the index of docs/ is complete, and every source says what its license is."""

import re
import unittest

from license_lines import ROOT, has_license, repository, sources

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|^(?: {4}|\t).*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def anchors(page):
    """The names that GitHub gives to the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    names = set()
    for heading in re.findall(r"^#+ +(.*)$", text, re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        names.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return names


def folder_of(page):
    """Where a page's links start. The notes of the benchmarks become parts of docs/results*.md."""
    return ROOT / "docs" if page.parent == ROOT / "bench" / "papers" / "notes" else page.parent


def broken_links(page):
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (folder_of(page) / path).resolve() if path else page
        if not file.exists():
            yield f"{page.relative_to(ROOT)}: no {target}"
        elif anchor and anchor not in anchors(file):
            yield f"{page.relative_to(ROOT)}: no such heading: {target}"


class Documents(unittest.TestCase):
    def test_every_page_is_in_the_index(self):
        index = ROOT / "docs" / "README.md"
        linked = {(index.parent / target).resolve() for target in LINK.findall(index.read_text())}
        pages = {path for path in repository() if path.parent == index.parent and path.suffix == ".md"} - {index}
        self.assertGreater(len(pages), 10)
        self.assertEqual(sorted(page.name for page in pages - linked), [])

    def test_every_link_leads_somewhere(self):
        pages = [path for path in repository() if path.suffix == ".md"]
        self.assertIn(ROOT / "README.md", pages)
        self.assertEqual([broken for page in pages for broken in broken_links(page)], [])

    def test_a_link_that_leads_nowhere_is_seen(self):
        page = ROOT / "tests" / "documents" / "broken.md.txt"
        self.assertEqual(len(list(broken_links(page))), 3)

    def test_every_source_says_its_license(self):
        found = sources()
        self.assertGreater(len(found), 1000)
        missing = [str(path.relative_to(ROOT)) for path in found if not has_license(path)]
        self.assertEqual(missing, [], "python3 tests/documents/license_lines.py adds these lines")

    def test_the_license_names_its_owner(self):
        self.assertNotRegex((ROOT / "LICENSE").read_text(), r"\[(yyyy|name of copyright owner)\]")


if __name__ == "__main__":
    unittest.main()
