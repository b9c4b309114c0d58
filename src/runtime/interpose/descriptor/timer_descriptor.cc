// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/timer_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/early_descriptors.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"

namespace jostle::rt {
namespace {

struct Timer {
  int fd = -1;  // any of its descriptors; -1: free place in the table
  uint32_t descriptors = 0;
  clockid_t clock = CLOCK_MONOTONIC;
  Nanoseconds next = kNever;  // kNever: not set
  Nanoseconds interval = 0;   // 0: once
};

struct Alias {
  int fd;
  uint32_t timer;
};

RunVector<Timer> g_timers;
RunVector<Alias> g_aliases;  // every descriptor of a timer; few
Nanoseconds g_earliest = kNever;
uint64_t g_epoch = 0;

Timer* timer_of(int fd) {
  for (const Alias& alias : g_aliases) {
    if (alias.fd == fd) return &g_timers[alias.timer];
  }
  return nullptr;
}

void find_earliest() {
  g_earliest = kNever;
  for (const Timer& timer : g_timers) {
    if (timer.fd >= 0 && timer.next < g_earliest) g_earliest = timer.next;
  }
}

// Closed behind our back, the number may belong to something else by now.
bool is_still_ours(int fd) {
  struct stat status;
  return REAL(fstat)(fd, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

void fire(Timer& timer) {
  uint64_t expirations = 1;
  if (timer.interval > 0) {
    expirations += static_cast<uint64_t>((g_scheduler.now() - timer.next) / timer.interval);
    const Nanoseconds last =
        timer.next + static_cast<Nanoseconds>(expirations - 1) * timer.interval;
    if (__builtin_add_overflow(last, timer.interval, &timer.next)) timer.next = kNever;
  } else {
    timer.next = kNever;
  }
  // Cannot block: the counter of an eventfd holds 2^64 - 2.
  if (is_still_ours(timer.fd)) (void)!REAL(write)(timer.fd, &expirations, sizeof expirations);
}

void forget_expirations(const Timer& timer) {
  const int flags = REAL(fcntl)(timer.fd, F_GETFL);
  REAL(fcntl)(timer.fd, F_SETFL, flags | O_NONBLOCK);
  uint64_t count;
  (void)!REAL(read)(timer.fd, &count, sizeof count);
  REAL(fcntl)(timer.fd, F_SETFL, flags);
}

uint32_t free_timer() {
  for (uint32_t i = 0; i < g_timers.size(); ++i) {
    if (g_timers[i].fd < 0) return i;
  }
  g_timers.push_back({});
  return static_cast<uint32_t>(g_timers.size() - 1);
}

itimerspec setting_of(const Timer& timer) {
  if (timer.next == kNever) return {};
  const Nanoseconds left = timer.next - g_scheduler.now();
  return {.it_interval = to_timespec(timer.interval), .it_value = to_timespec(left > 0 ? left : 1)};
}

bool is_zero(const timespec& time) { return time.tv_sec == 0 && time.tv_nsec == 0; }

void set(Timer& timer, int flags, const itimerspec& value) {
  timer.interval = to_nanoseconds(value.it_interval);
  if (is_zero(value.it_value)) {
    timer.next = kNever;
  } else if (flags & TFD_TIMER_ABSTIME) {
    timer.next = virtual_deadline(timer.clock, value.it_value);
  } else {
    timer.next = deadline_after(value.it_value);
  }
}

int fail(int error) {
  errno = error;
  return -1;
}

// What the kernel says to a descriptor that is no timer of ours.
int no_timer(int fd) { return fail(look_at(fd).is_open() ? EINVAL : EBADF); }

}  // namespace

bool is_timer(int fd) { return !g_aliases.empty() && timer_of(fd); }
Nanoseconds earliest_timer_expiry() { return g_earliest; }
uint64_t timer_epoch() { return g_epoch; }

void fire_due_timers() {
  const Nanoseconds now = g_scheduler.now();
  if (now < g_earliest) return;
  const int saved = errno;
  for (Timer& timer : g_timers) {
    if (timer.fd >= 0 && timer.next <= now) fire(timer);
  }
  find_earliest();
  errno = saved;
}

void timer_duplicated(int from, int to) {
  for (size_t i = 0; i < g_aliases.size(); ++i) {
    if (g_aliases[i].fd != from) continue;
    ++g_timers[g_aliases[i].timer].descriptors;
    g_aliases.push_back({to, g_aliases[i].timer});
    return;
  }
}

void timer_closed(int fd) {
  for (size_t i = 0; i < g_aliases.size(); ++i) {
    if (g_aliases[i].fd != fd) continue;
    const uint32_t index = g_aliases[i].timer;
    g_aliases[i] = g_aliases.back();
    g_aliases.pop_back();
    Timer& timer = g_timers[index];
    if (--timer.descriptors == 0) {
      timer = Timer{};
    } else {
      for (const Alias& alias : g_aliases) {
        if (alias.timer == index) timer.fd = alias.fd;
      }
    }
    find_earliest();
    return;
  }
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int timerfd_create(clockid_t clock, int flags) noexcept {
  if (!controlled()) return REAL(timerfd_create)(clock, flags);
  makes_descriptor(CALLER());
  // The kernel judges the arguments; its timer is then replaced by ours.
  const int real = REAL(timerfd_create)(clock, flags);
  if (real < 0) return -1;
  REAL(close)(real);
  static_assert(int{TFD_NONBLOCK} == int{EFD_NONBLOCK} && int{TFD_CLOEXEC} == int{EFD_CLOEXEC});
  const int fd = REAL(eventfd)(0, flags);
  if (fd < 0) return -1;
  timer_closed(fd);  // an earlier owner of the number that libc closed by itself
  event_descriptor_closed(fd);
  note_anonymous(fd);
  note_event_descriptor(fd, flags);
  const uint32_t index = free_timer();
  g_timers[index] = {.fd = fd, .descriptors = 1, .clock = clock};
  g_aliases.push_back({fd, index});
  return fd;
}

JOSTLE_HOOK int timerfd_settime(int fd, int flags, const itimerspec* value,
                                itimerspec* old) noexcept {
  if (!controlled()) return REAL(timerfd_settime)(fd, flags, value, old);
  Timer* timer = timer_of(fd);
  if (!timer) return no_timer(fd);
  if (flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET) || !valid(value->it_value) ||
      !valid(value->it_interval) || value->it_value.tv_sec < 0 || value->it_interval.tv_sec < 0) {
    return fail(EINVAL);
  }
  g_scheduler.reach(operation(OpKind::io_write, nullptr, CALLER()));
  g_races.release(look_at(fd).object);  // who reads the expiry comes behind it
  timer = timer_of(fd);
  if (!timer) return no_timer(fd);  // closed by another thread meanwhile
  fire_due_timers();
  if (old) *old = setting_of(*timer);
  forget_expirations(*timer);
  set(*timer, flags, *value);
  find_earliest();
  ++g_epoch;
  fire_due_timers();
  descriptors_changed();
  return 0;
}

JOSTLE_HOOK int timerfd_gettime(int fd, itimerspec* value) noexcept {
  if (!controlled()) return REAL(timerfd_gettime)(fd, value);
  const Timer* timer = timer_of(fd);
  if (!timer) return no_timer(fd);
  g_scheduler.reach(operation(OpKind::clock, nullptr, CALLER()));
  if (g_actions.active()) g_actions.act_outside(Act::read);
  timer = timer_of(fd);
  if (!timer) return no_timer(fd);
  g_scheduler.read_clock();  // a loop that waits for the timer this way has to end
  fire_due_timers();
  *value = setting_of(*timer);
  return 0;
}
