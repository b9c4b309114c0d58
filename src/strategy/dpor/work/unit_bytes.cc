// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/unit_bytes.h"

namespace jostle::dpor {

void write_counts(ByteWriter& to, const UnitCounts& counts) {
  for (const uint64_t each :
       {counts.runs, counts.explored, counts.blocked, counts.deadlocks, counts.redundant,
        counts.estimate, counts.noted, counts.gap, counts.gap_pc}) {
    to.number(each);
  }
  to.number(counts.is_broken);
}

UnitCounts read_counts(ByteReader& from) {
  UnitCounts counts;
  for (uint64_t* each :
       {&counts.runs, &counts.explored, &counts.blocked, &counts.deadlocks, &counts.redundant,
        &counts.estimate, &counts.noted, &counts.gap, &counts.gap_pc}) {
    *each = from.number();
  }
  counts.is_broken = from.number(1) != 0;
  return counts;
}

void write_steps(ByteWriter& to, const StepBytes& steps, const ThreadNames& threads,
                 const Step* list, size_t count) {
  to.number(count);
  for (size_t i = 0; i < count; ++i) steps.write(to, threads, list[i]);
}

bool read_steps(ByteReader& from, const StepBytes& steps, ThreadNames& threads,
                EngineVector<Part>& parts, EngineVector<Step>& list) {
  list.clear();
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    list.push_back(steps.read(from, threads, parts));
  }
  return from.is_good();
}

void write_work(ByteWriter& to, const StepBytes& steps, const ThreadNames& threads,
                const Work& work) {
  to.number(work.is_whole_state);
  write_steps(to, steps, threads, work.path.begin(), work.path.size());
  write_steps(to, steps, threads, work.asleep.begin(), work.asleep.size());
  steps.write(to, threads, work.planned);
}

bool read_work(ByteReader& from, const StepBytes& steps, ThreadNames& threads,
               EngineVector<Part>& parts, Work& work) {
  work.is_whole_state = from.number(1) != 0;
  return read_steps(from, steps, threads, parts, work.path) &&
         read_steps(from, steps, threads, parts, work.asleep) &&
         steps.read(from, threads, parts, work.planned);
}

void write_state(ByteWriter& to, const StepBytes& steps, const ThreadNames& threads,
                 const PublishedState& state) {
  steps.write(to, threads, state.child);
  write_steps(to, steps, threads, state.asleep.begin(), state.asleep.size());
  steps.write(to, threads, state.waiting);
}

bool read_state(ByteReader& from, const StepBytes& steps, ThreadNames& threads,
                EngineVector<Part>& parts, PublishedState& state) {
  state.child = steps.read(from, threads, parts);
  return read_steps(from, steps, threads, parts, state.asleep) &&
         steps.read(from, threads, parts, state.waiting);
}

}  // namespace jostle::dpor
