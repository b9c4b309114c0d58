// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/descriptor_wait.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_epoll.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/timer_descriptor.h"
#include "src/runtime/interpose/process/children.h"
#include "src/runtime/interpose/process/family.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/memory/private_memory.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/scheduler/time/external.h"

namespace jostle::rt {
namespace {

// How long we look out for packets that are on their way between two sockets of this process,
// before waiting for them is called a deadlock.
constexpr int64_t kLoopbackNanoseconds = 20'000'000;
// How often we look for what cannot be polled: first soon, then less and less often.
constexpr int64_t kFirstRetryNanoseconds = 50'000;
constexpr int64_t kLastRetryNanoseconds = 5'000'000;
int64_t g_retry_nanoseconds = kFirstRetryNanoseconds;

// Counts calls that may have changed the state of some descriptor.
uint64_t g_uses = 0;

// What a thread waits for; lives in the frame of its wait. A member of the set that only the
// outside makes ready is written as ~fd: poll() skips negative numbers.
struct ActiveWait {
  pollfd* set = nullptr;
  nfds_t count = 0;
  bool (*happened)(void* context) = nullptr;  // instead of a set
  void* context = nullptr;
  bool arrived = false;  // something from outside did, when last looked
  bool has_external = false;
  bool has_epoll = false;
  bool has_mixed_epoll = false;  // an epoll set with members of both sorts
  bool has_timers = false;
  bool all_external = false;
  bool until_any_use = false;
  bool from_relatives = false;  // of others only relatives bring it about
  bool by_children = false;
  uint64_t uses = 0;
  uint64_t timers = 0;
  uint64_t classified = 0;
};

// By thread id. Only those of threads that are in an external wait now mean anything: a handler
// that jumps out of a wait leaves its entry behind.
RunVector<ActiveWait*> g_waits;

int actual(int fd) { return fd < 0 ? ~fd : fd; }

void show_all(ActiveWait& wait) {
  for (nfds_t i = 0; i < wait.count; ++i) wait.set[i].fd = actual(wait.set[i].fd);
}

void classify(ActiveWait& wait) {
  wait.classified = classification_epoch();
  wait.has_external = wait.has_epoll = wait.has_mixed_epoll = wait.has_timers = false;
  for (nfds_t i = 0; i < wait.count; ++i) {
    const int fd = actual(wait.set[i].fd);
    const bool epoll = is_epoll(fd);
    const bool external = wait.all_external || is_external(look_at(fd));
    wait.set[i].fd = external ? ~fd : fd;
    wait.has_external |= external;
    wait.has_mixed_epoll |= external && epoll;
    wait.has_epoll |= epoll;
    wait.has_timers |= epoll || is_timer(fd);
  }
}

// An event that an epoll set has not seen, and that the kernel would not repeat.
bool owes_event(const ActiveWait& wait) {
  if (!wait.has_epoll) return false;
  for (nfds_t i = 0; i < wait.count; ++i) {
    if (is_epoll(actual(wait.set[i].fd)) && epoll_owes_event(actual(wait.set[i].fd))) return true;
  }
  return false;
}

bool poll_set(ActiveWait& wait) {
  const int saved = errno;
  const bool ready = REAL(poll)(wait.set, wait.count, 0) > 0;
  errno = saved;
  return ready || owes_event(wait);
}

// Some epoll set has something, and it cannot be from outside.
bool inside_of_epoll_ready(const ActiveWait& wait) {
  for (nfds_t i = 0; i < wait.count; ++i) {
    if (wait.set[i].fd >= 0 || !is_epoll(~wait.set[i].fd)) continue;
    if (epoll_ready_from_inside(~wait.set[i].fd)) return true;
  }
  return false;
}

bool is_ready(ActiveWait& wait) {
  if (wait.happened) {
    if (wait.until_any_use && wait.uses != g_uses) return true;
    if (!wait.arrived) return false;
    wait.arrived = false;
    if (!wait.happened(wait.context)) return false;
    g_retry_nanoseconds = kFirstRetryNanoseconds;
    return wait.arrived = true;
  }
  fire_due_timers();
  if (wait.has_timers && wait.timers != timer_epoch()) return true;
  if (wait.until_any_use && wait.uses != g_uses) return true;
  if (wait.classified != classification_epoch()) classify(wait);
  if (poll_set(wait)) return true;
  if (wait.has_mixed_epoll && inside_of_epoll_ready(wait)) return true;
  if (!wait.arrived) return false;
  show_all(wait);
  wait.arrived = poll_set(wait);
  classify(wait);
  return wait.arrived;
}

bool goes_over_network(int fd);

// What ends the wait may come from another process, or be on its way through the kernel.
bool may_come_from_outside(const ActiveWait& wait) {
  if (wait.happened || wait.has_external) return true;
  for (nfds_t i = 0; i < wait.count; ++i) {
    if (goes_over_network(actual(wait.set[i].fd))) return true;
  }
  return false;
}

void announce(ActiveWait& wait) {
  const ThreadId id = g_scheduler.self().id;
  if (id >= g_waits.size()) g_waits.resize(id + 1);
  g_waits[id] = &wait;
}

Wake wait_once(const Operation& op, ActiveWait& wait, Nanoseconds deadline,
               bool event_loop = false) {
  announce(wait);
  const Wake wake = g_scheduler.wait(op, [&wait] { return is_ready(wait); },
                                     {.deadline = deadline,
                                      .cancellation_point = true,
                                      .external = true,
                                      .outside = may_come_from_outside(wait),
                                      .interruptible = true,
                                      .event_loop = event_loop});
  g_waits[g_scheduler.self().id] = nullptr;
  return wake;
}

}  // namespace

Wake wait_for_descriptors(const Operation& op, pollfd* set, nfds_t count,
                          const DescriptorWait& options) {
  cancellation_point();
  const uint64_t uses = g_uses;
  for (;;) {
    ActiveWait wait;
    wait.set = set;
    wait.count = count;
    wait.all_external = options.external;
    wait.until_any_use = options.until_any_use;
    wait.uses = uses;
    wait.timers = timer_epoch();
    classify(wait);
    Nanoseconds deadline = options.deadline;
    if (wait.has_timers && earliest_timer_expiry() < deadline) deadline = earliest_timer_expiry();
    const Wake wake = wait_once(op, wait, deadline, options.event_loop);
    show_all(wait);
    switch (wake) {
      case Wake::signalled:
        return wake;
      case Wake::cancelled:
        cancellation_point();
        break;
      case Wake::timeout:
        fire_due_timers();
        if (g_scheduler.now() >= options.deadline) return wake;
        break;
      case Wake::ready:
        // It may have been only a timer that was set: then the deadline is another one now.
        if (poll_set(wait) || (options.until_any_use && uses != g_uses)) return wake;
    }
  }
}

Wake wait_for_outside(const Operation& op, bool (*happened)(void* context), void* context,
                      const DescriptorWait& options) {
  const uint64_t uses = g_uses;
  for (;;) {
    cancellation_point();
    ActiveWait wait;
    wait.happened = happened;
    wait.context = context;
    wait.by_children = options.by_children;
    wait.until_any_use = options.until_any_use;
    wait.uses = uses;
    const Wake wake = wait_once(op, wait, options.deadline);
    if (wake == Wake::cancelled) continue;
    // Another thread may have been faster.
    const bool used = options.until_any_use && uses != g_uses;
    if (wake != Wake::ready || used || happened(context)) return wake;
  }
}

// When it is ready is the wait's own matter.
void announce_wait_for_relatives() {
  static ActiveWait wait;
  wait.happened = [](void*) { return true; };
  wait.from_relatives = true;
  g_retry_nanoseconds = kFirstRetryNanoseconds;
  announce(wait);
}

void forget_descriptor_wait() {
  const ThreadId id = g_scheduler.self().id;
  if (id < g_waits.size()) g_waits[id] = nullptr;
}

void descriptors_changed() {
  ++g_uses;
  const int saved = errno;
  g_scheduler.poll_external();
  errno = saved;
}

bool try_again_after_signal() {
  if (interrupted_calls_restart()) return true;
  errno = EINTR;
  return false;
}

// ---- nobody inside can go on ------------------------------------------------------------------

namespace {

struct Outside {
  RunVector<pollfd> set;
  bool retry = false;      // something that cannot be polled
  bool external = false;   // anything at all from outside
  bool loopback = false;   // sockets of this process with packets under way, perhaps
  bool relatives = false;  // nothing but what relatives do
};
Outside g_outside;

bool goes_over_network(int fd) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return REAL(getsockopt)(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
}

void say_what_is_uncontrolled(int fd) {
  switch (look_at(fd).kind) {
    case DescriptorKind::socket:
      return note_uncontrolled(channel::kExternalSocket);
    case DescriptorKind::pipe:
    case DescriptorKind::device:
      return note_uncontrolled(channel::kTerminalInput);
    default:
      return;
  }
}

// f(wait) for everything that threads wait for now. Who follows a recording also comes here while
// somebody could go on: what that one has got already would be found again and again.
template <typename F>
void for_each_wait(F&& f) {
  for (ThreadId id = 0; id < g_waits.size() && id < g_scheduler.table_size(); ++id) {
    const Thread* thread = g_scheduler.thread_at(id);
    if (!g_waits[id] || !thread || !thread->live || !thread->external_wait) continue;
    if (!g_scheduler.is_enabled(*thread)) f(*g_waits[id]);
  }
}

// Something that cannot be polled.
bool comes_from_outside(const ActiveWait& wait) {
  return wait.happened && (!wait.from_relatives || has_living_relative());
}

void collect() {
  g_outside.set.clear();
  g_outside.loopback = false;
  // Nobody says when a process has decided not to send a signal. A parent may also send one that
  // ends us.
  g_outside.external = g_outside.retry = has_living_parent() || signals_may_come();
  g_outside.relatives = awaited_signals() == 0;
  for_each_wait([](const ActiveWait& wait) {
    g_outside.relatives &= wait.from_relatives || wait.by_children;
    if (comes_from_outside(wait)) g_outside.retry = g_outside.external = true;
    for (nfds_t i = 0; i < wait.count; ++i) {
      const int fd = wait.set[i].fd;
      if (fd < 0) {
        g_outside.external = true;
        g_outside.set.push_back({~fd, wait.set[i].events, 0});
        say_what_is_uncontrolled(~fd);
      } else if (goes_over_network(fd)) {
        g_outside.loopback = true;
        g_outside.set.push_back({fd, wait.set[i].events, 0});
      }
    }
  });
}

void mark_arrived() {
  for_each_wait(
      [](ActiveWait& wait) { wait.arrived = wait.arrived || wait.happened || wait.has_external; });
}

// A descriptor that is readable when a signal is there that threads wait for in sigwait; -1: none
// do.
int awaited_signals_descriptor() {
  const uint64_t awaited = awaited_signals();
  if (!awaited) return -1;
  const sigset_t set = set_of(awaited);
  return REAL(signalfd)(-1, &set, SFD_CLOEXEC);
}

int poll_for_real(int64_t nanoseconds) {
  const timespec time = to_timespec(nanoseconds);
  const int signals = awaited_signals_descriptor();
  if (signals >= 0) g_outside.set.push_back({signals, POLLIN, 0});
  const sigset_t all = all_that_may_be_blocked();
  sigset_t usual;
  // Blocked until ppoll lets them in, so that none slips by between the look and the poll.
  kernel_signal_mask(SIG_BLOCK, &all, &usual);
  int result = 1;
  if (!accept_arrived_signals()) {
    result = REAL(ppoll)(g_outside.set.begin(), g_outside.set.size(),
                         nanoseconds < 0 ? nullptr : &time, &usual);
  }
  kernel_signal_mask(SIG_SETMASK, &usual, nullptr);
  if (accept_arrived_signals()) result = 1;
  if (signals >= 0) REAL(close)(signals);
  return result;
}

}  // namespace

bool others_may_write() { return !g_memory_is_private && has_living_relative(); }

bool outside_may_interfere() {
  const int saved = errno;
  collect();
  errno = saved;
  return g_outside.external || g_outside.loopback || outside_may_act();
}

bool g_outside_watched = false;

bool outside_may_act() {
  if (g_signals_arrived) return true;
  if (!g_outside_watched) return false;
  bool waited_for = false;
  for_each_wait([&](const ActiveWait& wait) { waited_for |= comes_from_outside(wait); });
  return waited_for || signals_may_come() || others_may_write();
}

bool outside_is_awaited() {
  if (outside_may_act()) return true;
  bool from_outside = false;
  for_each_wait([&](const ActiveWait& wait) { from_outside |= wait.has_external; });
  return from_outside && has_living_relative();
}

bool wait_for_external_events(int64_t real_timeout_ns) {
  const int saved = errno;
  collect();
  bool happened = accept_arrived_signals();
  if (!happened && real_timeout_ns < 0 && g_outside.relatives && is_family_stuck()) {
    errno = saved;
    return false;
  }
  const bool in_family = has_family();
  if (!happened &&
      (g_outside.external || g_outside.loopback || (in_family && real_timeout_ns > 0))) {
    int64_t limit = real_timeout_ns;
    const auto at_most = [&limit](int64_t time) {
      if (limit < 0 || limit > time) limit = time;
    };
    if (g_outside.retry) {
      at_most(g_retry_nanoseconds);
      if (g_retry_nanoseconds < kLastRetryNanoseconds) g_retry_nanoseconds *= 2;
    }
    if (!g_outside.external) at_most(kLoopbackNanoseconds);
    if (in_family) at_most(kLastRetryNanoseconds);  // the others go by when it was looked last
    happened = poll_for_real(limit) > 0 || g_outside.retry;
    // Interrupted or timed out early: there is still something to wait for.
    if (real_timeout_ns < 0 && g_outside.external) happened = true;
  }
  if (happened) mark_arrived();
  errno = saved;
  return happened;
}

}  // namespace jostle::rt
