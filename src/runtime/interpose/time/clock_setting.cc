// SPDX-License-Identifier: Apache-2.0
// Setting the clock: clock_settime, settimeofday, adjtime and their relatives.
//
// The machine's clock is never touched: who may set it sets the calendar of the run. The slow
// corrections of adjtime are accepted and have no effect, as virtual time needs none.
#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/process/privilege.h"
#include "src/runtime/interpose/time/interval_timer.h"

using namespace jostle;
using namespace jostle::rt;

extern "C" int stime(const time_t* when) noexcept;

namespace {

int fail(int error) {
  errno = error;
  return -1;
}

bool may_set_clock() { return has_capability(CAP_SYS_TIME); }

Nanoseconds calendar_now() { return clock_start(CLOCK_REALTIME) + g_scheduler.now(); }

void set_calendar(Nanoseconds wanted) {
  const Nanoseconds by = wanted - calendar_now();
  move_calendar(by);
  calendar_moved(by);
}

int set_calendar_to(const timespec& time, uintptr_t pc) {
  if (!valid(time) || time.tv_sec < 0) return fail(EINVAL);
  if (!may_set_clock()) return fail(EPERM);
  g_scheduler.reach(operation(OpKind::clock, nullptr, pc));
  set_calendar(to_nanoseconds(time));
  return 0;
}

int adjust(clockid_t clock, timex* values, uintptr_t pc) {
  if (clock != CLOCK_REALTIME) return fail(EOPNOTSUPP);
  const unsigned modes = values->modes;
  const bool changes = modes != 0 && modes != ADJ_OFFSET_SS_READ;
  if (changes && !may_set_clock()) return fail(EPERM);
  if ((modes & ADJ_OFFSET_SINGLESHOT) != ADJ_OFFSET_SINGLESHOT && (modes & ADJ_SETOFFSET)) {
    const Nanoseconds unit = modes & ADJ_NANO ? 1 : 1000;
    if (values->time.tv_usec < 0 || values->time.tv_usec * unit >= kSecond) return fail(EINVAL);
    set_calendar(calendar_now() + values->time.tv_sec * kSecond + values->time.tv_usec * unit);
  }
  g_scheduler.reach(operation(OpKind::clock, nullptr, pc));
  g_scheduler.read_clock();
  const timespec now = to_timespec(calendar_now());
  *values = {};
  values->modes = modes;
  values->tick = 10'000;
  values->precision = 1;
  values->tolerance = 32'768'000;
  values->maxerror = values->esterror = 16;
  values->time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return TIME_OK;
}

}  // namespace

JOSTLE_HOOK int clock_settime(clockid_t clock, const timespec* time) noexcept {
  if (!controlled()) return REAL(clock_settime)(clock, time);
  if (clock == CLOCK_REALTIME) return set_calendar_to(*time, CALLER());
  const bool of_processor =
      clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
  return fail(of_processor ? EPERM : EINVAL);
}

JOSTLE_HOOK int settimeofday(const timeval* time, const struct timezone* zone) noexcept {
  if (!controlled()) return REAL(settimeofday)(time, zone);
  if (time && zone) return fail(EINVAL);
  if (!time) return !zone || may_set_clock() ? 0 : fail(EPERM);
  if (time->tv_usec < 0 || time->tv_usec >= 1'000'000) return fail(EINVAL);
  return set_calendar_to({.tv_sec = time->tv_sec, .tv_nsec = time->tv_usec * 1000}, CALLER());
}

// libc keeps it for old binaries only, where a lookup by name may miss it.
JOSTLE_HOOK int stime(const time_t* when) noexcept {
  const timespec time = {.tv_sec = *when, .tv_nsec = 0};
  return controlled() ? set_calendar_to(time, CALLER())
                      : REAL(clock_settime)(CLOCK_REALTIME, &time);
}

JOSTLE_HOOK int adjtime(const timeval* delta, timeval* old) noexcept {
  if (!controlled()) return REAL(adjtime)(delta, old);
  if (delta && !may_set_clock()) return fail(EPERM);
  if (old) *old = {};  // the last correction is done
  return 0;
}

JOSTLE_HOOK int clock_adjtime(clockid_t clock, timex* values) noexcept {
  if (!controlled()) return REAL(clock_adjtime)(clock, values);
  return adjust(clock, values, CALLER());
}

JOSTLE_HOOK int adjtimex(timex* values) noexcept {
  if (!controlled()) return REAL(adjtimex)(values);
  return adjust(CLOCK_REALTIME, values, CALLER());
}
JOSTLE_ALIAS(ntp_adjtime, adjtimex);
JOSTLE_ALIAS(__adjtimex, adjtimex);
