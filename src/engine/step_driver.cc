// SPDX-License-Identifier: Apache-2.0
#include "src/engine/step_driver.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "src/base/hash.h"
#include "src/base/raw_syscall.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/deadlock.h"
#include "src/runtime/scheduler/backtrace.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;
using channel::StepOrder;
using channel::StepStop;

// Straight to the kernel: the program's threads must not notice that we wait. Not private, because
// the other side is another process.
void wait_while(const std::atomic<uint32_t>& counter, uint32_t value) {
  while (counter.load(std::memory_order_acquire) == value) {
    raw_syscall(SYS_futex, reinterpret_cast<long>(&counter), FUTEX_WAIT, value);
  }
}

void wake(const std::atomic<uint32_t>& counter) {
  raw_syscall(SYS_futex, reinterpret_cast<long>(&counter), FUTEX_WAKE, 1);
}

// As long as one of these lives, what we call is not the program's doing: a string function inside
// would count as an event of its thread, and a replay would miss it.
class Uncontrolled {
 public:
  Uncontrolled() : current_(g_current) { g_current = nullptr; }
  ~Uncontrolled() { g_current = current_; }
  Uncontrolled(const Uncontrolled&) = delete;
  Uncontrolled& operator=(const Uncontrolled&) = delete;

 private:
  Thread* current_;
};

bool has_passed(const channel::StepExchange& exchange, uint64_t place) {
  return exchange.passed[channel::step_place(place)] == place;
}

const Thread& thread_at(ThreadId id) { return *g_scheduler.thread_at(id); }

}  // namespace

StepDriver::StepDriver(channel::Channel* channel)
    : channel_(channel),
      exchange_(channel->step),
      onward_(make_strategy("none")->begin_run({}).decider) {}

// A process that the program forked has no command to ask.
bool StepDriver::is_followed() const { return &g_scheduler.channel() == channel_; }

ThreadId StepDriver::decide(const View& view, ThreadId only) {
  if (!is_followed()) return only != kNoThread ? only : onward_->pick(view);
  bool asked = false;
  while (true) {
    StepStop why;
    const ThreadId id = propose(view, only, why);
    // The thread that ran last may have come to the place and has to wait there.
    const ThreadId last = g_scheduler.self().id;
    const bool arrived = id != last && !asked && is_at_wanted_place(view, last);
    if (!arrived && id != kNoThread && !is_at_wanted_place(view, id)) {
      // What nobody could have decided otherwise does not count, unless somebody was asked here.
      if (left_ != 0 && (only == kNoThread || asked)) --left_;
      return id;
    }
    if (!arrived && id == kNoThread) stop(why);
    take_order();
    asked = true;
  }
}

ThreadId StepDriver::propose(const View& view, ThreadId only, StepStop& why) {
  if (exchange_.interrupt.exchange(0) != 0) {
    why = StepStop::interrupted;
    return kNoThread;
  }
  why = left_ == 0 ? StepStop::choice : StepStop::cannot;
  const bool has_thread = order_ == StepOrder::thread && left_ != 0;
  if (only != kNoThread) {
    return has_thread && thread_at(only).index != exchange_.thread ? kNoThread : only;
  }
  if (left_ == 0) return kNoThread;
  if (order_ != StepOrder::thread) return g_scheduler.decider().pick(view);
  ThreadId wanted = kNoThread;
  view.candidates->for_each([&](ThreadId id) {
    if (thread_at(id).index == exchange_.thread) wanted = id;
  });
  return wanted;
}

// Stops to ask whether this is the place that `until` looks for. When it is, the next order is in.
bool StepDriver::is_at_wanted_place(const View& view, ThreadId id) {
  if (!exchange_.until || left_ == 0) return false;
  const Thread& t = thread_at(id);
  const uintptr_t pc = view.pending(id).pc;
  if (!pc || has_passed(exchange_, pc)) return false;
  if (t.index == reached_thread_ && t.events == reached_event_) return false;
  channel::Stack& place = exchange_.place;
  place.depth = 0;
  if (&t == &g_scheduler.self()) {
    capture_own_stack(place, pc);
  } else if (t.stopped_at) {
    place = *t.stopped_at;
  }
  if (place.depth == 0) place.pc[place.depth++] = pc;
  exchange_.next = t.index;
  uint64_t hash = place.depth;
  for (uint32_t i = 0; i < place.depth; ++i) hash = combine(hash, place.pc[i]);
  exchange_.place_hash = hash;
  if (has_passed(exchange_, hash)) return false;
  stop(StepStop::place);
  if (exchange_.order == StepOrder::go_on) return false;
  reached_thread_ = t.index;
  reached_event_ = t.events;
  return true;
}

void StepDriver::stop(StepStop why) {
  const Uncontrolled uncontrolled;
  const Thread& current = g_scheduler.self();
  exchange_.stop = why;
  exchange_.current = current.index;
  exchange_.step = g_scheduler.steps();
  exchange_.clock = g_scheduler.now();
  exchange_.running = {current.index,
                       current.pending.kind,
                       !g_scheduler.is_enabled(current),
                       0,
                       current.events,
                       code_location(current.pending.pc)};
  if (why != StepStop::place) describe_threads(g_scheduler);
  const uint32_t orders = exchange_.orders.load(std::memory_order_relaxed);
  exchange_.stops.fetch_add(1, std::memory_order_release);
  wake(exchange_.stops);
  wait_while(exchange_.orders, orders);
}

// What the command filled in while we waited.
void StepDriver::take_order() {
  while (exchange_.order == StepOrder::look) stop(StepStop::looked);
  g_scheduler.record().report_count = 0;  // from here on they are of the past
  order_ = exchange_.order;
  left_ = exchange_.count;
  if (order_ == StepOrder::strategy && hand_over()) return;
  if (order_ == StepOrder::strategy) order_ = StepOrder::onward;
  g_scheduler.let_decide(onward_, nullptr);
}

// The strategy sees the threads that there are as if they had been created now.
bool StepDriver::hand_over() {
  const Uncontrolled uncontrolled;
  Strategy* strategy = make_strategy(exchange_.strategy);
  if (!strategy) return false;  // the command has checked it
  const RunRoles roles = begin_run_of(*strategy, {exchange_.seed});
  for (ThreadId id = 1; id < g_scheduler.table_size(); ++id) {
    if (thread_at(id).live) roles.decider->thread_created(0, id);
  }
  g_scheduler.let_decide(roles.decider, roles.observer);
  return true;
}

}  // namespace jostle::engine
