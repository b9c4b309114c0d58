// Numbers that the system gives a process: who it is, on which processor it runs, what it has used.
//
// Process ids stay the kernel's: programs send them to others, write them to files and look them up
// in /proc, and a made-up one would be somebody else's. That they differ in every process is noted,
// and said where it matters. The rest is made up, the same in every run.
#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include "src/runtime/interpose/deadline.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/modules.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/snapshot/image.h"

namespace jostle::rt {
namespace {

// The first processor that the running thread may use.
unsigned processor() {
  const Thread& t = *g_current;
  for (int i = 0; t.has_affinity && i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &t.affinity)) return static_cast<unsigned>(i);
  }
  return 0;
}

// Our own hooks ask as well, through the same door.
void note_process_id(uintptr_t pc) {
  if (controlled() && !is_own_code(pc)) note_uncontrolled(channel::kProcessId);
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK pid_t getpid() noexcept {
  note_process_id(CALLER());
  return REAL(getpid)();
}
JOSTLE_HOOK pid_t getppid() noexcept {
  note_process_id(CALLER());
  return REAL(getppid)();
}

JOSTLE_HOOK int sched_getcpu() noexcept {
  return controlled() ? static_cast<int>(processor()) : REAL(sched_getcpu)();
}
JOSTLE_HOOK int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (!controlled()) return REAL(getcpu)(cpu, node);
  if (cpu) *cpu = processor();
  if (node) *node = 0;
  return 0;
}

// Time is the run's; how much memory was used and how often the kernel interfered is not the
// program's doing.
JOSTLE_HOOK int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  if (controlled()) {
    image_open(usage, sizeof *usage);
    kernel_access(true, usage, sizeof *usage, CALLER());
  }
  const int result = REAL(getrusage)(who, usage);
  if (!controlled() || result != 0 || who == RUSAGE_CHILDREN) return result;
  const timespec used = to_timespec(g_scheduler.read_clock());
  const long memory = usage->ru_maxrss;
  constexpr long kCoarse = 64 * 1024;  // KiB
  *usage = {};
  usage->ru_utime = {used.tv_sec, used.tv_nsec / 1000};
  usage->ru_maxrss = (memory / kCoarse + 1) * kCoarse;
  return result;
}

JOSTLE_HOOK clock_t times(tms* result) noexcept {
  if (!controlled()) return REAL(times)(result);
  kernel_access(true, result, sizeof *result, CALLER());
  const Nanoseconds now = g_scheduler.read_clock();
  const auto ticks = static_cast<clock_t>(now / (kSecond / sysconf(_SC_CLK_TCK)));
  if (result) *result = {.tms_utime = ticks, .tms_stime = 0, .tms_cutime = 0, .tms_cstime = 0};
  constexpr clock_t kSinceBoot = 100'000;
  return kSinceBoot + ticks;
}
