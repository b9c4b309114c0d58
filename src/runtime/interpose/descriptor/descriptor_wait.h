// SPDX-License-Identifier: Apache-2.0
// Waiting for descriptors: the one fiber waits, the process goes on.
//
// A call that may block first waits here until the kernel says that it would not, and is then made
// for real. What only threads of this process can make ready is polled by the scheduler whenever
// some thread has done something to a descriptor (`descriptors_changed`). What comes from outside
// counts as ready only when nobody inside can go on, see external.h.
#pragma once

#include <poll.h>

#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

struct DescriptorWait {
  Nanoseconds deadline = kNever;
  // Also ends (as ready) when any thread has used any descriptor since: for calls that the kernel
  // would let through although poll does not say so, such as a send into a buffer three quarters
  // full.
  bool until_any_use = false;
  // Ready in real time although everything is inside: a connection attempt that is being repeated.
  bool external = false;
  bool event_loop = false;  // see event_loop.h
  // wait_for_outside: only a process that the program has started brings it about.
  bool by_children = false;
};

// Waits until one of `set` may be ready. `set` is left as it was but for revents. Acts on
// cancellation. Never returns Wake::cancelled.
Wake wait_for_descriptors(const Operation& op, pollfd* set, nfds_t count,
                          const DescriptorWait& options);

inline Wake wait_for_descriptor(const Operation& op, int fd, short events,
                                const DescriptorWait& options = {}) {
  pollfd set = {fd, events, 0};
  return wait_for_descriptors(op, &set, 1, options);
}

// Waits for something outside that cannot be polled (a child's end, another process's lock) until
// `happened(context)`, which is asked only when nobody inside can go on. Of the options, `external`
// is understood.
Wake wait_for_outside(const Operation& op, bool (*happened)(void* context), void* context,
                      const DescriptorWait& options = {});

// The current thread is about to be in an external wait of another sort. (What is known of its last
// wait here may be left over from a handler that jumped out of it.)
void forget_descriptor_wait();

// Scheduler::wait for what threads of this process or of another one bring about: an object in
// shared memory. The other one has to be a relative of this one.
void announce_wait_for_relatives();
template <typename Ready>
Wake wait_among_processes(const Operation& op, Ready&& ready, WaitOptions options) {
  announce_wait_for_relatives();
  options.external = options.outside = true;
  const Wake wake = g_scheduler.wait(op, ready, options);
  forget_descriptor_wait();
  return wake;
}

// A call of the current thread may have made a descriptor ready for somebody. Leaves errno alone.
void descriptors_changed();

// A blocking call was interrupted by a signal: should it be made again? Sets errno to EINTR if not.
bool try_again_after_signal();

}  // namespace jostle::rt
