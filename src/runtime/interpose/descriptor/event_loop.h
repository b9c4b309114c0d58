// SPDX-License-Identifier: Apache-2.0
// What an event loop sees: the order of what is ready, how much of it at once, and whether a
// timer comes first.
//
// Which of several ready descriptors a loop hears of first is nobody's promise, nor when it hears
// of each: on another day the peer is slower. So the waits of event loops (epoll_wait, poll,
// select) report the beginning of some permutation of what is ready, and the rest later. A
// descriptor is passed over a few times at most, and never when the wait could report nothing else
// and has no time-out: nothing is lost. Time never goes backwards and nothing strikes early: a
// time-out may come first although something is ready, as if that had arrived a moment later.
//
// All are choices in the log; the first alternative of each is what the kernel would do.
//
// A wait counts as a loop's when it is for two descriptors at least and is made by a library, or by
// a place in the program that has waited before in this run. `assert(poll(fds, 2, 0) == 2)` in
// straight-line code stays what it is. docs/events.md has the table of what is legal where.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// At the start of a run; with `replayed` it is followed. What the run asks for is then what its
// recording asked for, whatever the options are.
void begin_event_loops(const channel::Config& config, const channel::Schedule* replayed);

// Is the wait at `pc`, for so many descriptors, that of an event loop? Counts as a wait there.
bool is_loop_wait(uintptr_t pc, size_t descriptors);

// --plain-events: what is ready is reported as the kernel would.
bool events_are_plain();

// When a loop's wait ends for which something is ready.
enum class Moment {
  now,
  late,       // at its time-out, and reports what is ready
  timed_out,  // at its time-out, and reports nothing
};
// Those that are ready, by names that are the same in every run; of very many the first.
struct ReadyNames {
  static constexpr uint32_t kMost = 64;
  void add(uint64_t name) {
    if (count < kMost) names[count++] = name;
  }
  uint32_t count = 0;
  uint64_t names[kMost];
};

// `deadline` is that of the wait, or of a timer before it.
Moment choose_moment(const ReadyNames& ready, Nanoseconds deadline, bool may_report_nothing);

// How often each descriptor has been passed over since it was last reported.
bool is_overdue(int fd);
void note_reported(int fd);
void note_passed_over(int fd);
void forget_passed_over(int fd);

// Puts those that are reported to the front of `ready`, in their order: so many, at most `most`.
// `Candidate` has a member `fd`, and a `name` that is the same in every run.
template <typename Candidate>
size_t choose_reported(Candidate* ready, size_t count, size_t most, bool may_report_nothing,
                       bool may_defer = true) {
  size_t overdue = 0;
  for (size_t i = 0; i < count; ++i) overdue += is_overdue(ready[i].fd);
  const size_t limit = count < most ? count : most;
  size_t reported = 0;
  while (reported < limit) {
    const auto left = static_cast<uint32_t>(count - reported);
    const bool may_stop = may_defer && overdue == 0 && (reported > 0 || may_report_nothing);
    ReadyNames names;
    for (uint32_t i = 0; i < left; ++i) names.add(ready[reported + i].name);
    const uint32_t next = left == names.count
                              ? g_scheduler.choose_ready(names.names, left, may_stop)
                              : g_scheduler.choose(ChoiceKind::ready, left + may_stop);
    if (next == left) break;
    const Candidate chosen = ready[reported + next];
    for (size_t i = reported + next; i > reported; --i) ready[i] = ready[i - 1];
    ready[reported++] = chosen;
    overdue -= is_overdue(chosen.fd);
    note_reported(chosen.fd);
  }
  for (size_t i = reported; i < count; ++i) note_passed_over(ready[i].fd);
  return reported;
}

}  // namespace jostle::rt
