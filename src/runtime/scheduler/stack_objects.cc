// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/stack_objects.h"

#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

// The call that an address of a stack belongs to, as the compiler's hooks know it.
struct Call {
  uintptr_t frame = 0, caller = 0;
  bool operator==(const Call&) const = default;
};

struct Note {
  uintptr_t address;
  Call call;
  uint32_t object;  // its record
};
constexpr uint32_t kMostNotes = 256;
// What a thread does with its own stack is of less interest, and a test framework does much of it
// before the test begins.
constexpr uint32_t kMostOwnNotes = kMostNotes / 2;
Note g_notes[kMostNotes];
uint32_t g_note_count = 0;

// The hook of a function is called when its variables have their room: they lie above its frame,
// and below the frame of who called it.
Call call_at(const CallStack& calls, uintptr_t address) {
  const CallStack::Entry* entries = calls.storage();
  for (uint32_t i = 0; i < calls.depth(); ++i) {
    if (entries[i].frame <= address) return {entries[i].frame, entries[i].caller};
  }
  return {};
}

const Thread* owner_of(Scheduler& scheduler, const Thread& current, uintptr_t address) {
  const auto is_on_stack = [&](const Thread& t) {
    return address >= t.stack_begin && address < t.stack_end;
  };
  if (is_on_stack(current)) return &current;
  for (ThreadId id = 0; id < scheduler.table_size(); ++id) {
    const Thread* t = scheduler.thread_at(id);
    if (t && t->live && is_on_stack(*t)) return t;
  }
  return nullptr;
}

const Note* find_note(uintptr_t address, const Call& call) {
  for (uint32_t i = g_note_count; i-- > 0;) {
    if (g_notes[i].address == address && g_notes[i].call == call) return &g_notes[i];
  }
  return nullptr;
}

}  // namespace

void note_stack_object(Scheduler& scheduler, uintptr_t address, uintptr_t pc) {
  channel::RunRecord& run = scheduler.record();
  const Thread& current = scheduler.self();
  const Thread* owner = owner_of(scheduler, current, address);
  if (!owner) return;
  const bool by_others = owner != &current;
  const Call call = call_at(owner->calls, address);
  if (const Note* known = find_note(address, call)) {
    run.objects[known->object].by_others |= by_others;
    return;
  }
  if (g_note_count >= (by_others ? kMostNotes : kMostOwnNotes)) return;
  if (run.race_objects == channel::kMaxObjectRecords) return;
  if (by_others && (!owner->stopped_at || owner->stopped_at->depth == 0)) return;
  g_notes[g_note_count++] = {address, call, run.race_objects};
  channel::ObjectRecord& object = run.objects[run.race_objects++];
  run.object_count = run.race_objects;
  object = {};
  object.address = address;
  object.region = channel::Region::stack;
  object.thread = owner->index;
  object.by_others = by_others;
  if (by_others) {
    object.allocated_at = *owner->stopped_at;
  } else {
    capture_own_stack(object.allocated_at, pc);
  }
}

}  // namespace jostle::rt
