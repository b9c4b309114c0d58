// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/actions.h"

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT constinit Actions g_actions;

namespace {

constexpr uintptr_t kKnown = 1 << 12;
// An access of more than this is one of its first bytes and one of its last: copies of large
// blocks are not what threads race for word by word.
constexpr uint32_t kMostGranules = 512;

// Names of what is no memory of the program.
constexpr uint64_t kClock = combine(0x616374, 1);
constexpr uint64_t kOutside = combine(0x616374, 2);
constexpr uint64_t kQueue = 0x7175657565;
constexpr uint64_t kReturned = 0x72657475726E;
constexpr uint64_t kSequentialFences = combine(0x616374, 3);
constexpr uint64_t kExit = combine(0x616374, 4);
constexpr uint64_t kFloor = 0x666C6F6F72;
constexpr uint64_t kLast = combine(0x616374, 5);
constexpr uint64_t kHandlers = combine(0x616374, 6);
constexpr uint64_t kOver = 0x6F766572;
constexpr uint64_t kCancelled = 0x63616E63656C;
constexpr uint64_t kSignals = combine(0x616374, 7);

// What a thread that waits in front of it will do; false: no object decides that, but an enabler.
bool act_in_front_of(OpKind kind, Act* act) {
  switch (kind) {
    case OpKind::mutex_lock:
    case OpKind::spin_lock:
    case OpKind::rwlock_write:
      *act = Act::lock;
      return true;
    case OpKind::rwlock_read:
    case OpKind::once:
      *act = Act::share;
      return true;
    case OpKind::sem_wait:
      *act = Act::take;
      return true;
    case OpKind::io_read:
    case OpKind::io_write:
    case OpKind::io_wait:
    case OpKind::signal_wait:
      *act = Act::transfer;
      return true;
    default:
      return false;
  }
}

// Who does this has threads of its own, and more to do with them than is seen.
bool schedules_threads(OpKind kind) {
  return kind == OpKind::thread_create || kind == OpKind::futex_wait || kind == OpKind::futex_wake;
}

Act act_of(OpKind kind) {
  if (only_reads(kind)) return Act::read;
  return kind == OpKind::atomic_rmw ? Act::update : Act::write;
}

}  // namespace

void Actions::begin_run(ActionTrail* trail) {
  trail_ = trail;
  running_ = nullptr;
  time_passes_ = false;
  unread_ = 0;
  forget_all();
  if (!trail_) return;
  if (!known_) {
    known_ = static_cast<Known*>(engine_allocate(kKnown * sizeof(Known)));
    addresses_ =
        static_cast<uintptr_t*>(engine_allocate(ActionTrail::kMostParts * sizeof(uintptr_t)));
  }
  trail_->clear();
  for (uint32_t& known = trail_->known_cells; known < trail_->cell_count; ++known) {
    g_sharing[trail_->cells[known]] |= kVisible;
  }
  Thread& main = g_scheduler.self();
  main.last_step = main.enabled_by = main.cancelled_in = kNoStep;
  main.early_time_outs = 0;
  main.left_frames = 0;
  step(main);  // what it does before its first operation
}

uint64_t Actions::name_of(uintptr_t granule) {
  Known& known = known_[(granule >> 3) % kKnown];
  if (known.granule != granule || known.time != names_since_)
    known = {granule, names_since_, location_name(granule)};
  return known.name;
}

void Actions::forget(uintptr_t begin, uintptr_t size) {
  if (size / 8 > kKnown) return forget_all();
  for (uintptr_t p = begin & ~uintptr_t{7}; p < begin + size; p += 8) {
    Known& known = known_[(p >> 3) % kKnown];
    if (known.granule == p) known.time = 0;
  }
}

void Actions::shared(uintptr_t cell) {
  if (trail_->cell_count == ActionTrail::kMostCells) return gap(TrailGap::too_long);
  trail_->cells[trail_->cell_count++] = static_cast<uint32_t>(cell);
}

void Actions::gap(TrailGap why, uintptr_t pc) {
  if (trail_->gap != TrailGap::none) return;
  trail_->gap = why;
  trail_->gap_pc = pc;
}

// What lies below the running thread's frames is no longer there for others to use.
void Actions::note_left_frames() {
  Thread& t = g_scheduler.self();
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (frame < t.stack_begin || frame >= t.stack_end) return;  // the engine's stack
  if (t.left_frames != 0 && t.left_frames < frame) frees(t.left_frames, frame - t.left_frames);
  t.left_frames = frame;
}

void Actions::settle() {
  if (running_) note_left_frames();
  if (!running_ || unread_ == 0) return;
  unread_ = 0;
  for (uint32_t i = 0; i < running_->part_count; ++i) {
    const uint32_t at = running_->first_part + i;
    if (addresses_[at] == 0) continue;
    TrailPart& part = trail_->parts[at];
    part.after = 0;
    safe_read(addresses_[at], &part.after, part.size);
  }
}

void Actions::step(Thread& thread) {
  settle();
  if (schedules_threads(thread.pending.kind) && is_library_code(thread.pending.pc)) {
    gap(TrailGap::library, thread.pending.pc);
  }
  running_ = nullptr;
  if (trail_->step_count == ActionTrail::kMostSteps) return gap(TrailGap::too_long);
  thread.last_step = trail_->step_count;
  running_ = &trail_->steps[trail_->step_count++];
  is_round_ = false;
  *running_ = {.path = thread_path(thread.index),
               .enabler = thread.enabled_by,
               .enabled_after = thread.enabled_after,
               .kind = thread.pending.kind,
               .first_part = trail_->part_count,
               .part_count = 0,
               .first_choice = trail_->choice_count,
               .choice_count = 0,
               .pc = thread.pending.pc,
               .is_in_vain = false};
  thread.enabled_by = kNoStep;
  ++thread.loop.steps;
  thread.stillness.steps();
  if (thread.events < thread.looks_again_at) looks_for_cancellation(thread);  // see cancels()
}

TrailPart* Actions::add(Act act, uintptr_t address, uint32_t size) {
  if (!running_) return nullptr;  // there was no room for it
  if (trail_->part_count == ActionTrail::kMostParts) {
    gap(TrailGap::too_long);
    return nullptr;
  }
  const uint32_t at = trail_->part_count++;
  ++running_->part_count;
  addresses_[at] = 0;
  TrailPart& part = trail_->parts[at];
  part = {};
  part.granule = name_of(address & ~uintptr_t{7});
  part.offset = address & 7;
  part.size = static_cast<uint8_t>(size);
  part.act = act;
  part.took_effect = true;
  return &part;
}

TrailPart* Actions::add_apart(Act act, uint64_t name) {
  TrailPart* part = add(act, 0, 1);
  if (!part) return nullptr;
  part->granule = name;
  part->is_apart = true;
  return part;
}

void Actions::act_outside(Act act) { add_apart(act, kOutside); }

void Actions::add_clock(Act act) {
  if (TrailPart* part = add_apart(act, kClock)) part->matters = Matters::with_clock;
}

void Actions::access(OpKind kind, uintptr_t address, uint32_t size) {
  Act act = act_of(kind);
  const LoopWatch& loop = g_scheduler.self().loop;
  const bool awaits = loop.awaits && size <= 8 && (address & 7) + size <= 8;
  is_round_ = awaits && act != Act::write;
  if (is_round_) act = act == Act::read ? Act::await : Act::await_update;
  const uintptr_t end = address + (size ? size : 1);
  uint32_t granules = 0;
  for (uintptr_t from = address; from < end;) {
    const uintptr_t next = (from & ~uintptr_t{7}) + 8;
    const uintptr_t to = next < end ? next : end;
    if (++granules > kMostGranules) return gap(TrailGap::too_long);
    TrailPart* part = add(act, from, static_cast<uint32_t>(to - from));
    if (!part) return;
    safe_read(from, &part->before, to - from);
    part->after = part->before;
    part->is_weak = trail_->is_weak && kind != OpKind::read && kind != OpKind::write;
    if (awaits) part->condition = loop.state();
    if (act != Act::read && act != Act::await) {
      addresses_[part - trail_->parts] = from;
      ++unread_;
    }
    from = to;
  }
}

void Actions::operation(OpKind kind, uintptr_t object, uint32_t size, uintptr_t pc) {
  if (is_memory(kind)) {
    if (kind != OpKind::fence) return access(kind, object, size);
    if (TrailPart* part = add_apart(Act::write, kSequentialFences)) part->is_weak = true;
    return;
  }
  switch (kind) {
    case OpKind::clock:
      add_clock(Act::write);
      return;
    case OpKind::io_read:
    case OpKind::io_write:
    case OpKind::io_wait:
      act_outside(Act::transfer);
      return;
    case OpKind::operation_begin:
    case OpKind::operation_end:
      return boundary(kind, size);
    case OpKind::thread_signal:
      add_apart(Act::write, kSignals);
      return;
    case OpKind::signal_wait:
      add_apart(Act::transfer, kSignals);
      return;
    case OpKind::process_wait:
      return gap(TrailGap::processes, pc);
    default:
      return;
  }
}

// Whether an operation returned before another was called is part of what is judged: a call looks
// at the returns of all others that are side by side with it.
void Actions::boundary(OpKind kind, uint32_t number) {
  const History& history = g_scheduler.record().history;
  if (number >= history.count) return;
  const uint32_t slot = history.operations[number].slot;
  if (slot == 0) return;
  if (kind == OpKind::operation_end) {
    add_apart(Act::write, combine(kReturned, slot));
    return;
  }
  uint32_t slots = 0;
  for (uint32_t i = 0; i < history.count; ++i) {
    if (history.operations[i].slot > slots) slots = history.operations[i].slot;
  }
  for (uint32_t other = 1; other <= slots; ++other) {
    if (other != slot) add_apart(Act::read, combine(kReturned, other));
  }
}

void Actions::compared(uintptr_t address, uint64_t expected, bool stored, bool only_read) {
  if (!running_ || running_->part_count == 0) return;
  TrailPart& part = trail_->parts[trail_->part_count - 1];
  if (part.offset != (address & 7)) return;
  if (only_read) {
    part.act = awaits(part.act) ? Act::await : Act::read;
    return;
  }
  if (part.act != Act::update && part.act != Act::await_update) return;
  part.compares = true;
  part.operand = expected;
  part.took_effect = stored;
}

void Actions::expects(const void* found) {
  Thread& t = g_scheduler.self();
  const auto address = reinterpret_cast<uintptr_t>(found);
  if (address < t.stack_begin || address >= t.stack_end) t.loop.changed_something();
}

// What may be read depends on stores to the same variable, which is known; sequentially consistent
// operations also depend on sequentially consistent fences, and loads on what they let each other
// read. Whether a load does anything to the others is not known before it is executed: so it counts
// at variables where one ever did.
void Actions::weak_access(uintptr_t address, uint32_t size, bool is_sequential, bool raises) {
  if (!is_sequential) return;
  if (TrailPart* part = add_apart(Act::read, kSequentialFences)) part->is_weak = true;
  const uint64_t name =
      combine(combine(kFloor, name_of(address & ~uintptr_t{7})), (address & 7) << 8 | size);
  const bool is_known = trail_->raised.has(name);
  if (!is_known && !raises) return;
  if (!is_known) {
    if (!trail_->raised.add(name)) return gap(TrailGap::too_long);
    learned();
  }
  if (TrailPart* part = add_apart(Act::write, name)) part->is_weak = true;
}

void Actions::act(Act act, const volatile void* object, bool took_effect, uint64_t value) {
  TrailPart* part = add(act, reinterpret_cast<uintptr_t>(object), 4);
  if (!part) return;
  part->took_effect = took_effect;
  part->before = part->after = value;
  LoopWatch& loop = g_scheduler.self().loop;
  if (!took_effect && (act == Act::try_lock || act == Act::try_share)) {
    const Thread& self = g_scheduler.self();
    Points& points = g_scheduler.points();
    uint32_t held = 0;
    safe_read(reinterpret_cast<uintptr_t>(object), &held, sizeof held);
    loop.failed_to_lock(held);
    ++trail_->failed_tries;
    if (points.is_inside(channel::kStopLocksAll, self.pending.pc, self.calls)) {
      left_out(true, 1);
      g_scheduler.leave_out_attempt();
    }
  } else if (takes_lock(act)) {
    ++loop.locks;
  }
}

void Actions::wakes(TrailPart* part, const Thread* woken) {
  if (!part) return;
  part->took_effect = woken != nullptr;
  part->operand = woken ? thread_path(woken->index) : 0;
}

void Actions::signals(Act act, const volatile void* object, const Thread* woken) {
  wakes(add(act, reinterpret_cast<uintptr_t>(object), 4), woken);
}

TrailPart* Actions::act_on_queue(Act act, const volatile void* word) {
  return add_apart(act, combine(kQueue, location_name(reinterpret_cast<uintptr_t>(word))));
}

void Actions::wakes_one(const volatile void* word, const Thread* woken) {
  wakes(act_on_queue(Act::signal, word), woken);
}

void Actions::wakes_queue(const volatile void* word, bool anybody) {
  TrailPart* part = act_on_queue(Act::broadcast, word);
  if (part) part->took_effect = anybody;
}

bool Actions::take_back(const Thread& thread, uint64_t state) {
  if (!running_ || thread.last_step != trail_->step_count - 1) return false;
  if (running_->part_count != 1 || running_->choice_count != 0) return false;
  const TrailPart& part = trail_->parts[running_->first_part];
  if (!is_round_) return false;
  if (!trail_->loops.learn_round(state, part.before)) return false;
  running_->is_in_vain = true;
  return true;
}

// A write of all that others are known to look at.
void Actions::frees(uintptr_t begin, uintptr_t size) {
  for (uintptr_t p = begin & ~uintptr_t{7}; p < begin + size; p += 8) {
    if ((sharing_cell(p) & kVisible) == kVisible && !add(Act::write, p, 8)) return;
  }
}

void Actions::chose(ChoiceKind kind, uint32_t alternatives, uint32_t taken) {
  trail_->asks_spurious |= kind == ChoiceKind::spurious;
  trail_->asks_failures |= kind == ChoiceKind::fails;
  if (!running_) return gap(TrailGap::too_long);
  if (trail_->choice_count == ActionTrail::kMostChoices) return gap(TrailGap::too_long);
  trail_->choices[trail_->choice_count++] = {alternatives, taken, is_of_memory(kind)};
  ++running_->choice_count;
}

void Actions::enables(Thread& thread) {
  Act act;
  if (time_passes_) {
    thread.enabled_by = kNoStep;
    // Before its time was up it could have got what it waits for.
    if (act_in_front_of(thread.pending.kind, &act)) add_waiting(thread, act);
    thread.enabled_by = kAllSteps;
    thread.enabled_after = trail_->step_count;
  } else if (!thread.loop.awaits && !act_in_front_of(thread.pending.kind, &act)) {
    thread.enabled_by = g_scheduler.self().last_step;
  }
}

void Actions::follows(const Thread& other) {
  if (running_ && running_->enabler == kNoStep) running_->enabler = other.last_step;
}

// Where a thread may be in the middle of a call that began by looking, it is not tried that it had
// not looked yet; nor where else it may end that can be cancelled anywhere. A detached one may be
// over, and is not known then.
void Actions::cancels(Thread& thread) {
  TrailPart* part = add_apart(Act::write, combine(kCancelled, thread_path(thread.index)));
  if (part) part->matters = Matters::with_cancels;
  if (thread.cancelled_in == kNoStep) thread.cancelled_in = running_step();
  const bool is_in_call = !thread.finished && thread.events < thread.looks_again_at;
  if (is_in_call || thread.cancel_asynchronous || thread.detached) {
    gap(TrailGap::signals, g_scheduler.self().pending.pc);
  }
}

void Actions::looks_for_cancellation(const Thread& thread) {
  TrailPart* part = add_apart(Act::read, combine(kCancelled, thread_path(thread.index)));
  if (part) part->matters = Matters::with_cancels;
}

// Who signals a thread has looked in its place.
void Actions::ends_cancellable_wait(OpKind kind, bool is_cancelled, bool is_ready) {
  const Thread& self = g_scheduler.self();
  if (kind == OpKind::cond_wait && is_ready) return;
  looks_for_cancellation(self);
  if (!self.cancel_requested || !self.cancel_enabled || self.exiting) return;
  // Where its time-out strikes anywhere it need not be cancelled to go on.
  const bool goes_on_anyway = g_scheduler.explores_time_outs() && kind == OpKind::sleep;
  if (running_ && running_->enabler == kNoStep && !goes_on_anyway) {
    running_->enabler = self.cancelled_in;
  }
  // Cancelled between its call and here, a thread that need not wait goes on: that it had not
  // called yet is not tried.
  constexpr uint64_t kKnown =
      op_bits({OpKind::sem_wait, OpKind::thread_join, OpKind::sleep, OpKind::cond_wait});
  const bool may_time_out = g_scheduler.explores_time_outs() && kind == OpKind::sem_wait;
  const bool is_known = (kKnown >> static_cast<int>(kind) & 1) && !may_time_out;
  if (!is_known || !is_cancelled) gap(TrailGap::signals, self.pending.pc);
}

void Actions::expels(const volatile void* object, const Thread& thread) {
  if (TrailPart* part = add(Act::expel, reinterpret_cast<uintptr_t>(object), 4)) {
    part->operand = thread_path(thread.index);
  }
}

void Actions::calls_exit() {
  add_apart(Act::write, kExit);
  add_apart(Act::write, kHandlers);
}

// That others come between two of one step is not tried.
void Actions::registers_handler() {
  for (uint32_t i = 0; running_ && i < running_->part_count; ++i) {
    if (trail_->parts[running_->first_part + i].granule == kHandlers) assume(kCallsAreNoSteps);
  }
  add_apart(Act::write, kHandlers);
}

void Actions::ends(const Thread& thread) {
  add_apart(Act::write, combine(kOver, thread_path(thread.index)));
}

// The end of a thread is no step of its own: nobody comes between it and what it did last.
void Actions::asks_for_end_of(const Thread& thread) {
  looks_at_end_of(thread);
  assume(kEndsComeAtOnce);
}

void Actions::looks_at_end_of(const Thread& thread) {
  add_apart(Act::read, combine(kOver, thread_path(thread.index)));
}

void Actions::asks_whether_last(bool is_last) {
  TrailPart* part = add_apart(is_last ? Act::write : Act::update, kLast);
  if (part) part->matters = Matters::with_last_thread;
}

TrailStep* Actions::add_waiting(const Thread& thread) {
  if (trail_->waiting_count == ActionTrail::kMostWaiting) {
    gap(TrailGap::too_long);
    return nullptr;
  }
  TrailStep* step = &trail_->waiting[trail_->waiting_count++];
  *step = {
      .path = thread_path(thread.index),
      .enabler = thread.enabled_by,
      .enabled_after = thread.enabled_by == kAllSteps ? thread.enabled_after : trail_->step_count,
      .kind = thread.pending.kind,
      .first_part = 0,
      .part_count = 1,
      .first_choice = 0,
      .choice_count = 0,
      .pc = thread.pending.pc,
      .is_in_vain = false};
  return step;
}

void Actions::add_waiting(const Thread& thread, Act act) {
  const TrailStep* step = add_waiting(thread);
  if (!step) return;
  const Operation& op = thread.pending;
  TrailPart& part = trail_->waited_for[step - trail_->waiting];
  part = {};
  part.granule = name_of(op.object & ~uintptr_t{7});
  part.offset = op.object & 7;
  part.size = is_memory(op.kind) ? static_cast<uint8_t>(op.size) : 4;
  part.act = act;
  part.took_effect = true;
  part.condition = thread.loop.state();
  if (is_memory(op.kind)) safe_read(op.object, &part.before, part.size);
  part.is_apart = act == Act::transfer;
  if (part.is_apart) part.granule = op.kind == OpKind::signal_wait ? kSignals : kOutside;
}

void Actions::finish() {
  settle();
  running_ = nullptr;
  const Thread& last = g_scheduler.self();  // it may be the last that has to wait
  // The last thread ends the program with itself. Who ends it otherwise may do so before a thread
  // is over that nobody joins.
  const bool waits_for_all = last.exiting;
  if (!waits_for_all) trail_->leaves_threads = g_scheduler.detached_ended();
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread& thread = *g_scheduler.thread_at(id);
    if (!thread.live) {
      trail_->leaves_threads |= !waits_for_all && thread.finished && !thread.joined;
      continue;
    }
    if (g_scheduler.is_enabled(thread)) {
      if (&thread == &last) continue;
      trail_->leaves_threads = true;
      if (TrailStep* left = add_waiting(thread)) left->part_count = 0;
      continue;
    }
    Act act;
    if (thread.loop.awaits && !thread.loop.is_blocked) {
      add_waiting(thread,
                  thread.pending.kind == OpKind::atomic_rmw ? Act::await_update : Act::await);
      continue;
    }
    if (!thread.in_lot || !act_in_front_of(thread.pending.kind, &act)) continue;
    add_waiting(thread, act);
  }
}

}  // namespace jostle::rt
