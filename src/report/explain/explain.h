// SPDX-License-Identifier: Apache-2.0
// Why a run fails, in a sentence or two: the operations whose order decides.
//
// Compared with a run next to it that passes, a failing run observes something else somewhere:
// run_difference.h finds out where that is the scheduler's doing. That makes suspicions, each with
// the claim that with one change the run passes: it is run (strategy/guided/claim.h), and only what
// is borne out is said. For deadlocks the threads themselves tell: who holds what and wants what,
// or which signal came when nobody waited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/report/explain/run_difference.h"
#include "src/strategy/guided/claim.h"

namespace jostle::report {

struct Explanation {
  std::vector<std::string> sentences = {};
  std::vector<uint32_t> steps = {};  // of the failing run's trace, that the sentences are about
  // How far the passing run is away that it was found with: of several the nearest tells most.
  uint64_t distance = 0;
  // It says how the run ended, not why: the difference to a run that passes may say more.
  bool only_the_end = false;
  // The change with which the same schedule passes, if that is what the sentences claim.
  std::optional<Claim> passes_with = {};
  bool empty() const { return sentences.empty(); }
  std::string text() const;  // the sentences in one line
};

// From the failing run alone: deadlocks, livelocks. Empty when it does not tell.
Explanation explain_end(const NamedRun& failing);

// Why it may fail.
struct Suspicion {
  Explanation says;  // if it is true
  // For Claim::after: if it takes more than that one operation of others; see `wait_for_all`.
  std::optional<Explanation> says_less = {};
  Claim claim;  // what has to be run for that
  // Operations of the failing run, or of the passing one, that the claim is about: whether they
  // came in the other order is looked up in the run that tries it.
  struct Operation {
    uint64_t path = 0;  // of the thread
    uint64_t event = 0;
    OpKind kind = OpKind::none;
    channel::CodeLocation place = 0;
    uintptr_t object = 0;
    uint32_t size = 0;
  };
  // Claim::after: `held` comes after `first`. Without a `first` nothing is claimed but that it
  // passes.
  Operation held, first;
  uint32_t times = 0;  // Claim::after: so often `first` was done before it in the failing run
  // `first` is not done in the failing run, whose thread ended without it: something else is why.
  bool is_consequence = false;
};

// Reads of the failing thread that may have come too early, the last first: with the claim that
// each comes after all that others can do before it. What it shows is looked at in the run.
struct Probe {
  uint32_t read;  // a step
  Claim claim;
};
std::vector<Probe> probes(const NamedRun& failing);
// The same of those who wrote what the failing thread read: their reads in code of the program's
// own, before they wrote it.
std::vector<Probe> probes_behind(const NamedRun& failing);
// Writes that the read then came after, in a run that passed, the likeliest first; nothing when
// there are none.
std::vector<Suspicion> missed_writes(const NamedRun& failing, const Probe& probe,
                                     const NamedRun& trial);

// Of a run that ended with a race: is it about the two threads of that race? Of others: yes.
bool is_about_race(const Suspicion& suspicion, const NamedRun& failing);

// A block was freed too early: with the claim that its last owner waits with that for the others.
// Nothing when that is not how the run ended, or who used it is who freed it.
std::optional<Suspicion> freed_too_early(const NamedRun& failing);

// Is the suspicion about a read that found the block's address? That says more: where the thread
// had it from.
bool is_about_pointer_to_freed(const Suspicion& suspicion, const NamedRun& failing);

// Descriptors, files, the working directory that the failing thread used last: what others did to
// them before that, or in between, with the claim that it comes afterwards. Nothing when nobody
// else did.
std::vector<Suspicion> used_before(const NamedRun& failing);

// The same claim with all that others can do.
Claim wait_for_all(const Claim& claim);

// Is it about the program's own code alone? A library's own state (an event loop's count of what is
// left to do) may decide as well, but is not what somebody can mend.
bool is_of_own_code(const Suspicion& suspicion, const NamedRun& failing);

// In the order in which they should be tried. Empty when nothing differs that could be named.
std::vector<Suspicion> suspicions(const NamedRun& failing, const NamedRun& passing);
// What differs, without having been tried: then it is not claimed to be all.
Explanation explain_difference(const NamedRun& failing, const NamedRun& passing, bool tried = true);

// In this run, which tried it and passed, the operations came as claimed.
bool bears_out(const Suspicion& suspicion, const NamedRun& trial);

// `end`, with what led to it.
Explanation explain_both(Explanation end, const Explanation& difference);

}  // namespace jostle::report
