// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/trail_reader.h"

#include "src/base/hash.h"

namespace jostle::dpor {

namespace {

// Names the end of the program.
constexpr uint64_t kEnd = combine(0x656E64, 1);

// Of a value of eight bytes at most, those at `offset`.
uint64_t bytes_of(uint64_t value, uint32_t offset, uint32_t size) {
  if (offset >= 8) return 0;
  value >>= 8 * offset;
  return size >= 8 ? value : value & ((uint64_t{1} << 8 * size) - 1);
}

}  // namespace

ActionTrail* new_trail() {
  void* memory = map_shared_engine_memory(sizeof(ActionTrail));
  return static_cast<ActionTrail*>(memory ? memory : engine_allocate(sizeof(ActionTrail)));
}

// Who fails to get a lock may have come in the middle of a round that is left out elsewhere.
TrailGap TrailReader::gap_of(const ActionTrail& trail, const channel::RunRecord& run) {
  if (trail.gap != TrailGap::none) return trail.gap;
  if (run.log_overflow) return TrailGap::too_long;
  leaves_out_locks_ |= trail.leaves_out_locks;
  fails_to_lock_ |= trail.failed_tries != 0;
  if (leaves_out_locks_ && fails_to_lock_) return TrailGap::spinning;
  const bool is_shown = run.end.outcome == channel::Outcome::livelock;
  return trail.is_endless && !is_shown ? TrailGap::spinning : TrailGap::none;
}

Thread TrailReader::thread_of(uint64_t path) {
  const Thread found = path_table_.find(path, [&](uint32_t i) { return paths_[i] == path; });
  if (found != IndexTable::kNotThere) return found;
  const auto added = static_cast<Thread>(paths_.size());
  paths_.push_back(path);
  path_table_.add(added, [this](uint32_t i) { return paths_[i]; });
  return added;
}

bool TrailReader::is_left_out(const TrailPart& part) {
  const auto kind = static_cast<uint32_t>(part.matters);
  if (part.act == Act::write) {
    is_finer_ |= has_left_out_[kind] && !matters_[kind];
    matters_[kind] = true;
  }
  has_left_out_[kind] |= !matters_[kind];
  return !matters_[kind];
}

void TrailReader::add(const TrailPart& part) {
  Part made = {part.granule,  part.act,     part.before,  part.after,    part.took_effect,
               part.compares, part.operand, part.is_weak, part.condition};
  const bool names_thread = part.act == Act::signal || part.act == Act::expel;
  if (names_thread && part.took_effect) made.operand = thread_of(part.operand);
  if (is_left_out(part)) return;
  if (part.is_apart) {
    parts_.push_back(made);
    return;
  }
  is_finer_ |= cells_.note(part.granule, part.offset, part.size);
  bool is_one = true;
  cells_.each(part.granule, part.offset, part.size,
              [&](uint64_t object, uint32_t at, uint32_t size) {
                made.object = object;
                is_one &= size == part.size;
                const uint32_t from = at - part.offset;
                if (size < part.size) {
                  made.before = bytes_of(part.before, from, size);
                  made.after = bytes_of(part.after, from, size);
                }
                // Whether a compare-exchange stores depends on all of its bytes: here it may.
                made.compares = part.compares && is_one;
                parts_.push_back(made);
              });
}

// How many events the first so many steps were.
uint32_t TrailReader::events_before(uint32_t steps) const {
  if (steps < events_.size()) return events_[steps];
  return events_.empty() ? 0 : events_[events_.size() - 1] + 1;
}

const Action& TrailReader::finish(const TrailStep& step, bool is_end) {
  if (ends_matter_) parts_.push_back({kEnd, is_end ? Act::write : Act::read});
  action_.thread = thread_of(step.path);
  action_.parts = parts_.begin();
  action_.part_count = static_cast<uint32_t>(parts_.size());
  action_.follows_first = step.enabler == kAllSteps ? events_before(step.enabled_after) : 0;
  action_.enabler = step.enabler < events_.size() ? events_[step.enabler] : kNone;
  action_.choices = choices_.begin();
  action_.choice_count = static_cast<uint32_t>(choices_.size());
  return action_;
}

const Action& TrailReader::begun(const TrailStep& step) {
  parts_.clear();
  choices_.clear();
  action_.thread = thread_of(step.path);
  action_.parts = nullptr;
  action_.part_count = action_.choice_count = 0;
  action_.follows_first = step.enabler == kAllSteps ? events_before(step.enabled_after) : 0;
  action_.enabler = step.enabler < events_.size() ? events_[step.enabler] : kNone;
  return action_;
}

const Action& TrailReader::action_of(const ActionTrail& trail, const TrailStep& step, bool is_end) {
  parts_.clear();
  choices_.clear();
  for (uint32_t i = 0; i < step.part_count; ++i) add(trail.parts[step.first_part + i]);
  for (uint32_t i = 0; i < step.choice_count; ++i) {
    const TrailChoice& choice = trail.choices[step.first_choice + i];
    choices_.push_back({choice.alternatives, choice.taken, choice.is_of_memory});
  }
  return finish(step, is_end);
}

const Action& TrailReader::waiting(const ActionTrail& trail, uint32_t i) {
  parts_.clear();
  choices_.clear();
  if (trail.waiting[i].part_count != 0) add(trail.waited_for[i]);
  return finish(trail.waiting[i], false);
}

void TrailReader::write(ByteWriter& to) const {
  to.number(ends_matter_);
  for (const bool matters : matters_) to.number(matters);
  uint32_t granules = 0;
  cells_.each_unit([&](uint64_t, uint32_t) { ++granules; });
  to.number(granules);
  cells_.each_unit([&](uint64_t granule, uint32_t unit) {
    to.name(granule);
    to.number(unit);
  });
}

void TrailReader::read(ByteReader& from) {
  ends_matter_ |= from.number(1) != 0;
  for (uint32_t kind = 0; kind < kMattersKinds; ++kind) {
    const bool matters = from.number(1) != 0;
    is_contradicted_ |= matters && !matters_[kind] && has_left_out_[kind];
    matters_[kind] |= matters;
  }
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const uint64_t granule = from.name();
    const uint64_t unit = from.number(8);
    // One, two, four or eight bytes.
    if (!from.is_good()) return;
    is_contradicted_ |= cells_.note_unit(granule, unit >= 8   ? 8
                                                  : unit >= 4 ? 4
                                                  : unit >= 2 ? 2
                                                              : 1);
  }
}

uint64_t TrailReader::revision() const {
  uint64_t sum = cells_.revision() + uint64_t{ends_matter_};
  for (const bool matters : matters_) sum += matters;
  return sum;
}

bool TrailReader::take_contradiction() {
  const bool was = is_contradicted_;
  is_contradicted_ = false;
  return was;
}

}  // namespace jostle::dpor
