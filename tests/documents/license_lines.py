# SPDX-License-Identifier: Apache-2.0
"""The license line of every source. As a program it adds the missing ones: python3 tests/documents/license_lines.py

It is the first line. In programs whose lines reports, documents and tests quote it is the last one, so that it moves
none of them.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LICENSE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    **dict.fromkeys((".c", ".cc", ".h", ".hpp", ".js", ".S"), "// {}"),
    **dict.fromkeys((".cmake", ".py", ".sh", ".bash"), "# {}"),
    ".css": "/* {} */",
    ".html": "<!-- {} -->",
}
SCRIPTS = {"CMakeLists.txt", "Makefile", "_jostle", "dev", "run"}
QUOTED = ("bench/throughput/", "examples/", "subjects/", "tests/browser/", "tests/e2e/harnesses/",
          "tests/e2e/projects/", "tests/programs/")


def repository():
    """All files; of an unpacked archive, without what is built."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        files = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        files = [path for path in ROOT.rglob("*") if "build" not in path.relative_to(ROOT).parts]
    return [path for path in files if path.is_file() and not path.is_symlink()]


def comment_style(path):
    """None: not a source."""
    if path.suffix == ".h" and path.parent == ROOT / "include" / "jostle":
        return "/* {} */"  # as C has always had them
    if path.name in SCRIPTS or path.name.endswith((".cmake.in", ".pc.in")):
        return "# {}"
    return COMMENTS.get(path.suffix)


def sources():
    return [path for path in repository() if comment_style(path)]


def has_license(path):
    lines = path.read_text().rstrip("\n").split("\n")
    return any(LICENSE in line for line in lines[:3] + lines[-1:])


def is_quoted(path):
    return path.suffix in (".c", ".cc", ".h") and str(path.relative_to(ROOT)).startswith(QUOTED)


def stays_first(line):
    """Other programs look for these in the first line."""
    return line.startswith(("#!", "#compdef")) or line.lower().startswith("<!doctype")


def add_license(path):
    line = comment_style(path).format(LICENSE) + "\n"
    text = path.read_text()
    if is_quoted(path):
        text = text.rstrip("\n") + "\n\n" + line
    else:
        first, end, rest = text.partition("\n")
        text = first + end + line + rest if stays_first(first) else line + text
    path.write_text(text)


if __name__ == "__main__":
    for source in sources():
        if not has_license(source):
            add_license(source)
