# SPDX-License-Identifier: Apache-2.0
"""docs/results-real.md: what ran, how fast, what was found, and what was judged of it."""

import os
import re
import subprocess

from . import judged, places
from .recipe import VERDICTS

HEAD = """# On real software

Source packages of the distribution, and libraries of it that are headers, built with `jostle cc` and `jostle c++` and not
changed; their own thread tests, or a driver of ours of at most 60 lines ([bench/real](../bench/real)). Written by

    ./dev bench real{words}

at {commit}. Time for each package: {seconds} s, shared by its programs, with a seed. A *finding* is a failure that a fresh process
shows again, or a data race; each was read in the source and has a verdict: **bug** (a maintainer would fix it), *benign by the
standard's letter* (C or C++ calls it a race or undefined, and what compilers and processors do with it is what the author meant),
*the test's assumption*, or *ours* (a false alarm, or a limit of Jostle). [found.md](found.md) has the bugs with their reports.
"""


def _commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=places.ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "a working copy"


def _rate(part):
    seconds, schedules = part.get("seconds") or 0, part.get("schedules") or 0
    if not schedules or not seconds:
        return "–"
    rate = schedules / seconds
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


def _plural(count, word):
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _verify(part):
    if part is None:
        return "–"
    text = part.get("verdict", "")
    if text.startswith("VERIFIED"):
        count = re.search(r"all ([\d,]+) executions", text)
        return f"verified: {count.group(1)}" if count else "verified"
    if text.startswith("INCOMPLETE"):
        return "incomplete"
    return "failed" if text else "no verdict"


def _reasons(recipe, result):
    """By judgement: how many different reasons the findings have. Races come in swarms, one for each pair of lines."""
    reasons = {}
    for text in judged.all_findings(result):
        verdict = judged.verdict_of(recipe, text)
        reasons.setdefault(verdict.judgement if verdict else "not judged", set()).add(verdict or text)
    return {name: len(found) for name, found in reasons.items()}


def time_to_build(result):
    if not result.get("gcc_s"):
        return f"{result.get('build_s', 0):.0f} s"
    return f"{result['build_s']:.0f} s, {result['build_s'] / max(result['gcc_s'], 0.1):.1f} ×"


def _rows(results):
    lines = ["| package | version | what ran | executor | schedules/s | verify | findings | processor time to build (times that of the compiler alone) |", "|---|---|---|---|---|---|---|---|"]
    for recipe, result in results:
        if result.get("unavailable") or not result.get("built"):
            why = result.get("unavailable") or "not built"
            lines.append(f"| {recipe.name} | {result.get('version', '')} | {why} | | | | | |")
            continue
        for number, run in enumerate(result["runs"]):
            first = number == 0
            counts = ", ".join(f"{count} {name}" for name, count in _reasons(recipe, {"runs": [run]}).items()) or "none"
            fuzz = run["fuzz"]
            lines.append(
                f"| {recipe.name if first else ''} | {result['version'] if first else ''} | {run['what']} | {fuzz.get('executor', '–')} | "
                f"{_rate(fuzz)} | {_verify(run.get('verify'))} | {counts} | {time_to_build(result) if first else ''} |"
            )
    return lines


def _verdicts(results):
    lines = []
    for recipe, result in results:
        used = {}
        for text in judged.all_findings(result):
            verdict = judged.verdict_of(recipe, text)
            used.setdefault(verdict, []).append(text)
        if not used:
            continue
        lines += [f"### {recipe.name} {result['version']}", ""]
        for verdict, texts in used.items():
            if verdict is None:
                lines += [f"- not judged: `{text}`" for text in texts]
                continue
            name = VERDICTS[verdict.judgement]
            name = f"**{name}**" if verdict.judgement == "bug" else f"*{name}*"
            example = texts[0] if len(texts[0]) < 160 else texts[0][:157] + "…"
            more = f" and {_plural(len(texts) - 1, 'other')}" if len(texts) > 1 else ""
            since = f" Upstream: {verdict.since}" if verdict.since else ""
            lines.append(f"- {name}: `{example}`{more}. {verdict.why}{since}")
        lines.append("")
    return lines


def _totals(results):
    built = [(recipe, result) for recipe, result in results if result.get("built")]
    counts = {}
    for recipe, result in built:
        for name, count in _reasons(recipe, result).items():
            counts[name] = counts.get(name, 0) + count
    found = sum(len(judged.all_findings(result)) for _, result in built)
    hangs = sum(judged.hangs(result) for _, result in built)
    text = ", ".join(f"{count} {VERDICTS.get(name, name)}" for name, count in sorted(counts.items()))
    return (
        f"{_plural(len(built), 'package')} built and run; {_plural(found, 'finding')} of {_plural(sum(counts.values()), 'reason')}: {text or 'none'}; "
        f"{_plural(hangs, 'hang')} of ours."
    )


def _wrapper_cost(results):
    """What the wrapper costs, of the packages that were built by the compiler alone, too."""
    both = [(result["build_s"] / max(result["gcc_s"], 0.1), recipe.name, result) for recipe, result in results if result.get("built") and result.get("gcc_s")]
    if not both:
        return ""
    ours, plain = (sum(result[key] for *_, result in both) for key in ("build_s", "gcc_s"))
    least, most = (choose(both, key=lambda each: each[0]) for choose in (min, max))
    return (
        f"{_plural(len(both), 'package')} {'was' if len(both) == 1 else 'were'} also built by the compiler alone, by the same commands: {plain:,.0f} s of processor time, "
        f"and {ours:,.0f} s with Jostle, {ours / plain:.2f} times as much ({least[0]:.1f} for {least[1]}, {most[0]:.1f} for {most[1]})."
    )


def page(results, words=""):
    seconds = max((result.get("seconds", 0) for _, result in results), default=0)
    busy = f"Load when it was written: {os.getloadavg()[2]:.0f} on {_plural(os.cpu_count(), 'processor')}."
    lines = [HEAD.format(words=words, commit=_commit(), seconds=seconds), f"{_totals(results)} {busy}", ""]
    if cost := _wrapper_cost(results):
        lines += [cost, ""]
    lines += ["## What ran", "", *_rows(results), "", "## Verdicts", "", *_verdicts(results)]
    return "\n".join(lines).rstrip() + "\n"
