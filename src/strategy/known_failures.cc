// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/known_failures.h"

#include "src/base/engine_memory.h"

namespace jostle {
namespace {

// In so many of kLots runs known failures are not avoided: another bug may lie behind the same
// read. Chosen.
constexpr uint64_t kLots = 4, kLotsLeftAlone = 1;

bool is_failure(channel::Outcome outcome) {
  return channel::may_have_failed(outcome) && outcome != channel::Outcome::stopped;
}

}  // namespace

KnownFailures::KnownFailures(Observer* other)
    : other_(other), notes_(static_cast<Notes*>(map_shared_engine_memory(sizeof(Notes)))) {}

void KnownFailures::run_begins() {
  other_->run_begins();
  if (!notes_) return;
  ++notes_->run;
  notes_->last = {};
}

void KnownFailures::observed(const Event& event, bool writes) {
  other_->observed(event, writes);
  if (failures_ == 0 || !notes_ || !is_memory(event.kind)) return;
  Written& written = written_at(event.name);
  const bool is_known = written.run == notes_->run && written.name == event.name;
  if (writes) {
    written = {notes_->run, event.name, write_event(event.name, event.site), event.thread};
  } else if (is_known && written.thread != event.thread) {
    note_pair({written.event, read_event(event.name, event.site)});
  }
}

void KnownFailures::note_pair(const Pair& pair) {
  notes_->last = pair;
  for (uint32_t i = 0; i < notes_->suspect_count; ++i) {
    Suspect& suspect = notes_->suspects[i];
    if (suspect.pair.write == pair.write && suspect.pair.read == pair.read) {
      suspect.run = notes_->run;
    }
  }
}

void KnownFailures::after_run(const channel::RunRecord& run) {
  const bool failed = is_failure(run.end.outcome);
  if (notes_ && failures_ != 0) {
    for (uint32_t i = 0; i < notes_->suspect_count && !failed; ++i) {
      Suspect& suspect = notes_->suspects[i];
      suspect.is_cleared |= suspect.run == notes_->run;
    }
    const Pair last = notes_->last;
    bool is_known = !failed || !last.read || notes_->suspect_count == kMostSuspects;
    for (uint32_t i = 0; i < notes_->suspect_count; ++i) {
      const Pair& pair = notes_->suspects[i].pair;
      is_known |= pair.write == last.write && pair.read == last.read;
    }
    if (!is_known) {
      notes_->suspects[notes_->suspect_count++] = {last, false, notes_->run};
    }
    notes_->last = {};
  }
  failures_ += failed;
}

Decider* KnownFailures::bend(Decider* decider, Rng& rng) {
  if (failures_ == 0 || !notes_ || notes_->suspect_count == 0) return decider;
  if (rng.below(kLots) < kLotsLeftAlone) return decider;
  bent_.follow(decider);
  return &bent_;
}

bool KnownFailures::is_suspect(uint64_t write, uint64_t read) const {
  for (uint32_t i = 0; i < notes_->suspect_count; ++i) {
    const Suspect& suspect = notes_->suspects[i];
    if (suspect.pair.read == read && suspect.pair.write == write && !suspect.is_cleared)
      return true;
  }
  return false;
}

KnownFailures::Written& KnownFailures::written_at(uint64_t name) {
  return notes_->written[(name >> 20 ^ name) % kMostLocations];
}

void KnownFailures::Bent::follow(Decider* decider) {
  decider_ = decider;
  manner_ = decider->manner();
}

ThreadId KnownFailures::Bent::pick(const View& view) {
  bool any_held = false;
  free_.clear();
  view.candidates->for_each([&](ThreadId id) {
    const Operation& op = view.pending(id);
    const bool is_held = op.name && is_memory(op.kind) && observes(op.kind) &&
                         known_.is_suspect(view.last_write(id), read_event(op.name, op.site));
    any_held |= is_held;
    if (!is_held) free_.insert(id);
  });
  if (!any_held || free_.count() == 0) return decider_->pick(view);
  if (free_.count() == 1) return free_.nth(0);
  View free = view;
  free.candidates = &free_;
  return decider_->pick(free);
}

}  // namespace jostle
