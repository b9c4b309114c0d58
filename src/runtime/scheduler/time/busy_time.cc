// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/time/busy_time.h"

#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/switch.h"
#include "src/runtime/scheduler/time/external.h"
#include "src/runtime/scheduler/time/timers.h"

namespace jostle::rt {
namespace {

Nanoseconds shifted(Nanoseconds time, uint32_t doublings) {
  constexpr uint32_t kMost = 40;
  const uint32_t by = doublings < kMost ? doublings : kMost;
  return time > (kNever >> 1 >> by) ? kNever >> 1 : time << by;
}

}  // namespace

Nanoseconds Scheduler::processor_time() const {
  const uint64_t events = total_events() - busy_.events_of_parent;
  return static_cast<Nanoseconds>(events) * BusyTime::kPerEvent + busy_.processor_extra;
}

Nanoseconds Scheduler::processor_time(const Thread& thread) const {
  const uint64_t before = thread.index == busy_.forking ? busy_.events_of_forking : 0;
  return static_cast<Nanoseconds>(thread.events - before) * BusyTime::kPerEvent +
         busy_.processor_extra;
}

void Scheduler::processor_time_begins() {
  busy_.processor_extra = 0;
  busy_.events_of_parent = total_events();
  busy_.events_of_forking = current_->events;
  busy_.forking = current_->index;
}

void Scheduler::watch_work() {
  const bool watched = busy_.look_at != UINT64_MAX;
  const bool wanted = g_next_timers.any() || g_outside_watched;
  if (!g_next_timers.any()) busy_.is_due = false;
  if (wanted == watched) return;
  busy_.owed = busy_.owed_idle = 0;
  busy_.idle_looks = busy_.hurries = busy_.samples_left = 0;
  busy_.look_at = UINT64_MAX;
  if (wanted) {
    busy_.events = total_events();
    busy_.steps = steps_;
    busy_.look_at = busy_.events + BusyTime::kEventsPerLook;
  }
  arm_limits(*current_);
}

// The run has had the events after which it is to be looked what has been done meanwhile. Where
// accesses were made last, the next ones are looked at first.
void Scheduler::look_at_work(Thread& thread, bool at_access) {
  if (!at_access) return end_look(false);
  if (busy_.samples_left) return;
  busy_.samples_left = BusyTime::kSamples;
  busy_.sample = {};
  busy_.look_at = 0;
  thread.stop_at = 0;
}

bool Scheduler::sample(OpKind kind, uintptr_t address, uint32_t size, uintptr_t pc) {
  uint64_t value = 0;
  const bool reads = only_reads(kind);
  if (reads) {
    __builtin_memcpy(&value, reinterpret_cast<const void*>(address), size < 8 ? size : 8);
  }
  const bool idle = reads && busy_.sample.read(pc, address, value);
  if (reads && !idle && --busy_.samples_left) return false;
  end_look(idle);
  const uint64_t slice_end = current_->slice_end;
  arm_limits(*current_);
  current_->slice_end = slice_end;  // the thread has not got a new one
  return busy_.is_due;
}

void Scheduler::end_look(bool idle) {
  const uint64_t events = total_events();
  const auto done = static_cast<Nanoseconds>(events - busy_.events);
  Nanoseconds passed = done * BusyTime::kPerEvent +
                       static_cast<Nanoseconds>(steps_ - busy_.steps) * BusyTime::kPerStep;
  Nanoseconds extra = 0;
  const bool others_work =
      idle && (busy_.outside_left > 0 || family_is_complete()) && others_may_write();
  if (idle && !others_work) extra = shifted(done * BusyTime::kPerIdleEvent, busy_.idle_looks++);
  if (!idle) busy_.idle_looks = 0;
  if (events > event_limit_ / 2 || steps_ > step_limit_ / 2) {
    extra = shifted(passed + extra, busy_.hurries++);
  }
  const auto add = [](Nanoseconds& to, Nanoseconds what) {
    if (__builtin_add_overflow(to, what, &to)) to = kNever;
  };
  add(busy_.owed, passed);
  add(busy_.owed, extra);
  add(busy_.owed_idle, extra);
  busy_.samples_left = 0;
  busy_.events = events;
  busy_.steps = steps_;
  busy_.look_at = events + BusyTime::kEventsPerLook;
  if (g_outside_watched) look_outside();
  Nanoseconds processor = processor_time();
  add(processor, busy_.owed_idle);
  busy_.is_due = (g_next_timers.real != kNever && busy_.owed >= g_next_timers.real - clock_) ||
                 processor >= g_next_timers.processor;
}

// The current thread is at a decision. The log says that time passes before its next operation.
void Scheduler::pass_time_to_timer() {
  log_switch(*current_, channel::kTimePassed);
  busy_.segment_ended = true;
  busy_.is_due = false;
  const Nanoseconds real = g_next_timers.real == kNever ? kNever : g_next_timers.real - clock_;
  const Nanoseconds processor =
      g_next_timers.processor == kNever ? kNever : g_next_timers.processor - processor_time();
  Nanoseconds step = real < processor ? real : processor;
  if (step == kNever) return;
  if (step < 0) step = 0;
  if (processor <= real) busy_.processor_extra += step;
  busy_.owed = busy_.owed > step ? busy_.owed - step : 0;
  busy_.owed_idle = 0;
  advance_clock_to(clock_ + step);
  expire_timers();  // those of processor time
}

// `thread` is about to time out, perhaps before others have run. Timers that are due before come
// first, and may interrupt it.
bool Scheduler::timer_interrupts(Thread& thread, Nanoseconds deadline) {
  // More would be a timer that nobody wants to hear of.
  constexpr int kMost = 1'000;
  for (int i = 0; i < kMost && g_next_timers.real < deadline; ++i) {
    advance_clock_to(g_next_timers.real);
    if (can_handle_signal(thread)) return true;
  }
  return false;
}

}  // namespace jostle::rt
