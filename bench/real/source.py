# SPDX-License-Identifier: Apache-2.0
"""The distribution's sources, by a configuration of apt of our own: the machine's stays as it is."""

import os
import re
import subprocess


class Unavailable(Exception):
    """The source, or what it needs, cannot be had here."""


def _quietly(words, **options):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    except OSError as error:
        raise Unavailable(f"{words[0]}: {error.strerror}") from error
    if done.returncode != 0:
        errors = [line for line in done.stdout.splitlines() if line.startswith("E:")]
        raise Unavailable(errors[0] if errors else f"{words[0]} failed")


def _with_sources(text):
    """A list of the machine's, asking for sources, too; in either of its two forms."""
    text = re.sub(r"^Types:.*$", "Types: deb deb-src", text, flags=re.M)
    return re.sub(r"^deb(\s.*)$", r"deb\1\ndeb-src\1", text, flags=re.M)


class Apt:
    def __init__(self, folder, machine="/etc/apt"):
        self._folder = folder
        self._machine = machine
        self._environment = {**os.environ, "APT_CONFIG": str(folder / "apt.conf")}

    def prepare(self):
        from pathlib import Path

        lists = self._folder / "sources"
        for name in ("lists/partial", "cache/archives/partial", "sources"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        etc = Path(self._machine)
        for path in [etc / "sources.list", *etc.glob("sources.list.d/*")]:
            if path.is_file() and path.suffix in (".list", ".sources"):
                (lists / path.name).write_text(_with_sources(path.read_text()))
        (self._folder / "apt.conf").write_text(
            'Dir::Etc::SourceList "/dev/null";\n'
            f'Dir::Etc::SourceParts "{lists}";\n'
            f'Dir::State::Lists "{self._folder}/lists";\n'
            f'Dir::Cache "{self._folder}/cache";\n'
        )
        if not any((self._folder / "lists").glob("*Sources*")):
            _quietly(["apt-get", "update", "-q"], env=self._environment)

    def fetch(self, name, folder):
        """Unpacks the source below the folder; its path. Where only the patches cannot be had: without them."""
        folder.mkdir(parents=True, exist_ok=True)
        words = ["apt-get", "source", "-q", "-oAPT::Sandbox::User=root"]
        try:
            _quietly([*words, name], cwd=folder, env=self._environment)
        except Unavailable:
            _quietly([*words, "--tar-only", name], cwd=folder, env=self._environment)
            archives = [path for path in folder.glob("*.orig.tar.*") if path.suffix != ".asc"]
            if not archives:
                raise Unavailable(f"the source of {name} has no archive") from None
            _quietly(["tar", "xf", archives[0].name], cwd=folder)
        found = unpacked(folder)
        if found is None:
            raise Unavailable(f"not one folder in {folder}")
        return found

    def version(self, name):
        done = subprocess.run(["apt-cache", "showsrc", name], env=self._environment, capture_output=True, text=True)
        versions = re.findall(r"^Version: (.*)$", done.stdout, flags=re.M)
        return max(versions, key=_natural) if versions else ""


def _natural(version):
    return [int(part) if part.isdigit() else -1 for part in re.split(r"(\d+)", version)]


def unpacked(folder):
    """The one folder in it, or nothing."""
    found = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return found[0] if len(found) == 1 else None


def missing(packages):
    query = ["dpkg-query", "-W", "-f=${db:Status-Status}"]
    return [p for p in packages if subprocess.run([*query, p], capture_output=True, text=True).stdout != "installed"]


def install(packages):
    wanted = missing(packages)
    if not wanted:
        return
    if os.getuid() != 0:
        raise Unavailable(f"it needs {' '.join(wanted)}: apt install them")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _quietly(["apt-get", "install", "-y", "-q", "--no-install-recommends", *wanted], env=environment)


def installed_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
    return done.stdout
