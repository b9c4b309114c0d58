# SPDX-License-Identifier: Apache-2.0
"""Doctor, fuzz and verify of one program of a package."""

import json
import re

from . import build, guest, places

# Behind the time of a campaign: doctor's runs, confirming, making small.
GRACE = 90


def data_file(folder):
    """300 KB that can be compressed, not trivially so; the same on every machine."""
    path = folder / "jostle-data"
    if not path.exists():
        state, pieces, size = 12345, [], 0
        while size < 300_000:
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            piece = bytes([97 + (state >> 24) % 26]) * ((state >> 16) % 20 + 1)
            pieces.append(piece)
            size += len(piece)
        path.write_bytes(b"".join(pieces)[:300_000])
    return path


def _words(program, options, run):
    """A script, so that a recipe's command is read by bash."""
    return f"exec {places.JOSTLE} {program} {' '.join(options)} -- {run.command}"


def _stats(text):
    try:
        return json.loads(text[text.index("{") :])
    except ValueError:
        return None


def _side(access):
    return f"{access['access'].split()[0]} {access['function']} {access['place']}"


def _race(race):
    """The same whichever of the two came first, and whatever the threads and the object are called."""
    return "race: " + " / ".join(sorted((_side(race["earlier"]), _side(race["later"]))))


def _lock_order(steps):
    """The same in whichever schedules it was seen, and whichever thread is named first."""
    parts = (f"{s['held']} ({s['held_at']}), then {s['wanted']} ({s['wanted_at']})" for s in steps)
    return "lock order: " + " / ".join(sorted(parts))


def findings(stats):
    """The texts of all that a campaign reports, each once."""
    texts = [f"{failure['kind']}: {failure['summary']}" for failure in stats.get("failures") or ()]
    texts += [f"unconfirmed: {entry.get('summary') or json.dumps(entry)}" for entry in stats.get("unconfirmed") or ()]
    texts += [_race(race) for race in stats.get("races") or ()]
    texts += [_lock_order(steps) for steps in stats.get("lock_order_warnings") or ()]
    return list(dict.fromkeys(texts))


def _environment(folder):
    return {**build.environment(True), "DATA": str(data_file(folder))}


def prepare(run, folder):
    return guest.run(run.before, folder, _environment(folder), 60) if run.before else None


def doctor(run, folder):
    outcome = guest.run(_words("doctor", (), run), folder, _environment(folder), 120)
    return {"code": outcome.code, "text": outcome.out + outcome.err, "seconds": outcome.seconds, "hung": outcome.hung}


def fuzz(run, folder, seconds, number):
    out = f"jostle-out/{number}"
    options = ["--json", "--seed", "1", "--keep-going", "--time", f"{seconds}s", "--minimize", "2s", "-o", out, *run.fuzz]
    return _campaign("fuzz", options, run, folder, seconds)


def verify(run, folder, seconds, number):
    out = f"jostle-out/{number}-verify"
    options = ["--json", "--time", f"{seconds}s", "-o", out, *run.verify_with]
    result = _campaign("verify", options, run, folder, seconds)
    verdict = re.search(r"^(VERIFIED|FAILED|INCOMPLETE|DEADLOCK|CRASHED)\b.*$", result["text"], flags=re.M)
    result["verdict"] = verdict.group(0) if verdict else ""
    return result


def _campaign(program, options, run, folder, seconds):
    outcome = guest.run(_words(program, options, run), folder, _environment(folder), seconds + GRACE)
    stats = _stats(outcome.out)
    result = {"code": outcome.code, "text": outcome.err, "seconds": outcome.seconds, "hung": outcome.hung}
    if stats is not None:
        result["findings"] = findings(stats)
        kept = ("executor", "executor_note", "schedules", "schedules_per_s", "outcomes", "stuck", "warnings", "uncontrolled")
        result.update({key: stats.get(key) for key in kept})
    return result
