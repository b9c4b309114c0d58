// SPDX-License-Identifier: Apache-2.0
// How long the program has computed: times, getrusage. (clock and the clocks of processor time are
// in time.cc.) Virtual as all time: it follows from what threads did, and is the same in every run.
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/memory/access.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

void look(uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::clock, nullptr, pc));
  g_scheduler.read_clock();
}

timeval to_timeval(Nanoseconds time) {
  return {.tv_sec = time / kSecond, .tv_usec = time % kSecond / 1000};
}

}  // namespace

JOSTLE_HOOK clock_t times(tms* result) noexcept {
  if (!controlled()) return REAL(times)(result);
  look(CALLER());
  const Nanoseconds tick = kSecond / sysconf(_SC_CLK_TCK);
  if (result) {
    tms children = {};
    REAL(times)(&children);  // other processes: what they take is real
    *result = {};
    result->tms_utime = g_scheduler.processor_time() / tick;
    result->tms_cutime = children.tms_cutime;
    result->tms_cstime = children.tms_cstime;
  }
  return (clock_start(CLOCK_MONOTONIC) + g_scheduler.now()) / tick;
}

JOSTLE_HOOK int getrusage(__rusage_who_t who, rusage* result) noexcept {
  if (controlled()) {
    image_open(result, sizeof *result);
    kernel_access(true, result, sizeof *result, CALLER());
  }
  const int outcome = REAL(getrusage)(who, result);
  if (!controlled() || outcome != 0 || who == RUSAGE_CHILDREN) return outcome;
  look(CALLER());
  // How much memory was used and how often the kernel interfered is not the program's doing.
  constexpr long kCoarse = 16 * 1024;  // KiB
  const long memory = result->ru_maxrss;
  *result = {};
  result->ru_maxrss = (memory / kCoarse + 1) * kCoarse;
  result->ru_utime = to_timeval(who == RUSAGE_SELF ? g_scheduler.processor_time()
                                                   : g_scheduler.processor_time(*g_current));
  return 0;
}
