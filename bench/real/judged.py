# SPDX-License-Identifier: Apache-2.0
"""Which verdict a finding has. What has none was not read yet: it counts as wrong."""

import re


def verdict_of(recipe, finding):
    for verdict in recipe.verdicts:
        if re.search(verdict.finding, finding):
            return verdict
    return None


def all_findings(result):
    """Each text once, in the order in which they came."""
    texts = {}
    for run in result.get("runs", ()):
        for campaign in ("fuzz", "verify"):
            for text in (run.get(campaign) or {}).get("findings", ()):
                texts.setdefault(text)
    return list(texts)


def hangs(result):
    parts = [run.get(name) for run in result.get("runs", ()) for name in ("doctor", "fuzz", "verify")]
    return sum(1 for part in parts if part and part["hung"])


def complaints(recipe, result):
    """What a person has to look at: one sentence each."""
    if result.get("unavailable"):
        return []
    if not result.get("built"):
        return [f"not built: {result.get('error', '')}"]
    found = [f"not judged: {text}" for text in all_findings(result) if verdict_of(recipe, text) is None]
    for run in result["runs"]:
        for name in ("doctor", "fuzz", "verify"):
            part = run.get(name)
            if part is None:
                continue
            if part["hung"]:
                found.append(f"{name} hangs: {run['what']}")
            elif name != "doctor" and "findings" not in part:
                found.append(f"{name} ended with {part['code']}: {run['what']}: {part['text'].strip()[-200:]}")
    return found
