// SPDX-License-Identifier: Apache-2.0
// Calls that make objects of the kernel's that outlive the process, or remove them: a campaign
// removes what a run leaves (files/kernel_objects.h). They are no scheduling points.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "src/files/kernel_objects.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/state/file_changes.h"
#include "src/runtime/interpose/state/state_step.h"

using namespace jostle;
using namespace jostle::rt;
using files::KernelObjectKind;

namespace {

bool takes_notes() { return controlled() && g_file_journal; }

// `look` opens what is there already, and fails otherwise.
template <typename Look>
bool is_absent(Look&& look) {
  const int saved = errno;
  const bool is_absent = look() < 0 && errno == ENOENT;
  errno = saved;
  return is_absent;
}

template <typename Look>
bool will_be_made(key_t key, int flags, Look&& look) {
  if (!takes_notes()) return false;
  return key == IPC_PRIVATE || ((flags & IPC_CREAT) && is_absent(look));
}

int made(bool will_be, KernelObjectKind kind, int id) {
  if (will_be && id >= 0) files::note_object_made(*g_file_journal, kind, id);
  return id;
}

}  // namespace

JOSTLE_HOOK int shmget(key_t key, size_t size, int flags) noexcept {
  const bool will_be = will_be_made(key, flags, [&] { return REAL(shmget)(key, 0, 0); });
  return made(will_be, KernelObjectKind::memory, REAL(shmget)(key, size, flags));
}

JOSTLE_HOOK int semget(key_t key, int count, int flags) noexcept {
  const bool will_be = will_be_made(key, flags, [&] { return REAL(semget)(key, 0, 0); });
  return made(will_be, KernelObjectKind::semaphores, REAL(semget)(key, count, flags));
}

JOSTLE_HOOK int msgget(key_t key, int flags) noexcept {
  const bool will_be = will_be_made(key, flags, [&] { return REAL(msgget)(key, 0); });
  return made(will_be, KernelObjectKind::messages, REAL(msgget)(key, flags));
}

JOSTLE_HOOK int shmctl(int id, int command, shmid_ds* data) noexcept {
  if (controlled()) image_open_all();
  const int result = REAL(shmctl)(id, command, data);
  if (result == 0 && command == IPC_RMID && takes_notes()) {
    files::note_object_removed(*g_file_journal, KernelObjectKind::memory, id);
  }
  return result;
}

// The kernel's names of queues are libc's without the slash.
JOSTLE_HOOK mqd_t mq_open(const char* name, int flags, ...) noexcept {
  makes_descriptor(CALLER()).makes_or_removes(AT_FDCWD, name);
  if (!(flags & O_CREAT)) return REAL(mq_open)(name, flags);
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  mq_attr* const attributes = va_arg(more, mq_attr*);
  va_end(more);
  const bool will_be = takes_notes() && is_absent([&] {
                         const mqd_t there = REAL(mq_open)(name, O_RDONLY);
                         if (there >= 0) REAL(mq_close)(there);
                         return there;
                       });
  const mqd_t queue = REAL(mq_open)(name, flags, mode, attributes);
  if (will_be && queue >= 0) {
    files::note_object_made(*g_file_journal, KernelObjectKind::queue, 0, name + 1);
  }
  return queue;
}

JOSTLE_HOOK int mq_unlink(const char* name) noexcept {
  StateStep(OpKind::state_write, SharedState::file_names, CALLER())
      .makes_or_removes(AT_FDCWD, name);
  const int result = REAL(mq_unlink)(name);
  if (result == 0 && takes_notes()) {
    files::note_object_removed(*g_file_journal, KernelObjectKind::queue, 0, name + 1);
  }
  return result;
}
