// SPDX-License-Identifier: Apache-2.0
// Numbers that the system gives a process: who it is, on which processor it runs, what it has used.
//
// Process ids stay the kernel's, but for what process_id.h says: programs send them to others,
// write them to files and look them up in /proc, and a made-up one would be somebody else's. That
// they differ in every process is noted, and said where it matters. The rest is made up, the same
// in every run.
#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/failure.h"

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
  if (!controlled() || is_own_code(pc)) return;
  note_uncontrolled(channel::kProcessId);
  note_told_id();
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK pid_t getpid() noexcept {
  note_process_id(CALLER());
  return seen_process_id();
}
JOSTLE_HOOK pid_t getppid() noexcept {
  note_process_id(CALLER());
  return seen_parent_id();
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
