// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/thread/affinity.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {
namespace {

// Sets what holds for the kernel's thread, and leaves it so if `keep`.
int ask_kernel(size_t size, const cpu_set_t* set, bool keep) {
  cpu_set_t before;
  if (REAL(sched_getaffinity)(0, sizeof before, &before) != 0) return errno;
  kernel_changes(kChangesAffinity);
  if (REAL(sched_setaffinity)(0, size, set) != 0) return errno;
  if (!keep) REAL(sched_setaffinity)(0, sizeof before, &before);
  return 0;
}

// What a call with `size` bytes of room gets.
void copy_affinity(const Thread& thread, size_t size, cpu_set_t* set) {
  memset(set, 0, size);
  memcpy(set, &thread.affinity, size < sizeof thread.affinity ? size : sizeof thread.affinity);
}

}  // namespace

int check_affinity(size_t size, const cpu_set_t* set) { return ask_kernel(size, set, false); }

int set_affinity(Thread& thread, size_t size, const cpu_set_t* set) {
  if (&thread != g_current) is_no_step();  // it may look before or behind this
  // What a single thread sets holds for the programs that it starts.
  const int error = ask_kernel(size, set, g_scheduler.is_alone());
  if (error != 0) return error;
  CPU_ZERO(&thread.affinity);
  memcpy(&thread.affinity, set, size < sizeof thread.affinity ? size : sizeof thread.affinity);
  thread.has_affinity = true;
  return 0;
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* set) noexcept {
  if (!controlled()) return REAL(pthread_getaffinity_np)(handle, size, set);
  Thread* t = g_scheduler.find(handle);
  if (!t) return ESRCH;
  if (t->has_affinity) {
    copy_affinity(*t, size, set);
    return 0;
  }
  return sched_getaffinity(0, size, set) == 0 ? 0 : errno;
}

JOSTLE_HOOK int pthread_setaffinity_np(pthread_t handle, size_t size,
                                       const cpu_set_t* set) noexcept {
  if (!controlled()) return REAL(pthread_setaffinity_np)(handle, size, set);
  Thread* t = g_scheduler.find(handle);
  return t ? set_affinity(*t, size, set) : ESRCH;
}

JOSTLE_HOOK int sched_getaffinity(pid_t id, size_t size, cpu_set_t* set) noexcept {
  if (controlled()) {
    image_open(set, size);
    const Thread* t = thread_of(id);
    if (t && t->has_affinity) {
      copy_affinity(*t, size, set);
      return 0;
    }
    if (t) id = 0;
  }
  return REAL(sched_getaffinity)(as_kernel_knows(id), size, set);
}

JOSTLE_HOOK int sched_setaffinity(pid_t id, size_t size, const cpu_set_t* set) noexcept {
  Thread* t = controlled() ? thread_of(id) : nullptr;
  if (!t) return REAL(sched_setaffinity)(as_kernel_knows(id), size, set);
  const int error = set_affinity(*t, size, set);
  if (error == 0) return 0;
  errno = error;
  return -1;
}
