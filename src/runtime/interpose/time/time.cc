// SPDX-License-Identifier: Apache-2.0
// Clocks and sleeping, in virtual time.
//
// Clocks run at the same speed from different starting points: the calendar starts at a moment that
// the command chose, the monotonic clocks at a fixed one. Those of processor time run when threads
// do something (see Scheduler::processor_time). A sleep
// costs no real time; when the sleeper goes on is a decision of the scheduler.
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/snapshot/kernel_state.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // ftime is old, but still linked

namespace jostle::rt {
namespace {

Nanoseconds g_calendar_moved = 0;  // by clock_settime

// A machine that has been up for a while: programs subtract from the monotonic clock.
constexpr Nanoseconds kMonotonicStart = 1000 * kSecond;

bool is_cpu_clock(clockid_t clock) {
  // Negative ids are CPU clocks of a given thread or process (pthread_getcpuclockid).
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

bool is_known(clockid_t clock) { return clock >= CLOCK_REALTIME && clock <= CLOCK_BOOTTIME; }

Nanoseconds saturating_add(Nanoseconds a, Nanoseconds b) {
  Nanoseconds sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kNever : INT64_MIN;
}

// Time since the start of the run, as the program reads it.
Nanoseconds read_clock(uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::clock, nullptr, pc));
  return g_scheduler.read_clock();
}

// Clocks of a thread that have no name of their own have this bit, as the kernel numbers them.
constexpr clockid_t kOfThread = 4;

Nanoseconds read_clock(clockid_t clock, uintptr_t pc) {
  const Nanoseconds now = read_clock(pc);
  if (!is_cpu_clock(clock)) {
    const Nanoseconds time = saturating_add(clock_start(clock), now);
    g_scheduler.told_time(time);
    return time;
  }
  const bool of_thread = clock == CLOCK_THREAD_CPUTIME_ID || (clock < 0 && (clock & kOfThread));
  return of_thread ? g_scheduler.processor_time(*g_current) : g_scheduler.processor_time();
}

void yield(uintptr_t pc) { g_scheduler.reach(operation(OpKind::yield, nullptr, pc)); }

// True when a signal handler ended the sleep.
bool sleep_until(Nanoseconds deadline, uintptr_t pc) {
  if (deadline <= g_scheduler.now()) {
    cancellation_point();
    yield(pc);
    return false;
  }
  const Wake wake =
      g_scheduler.wait(operation(OpKind::sleep, nullptr, pc), [] { return false; },
                       {.deadline = deadline, .cancellation_point = true, .interruptible = true});
  if (wake == Wake::cancelled) end_if_cancelled();
  return wake == Wake::signalled;
}

// 0 or an error number, as clock_nanosleep has it.
int sleep_for(const timespec* interval, timespec* remaining, uintptr_t pc) {
  if (!valid(*interval) || interval->tv_sec < 0) return EINVAL;
  const Nanoseconds deadline = deadline_after(*interval);
  if (!sleep_until(deadline, pc)) return 0;
  if (remaining) *remaining = to_timespec(deadline - g_scheduler.now());
  return EINTR;
}

int as_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

bool valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < kSecond; }

Nanoseconds to_nanoseconds(const timespec& time) {
  Nanoseconds seconds;
  if (__builtin_mul_overflow(Nanoseconds{time.tv_sec}, kSecond, &seconds)) {
    return time.tv_sec > 0 ? kNever : INT64_MIN;
  }
  return saturating_add(seconds, time.tv_nsec);
}

Nanoseconds clock_start(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return saturating_add(g_scheduler.channel().config.clock_start * kSecond, g_calendar_moved);
    default:
      return is_cpu_clock(clock) ? 0 : kMonotonicStart;
  }
}

void move_calendar(Nanoseconds by) { g_calendar_moved += by; }

Nanoseconds virtual_deadline(clockid_t clock, const timespec& absolute) {
  const Nanoseconds time = to_nanoseconds(absolute);
  return time == kNever ? kNever : saturating_add(time, -clock_start(clock));
}

Nanoseconds deadline_after(const timespec& interval) {
  return saturating_add(g_scheduler.now(), to_nanoseconds(interval));
}

Nanoseconds deadline_after_ms(int milliseconds) {
  return milliseconds < 0
             ? kNever
             : saturating_add(g_scheduler.now(), Nanoseconds{milliseconds} * 1'000'000);
}

timespec to_timespec(Nanoseconds span) {
  if (span < 0) span = 0;
  return {.tv_sec = span / kSecond, .tv_nsec = span % kSecond};
}

}  // namespace jostle::rt

using namespace jostle::rt;

// ---- reading ----------------------------------------------------------------------------------

JOSTLE_HOOK int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!controlled()) return REAL(clock_gettime)(clock, time);
  // The kernel knows which of the rarer clocks exist.
  if (!is_known(clock) && REAL(clock_gettime)(clock, time) != 0) return -1;
  *time = to_timespec(read_clock(clock, CALLER()));
  kernel_access(true, time, sizeof *time, CALLER());
  return 0;
}

JOSTLE_HOOK int gettimeofday(timeval* time, void* zone) noexcept {
  if (!controlled()) return REAL(gettimeofday)(time, zone);
  if (zone) *static_cast<struct timezone*>(zone) = {};
  timeval* result = time;
  asm("" : "+r"(result));  // the header promises that it is not null, programs do not
  if (result) {
    const timespec now = to_timespec(read_clock(CLOCK_REALTIME, CALLER()));
    *result = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    kernel_access(true, result, sizeof *result, CALLER());
  }
  return 0;
}

JOSTLE_HOOK time_t time(time_t* result) noexcept {
  if (!controlled()) return REAL(time)(result);
  const time_t now = read_clock(CLOCK_REALTIME, CALLER()) / kSecond;
  if (result) {
    *result = now;
    kernel_access(true, result, sizeof *result, CALLER());
  }
  return now;
}

JOSTLE_HOOK int timespec_get(timespec* time, int base) noexcept {
  if (!controlled() || base != TIME_UTC) return REAL(timespec_get)(time, base);
  *time = to_timespec(read_clock(CLOCK_REALTIME, CALLER()));
  kernel_access(true, time, sizeof *time, CALLER());
  return base;
}

JOSTLE_HOOK int ftime(timeb* result) {
  // libc keeps it for old binaries only, where a lookup by name may miss it.
  timespec now;
  if (controlled()) {
    now = to_timespec(read_clock(CLOCK_REALTIME, CALLER()));
  } else {
    REAL(clock_gettime)(CLOCK_REALTIME, &now);
  }
  *result = {};
  result->time = now.tv_sec;
  result->millitm = static_cast<unsigned short>(now.tv_nsec / 1'000'000);
  return 0;
}

JOSTLE_HOOK clock_t clock() noexcept {
  if (!controlled()) return REAL(clock)();
  return read_clock(CLOCK_PROCESS_CPUTIME_ID, CALLER()) / (kSecond / CLOCKS_PER_SEC);
}

// ---- sleeping ---------------------------------------------------------------------------------

JOSTLE_HOOK int nanosleep(const timespec* interval, timespec* remaining) {
  if (!controlled()) return REAL(nanosleep)(interval, remaining);
  return as_errno(sleep_for(interval, remaining, CALLER()));
}

JOSTLE_HOOK int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                timespec* remaining) {
  if (!controlled()) return REAL(clock_nanosleep)(clock, flags, time, remaining);
  if (clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
  timespec unused;
  if (!is_known(clock) && REAL(clock_getres)(clock, &unused) != 0) return EINVAL;
  if (!(flags & TIMER_ABSTIME)) return sleep_for(time, remaining, CALLER());
  if (!valid(*time) || time->tv_sec < 0) return EINVAL;
  return sleep_until(virtual_deadline(clock, *time), CALLER()) ? EINTR : 0;
}

JOSTLE_HOOK int usleep(useconds_t microseconds) {
  if (!controlled()) return REAL(usleep)(microseconds);
  const timespec interval = to_timespec(Nanoseconds{microseconds} * 1000);
  return as_errno(sleep_for(&interval, nullptr, CALLER()));
}

JOSTLE_HOOK unsigned sleep(unsigned seconds) {
  if (!controlled()) return REAL(sleep)(seconds);
  const timespec interval = {.tv_sec = seconds, .tv_nsec = 0};
  timespec remaining;
  if (sleep_for(&interval, &remaining, CALLER()) == 0) return 0;
  return static_cast<unsigned>(remaining.tv_sec + (remaining.tv_nsec >= kSecond / 2));
}

// ---- giving way -------------------------------------------------------------------------------

JOSTLE_HOOK int sched_yield() noexcept {
  if (!controlled()) return REAL(sched_yield)();
  yield(CALLER());
  return 0;
}

JOSTLE_ALIAS(__clock_gettime, clock_gettime);
JOSTLE_ALIAS(__gettimeofday, gettimeofday);
JOSTLE_ALIAS(__nanosleep, nanosleep);
JOSTLE_ALIAS(__sched_yield, sched_yield);
JOSTLE_ALIAS(pthread_yield, sched_yield);
