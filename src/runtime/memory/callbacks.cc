// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/callbacks.h"

#include <string.h>

#include "src/base/hash.h"
#include "src/runtime/fiber/clean_stack.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/thread_state.h"

namespace jostle::rt {

namespace {

// How often each callback was called in this run; two may share a place.
constexpr size_t kCounters = 512;
uint16_t g_calls[kCounters];
bool g_leads_on = false;  // the run's Progress is of a feature that does
// Virtual time goes on a little with every step: less than this is none.
constexpr int64_t kShortestWait = 100'000;  // ns

// Exact for the first ones, then by powers of two: the thousandth round of a loop is no news.
uint64_t bucket(uint64_t count) {
  constexpr uint64_t kExact = 512;
  if (count <= kExact) return count;
  return kExact + static_cast<uint64_t>(64 - __builtin_clzll(count));
}

// A library's loop that found nothing ready calls those whose time has come; any other may have a
// queue of what was posted to it, and look without waiting.
channel::Trigger trigger_of(Thread& thread, bool is_by_frames, int& descriptor) {
  LoopReport& report = thread.loop_report;
  if (!report.waited) return channel::Trigger::unknown;
  if (report.count == 0) {
    return is_by_frames && !report.took_time ? channel::Trigger::unknown : channel::Trigger::timer;
  }
  if (report.used >= report.count || report.used >= LoopReport::kMost)
    return channel::Trigger::unknown;
  descriptor = report.descriptors[report.used++];
  return channel::Trigger::descriptor;
}

void note_features(Thread& thread, uint64_t function) {
  uint16_t& calls = g_calls[function % kCounters];
  if (calls < UINT16_MAX) ++calls;
  note_event_feature(combine(combine(31, thread.last_callback), function));
  note_event_feature(combine(combine(37, bucket(calls)), function), true);
  if (thread.loop_report.passed_over) {
    note_event_feature(combine(combine(41, thread.loop_report.passed_over), function));
  }
  thread.callback_before = thread.last_callback;
  thread.last_callback = function;
}

// So deep in a callback, and so many calls of it, are looked at.
constexpr uint32_t kInnerDepth = 12;
constexpr uint32_t kMostInner = 256;

// Does the instruction before the return address name the function that it calls? A function that a
// loop was handed is called by a pointer.
bool calls_by_name(uintptr_t return_address) {
  if (!is_instrumented_code(return_address)) return false;  // or no code: a new stack begins there
#if defined(__x86_64__)
  // The byte may also be the end of another instruction, before a shorter call: then what follows
  // it is no distance to a function, or to a stub, of this module.
  const auto* call = reinterpret_cast<const uint8_t*>(return_address - 5);
  int32_t distance;
  memcpy(&distance, call + 1, sizeof distance);
  return *call == 0xE8 && is_instrumented_code(return_address + static_cast<uintptr_t>(distance));
#elif defined(__aarch64__)
  return *reinterpret_cast<const uint32_t*>(return_address - 4) >> 26 == 0x25;
#endif
}

// The callback that runs may be the loop's own function, and the program's be called by it: which
// is which is seen by their names, in the report.
void note_inner_call(Thread& thread, uintptr_t function, uintptr_t caller) {
  channel::RunRecord& run = g_scheduler.record();
  if (thread.inner_calls_left == 0 || run.callback_count >= channel::kMaxCallbacks) return;
  if (thread.calls.frames() >= thread.callback_frames + kInnerDepth) return;
  --thread.inner_calls_left;
  channel::CallbackRecord& inner = run.callbacks[run.callback_count++];
  inner = run.callbacks[thread.callback];
  inner.inside = thread.callback + 1;
  inner.depth = thread.calls.frames();
  inner.by_name = calls_by_name(caller);
  inner.function = function;
  inner.caller = caller;
  inner.trigger = channel::Trigger::unknown;
  inner.descriptor = -1;
  // What the loop learned is for the first callback that it was handed.
  if (run.callbacks[thread.callback].by_name && !inner.by_name) {
    inner.trigger = trigger_of(thread, true, inner.descriptor);
  }
  inner.begin = thread.events;
  inner.clock = g_scheduler.now();
}

void choose_exits_seen(Thread& thread) {
  const uint32_t callback = thread.callback_frames == UINT32_MAX ? 0 : thread.callback_frames + 1;
  thread.exits_seen_below = g_compares_memory ? UINT32_MAX : callback;
}

void callback_returned(Thread& thread) {
  if (thread.runs_task) {
    g_races.orders_with_all();
    thread.runs_task = false;
  }
  thread.callback_frames = UINT32_MAX;
  choose_exits_seen(thread);
  thread.watched_frames = thread.loop_frames;
  thread.inner_calls_left = 0;
  if (thread.callback == UINT32_MAX) return;
  g_scheduler.record().callbacks[thread.callback].end = thread.events;
  thread.callback = UINT32_MAX;
}

// What runs was no callback: it is the loop.
void take_back_callback(Thread& thread) {
  channel::RunRecord& run = g_scheduler.record();
  --run.progress.callbacks;
  if (thread.callback != UINT32_MAX) {
    run.callbacks[thread.callback].trigger = channel::Trigger::none;
  }
  thread.last_callback = thread.callback_before;
  callback_returned(thread);
}

}  // namespace

void begin_callbacks() {
  memset(g_calls, 0, sizeof g_calls);
  g_leads_on = false;
  choose_exits_seen(g_scheduler.self());
}

void may_be_callback(Thread& thread, uintptr_t function, uintptr_t caller) {
  if (g_races.active() && is_task_library(caller)) {
    g_races.orders_with_all();
    thread.runs_task = true;
  }
  if (thread.callback_frames != UINT32_MAX) {
    if (thread.calls.frames() > thread.callback_frames)
      return note_inner_call(thread, function, caller);
    callback_returned(thread);  // left by an exception or longjmp
  }
  const bool is_by_frames = thread.calls.frames() < thread.loop_frames;
  if (!is_by_frames && !is_library_code(caller)) return;
  thread.callback_frames = thread.calls.frames();
  choose_exits_seen(thread);
  channel::RunRecord& run = g_scheduler.record();
  ++run.progress.callbacks;
  int descriptor = -1;
  const bool by_name = is_by_frames && calls_by_name(caller);
  const channel::Trigger trigger =
      by_name ? channel::Trigger::unknown : trigger_of(thread, is_by_frames, descriptor);
  if (run.callback_count < channel::kMaxCallbacks) {
    thread.callback = run.callback_count++;
    run.callbacks[thread.callback] = {.thread = thread.index,
                                      .trigger = trigger,
                                      .descriptor = descriptor,
                                      .inside = 0,
                                      .depth = thread.calls.frames(),
                                      .by_name = by_name,
                                      .function = function,
                                      .caller = caller,
                                      .begin = thread.events,
                                      .end = UINT64_MAX,
                                      .clock = g_scheduler.now()};
    if (is_by_frames && g_scheduler.recording()) {
      thread.watched_frames = thread.callback_frames + kInnerDepth;
      thread.inner_calls_left = kMostInner;
    }
  }
  note_features(thread, code_location(function));
}

void function_returns(Thread& thread) {
  if (thread.calls.frames() == thread.callback_frames) callback_returned(thread);
  if (g_compares_memory) jostle_clean_stack(false, stack_to_clean());
}

void loop_waits() {
  Thread& thread = g_scheduler.self();
  const channel::Schedule& log = g_scheduler.record().schedule;
  thread.loop_report.choices = log.choice_count;
  thread.loop_report.segments = log.segment_count;
  thread.loop_report.events = thread.events;
  thread.loop_report.since = g_scheduler.now();
}

void note_loop_report(uintptr_t pc, const int* descriptors, size_t count, uint64_t passed_over) {
  Thread& thread = g_scheduler.self();
  LoopReport& report = thread.loop_report;
  report.waited = true;
  report.took_time = g_scheduler.now() - report.since >= kShortestWait;
  report.used = 0;
  report.passed_over = passed_over;
  report.count = count < LoopReport::kMost ? static_cast<uint32_t>(count) : LoopReport::kMost;
  for (uint32_t i = 0; i < report.count; ++i) report.descriptors[i] = descriptors[i];
  if (!is_instrumented_code(pc)) return;
  if (thread.callback_frames != UINT32_MAX) {
    if (pc != thread.loop_waits_at) return;  // a callback that waits for something of its own
    take_back_callback(thread);
  }
  thread.loop_waits_at = pc;
  thread.loop_frames = thread.watched_frames = thread.calls.frames() + 1;
}

void note_event_feature(uint64_t feature, bool leads_on) {
  if (!g_hub || !g_hub->event_features.insert(feature)) return;
  const Thread& thread = g_scheduler.self();
  channel::RunRecord& run = g_scheduler.record();
  channel::Progress& progress = run.progress;
  ++progress.new_features;
  if (g_leads_on && !leads_on) return;
  g_leads_on = leads_on;
  // What the loop learned last led here, and would lead elsewhere in another order.
  const LoopReport& report = thread.loop_report;
  progress.choices = report.waited ? report.choices : run.schedule.choice_count;
  progress.segments = report.waited ? report.segments : run.schedule.segment_count;
  progress.events = report.waited ? report.events : thread.events;
  progress.thread = thread.index;
}

}  // namespace jostle::rt
