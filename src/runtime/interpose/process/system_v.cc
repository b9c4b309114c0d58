// SPDX-License-Identifier: Apache-2.0
// System V semaphores and message queues: a call that has to wait makes one thread wait. Shared
// memory is among the mappings (heap/mapping.cc).
//
// The objects stay the kernel's. A call is made so that it does not wait; when it would have had
// to, the thread waits here until some other thread has used such an object, and tries again.
#include <errno.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "src/files/kernel_objects.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/file_changes.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/scheduler/time/external.h"

namespace jostle::rt {
namespace {

uint64_t g_uses = 0;

void used() {
  ++g_uses;
  g_races.release(&g_uses);
  g_scheduler.changed(&g_uses);
  descriptors_changed();
}

// `call` returns -1 with `would_wait` in errno when it would have had to.
template <typename Call>
auto when_possible(int would_wait, Nanoseconds deadline, uintptr_t pc, Call&& call) {
  const Operation op = operation(OpKind::sem_wait, &g_uses, pc);
  g_scheduler.reach(operation(OpKind::io_write, &g_uses, pc));
  for (;;) {
    const uint64_t uses = g_uses;
    const auto result = call();
    if (result >= 0) {
      g_races.acquire(&g_uses);
      used();
      return result;
    }
    if (errno != would_wait) return result;
    if (g_actions.active()) g_actions.gap(TrailGap::processes, pc);
    const Wake wake =
        g_outside_watched
            // Another process may be the one.
            ? wait_for_outside(op, [](void*) { return true; }, nullptr,
                               {.deadline = deadline, .until_any_use = true})
            : g_scheduler.wait(
                  op, [uses] { return uses != g_uses; },
                  {.deadline = deadline, .cancellation_point = true, .interruptible = true});
    if (wake == Wake::cancelled) end_if_cancelled();
    if (wake == Wake::timeout || wake == Wake::signalled) {
      errno = wake == Wake::timeout ? EAGAIN : EINTR;
      return result;
    }
  }
}

constexpr size_t kMostOperations = 500;  // SEMOPM

int operate(int set, const sembuf* operations, size_t count, Nanoseconds deadline, uintptr_t pc) {
  sembuf at_once[kMostOperations];
  memcpy(at_once, operations, count * sizeof *operations);
  for (size_t i = 0; i < count; ++i) at_once[i].sem_flg |= IPC_NOWAIT;
  return when_possible(EAGAIN, deadline, pc, [&] { return REAL(semop)(set, at_once, count); });
}

// One that must not wait gives the answer for all, as it is the one that fails.
bool may_wait(const sembuf* operations, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (operations[i].sem_flg & IPC_NOWAIT) return false;
  }
  return count <= kMostOperations;
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int semop(int set, sembuf* operations, size_t count) noexcept {
  if (!controlled()) return REAL(semop)(set, operations, count);
  if (!may_wait(operations, count)) {
    return when_possible(0, kNever, CALLER(), [&] { return REAL(semop)(set, operations, count); });
  }
  return operate(set, operations, count, kNever, CALLER());
}

JOSTLE_HOOK int semtimedop(int set, sembuf* operations, size_t count,
                           const timespec* timeout) noexcept {
  if (!controlled()) return REAL(semtimedop)(set, operations, count, timeout);
  if (timeout && (!valid(*timeout) || timeout->tv_sec < 0)) {
    errno = EINVAL;
    return -1;
  }
  if (!may_wait(operations, count)) {
    return when_possible(0, kNever, CALLER(), [&] { return REAL(semop)(set, operations, count); });
  }
  return operate(set, operations, count, timeout ? deadline_after(*timeout) : kNever, CALLER());
}

// Setting a value may be what somebody waits for; so may removing the set.
JOSTLE_HOOK int jostle_semctl(int set, int number, int command, long argument) asm("semctl");
int jostle_semctl(int set, int number, int command, long argument) {
  if (!controlled()) return REAL(semctl)(set, number, command, argument);
  image_open_all();
  g_scheduler.reach(operation(OpKind::io_write, &g_uses, CALLER()));
  const int result = REAL(semctl)(set, number, command, argument);
  if (result >= 0) used();
  if (result >= 0 && command == IPC_RMID && g_file_journal) {
    files::note_object_removed(*g_file_journal, files::KernelObjectKind::semaphores, set);
  }
  return result;
}

JOSTLE_HOOK int msgsnd(int queue, const void* message, size_t size, int flags) {
  if (!controlled()) return REAL(msgsnd)(queue, message, size, flags);
  cancellation_point();
  return when_possible(flags & IPC_NOWAIT ? 0 : EAGAIN, kNever, CALLER(),
                       [&] { return REAL(msgsnd)(queue, message, size, flags | IPC_NOWAIT); });
}

JOSTLE_HOOK ssize_t msgrcv(int queue, void* message, size_t size, long type, int flags) {
  if (!controlled()) return REAL(msgrcv)(queue, message, size, type, flags);
  cancellation_point();
  image_open(message, size + sizeof(long));
  return when_possible(flags & IPC_NOWAIT ? 0 : ENOMSG, kNever, CALLER(), [&] {
    return REAL(msgrcv)(queue, message, size, type, flags | IPC_NOWAIT);
  });
}

JOSTLE_HOOK int msgctl(int queue, int command, msqid_ds* data) noexcept {
  if (!controlled()) return REAL(msgctl)(queue, command, data);
  image_open_all();
  g_scheduler.reach(operation(OpKind::io_write, &g_uses, CALLER()));
  const int result = REAL(msgctl)(queue, command, data);
  if (result >= 0) used();
  if (result >= 0 && command == IPC_RMID && g_file_journal) {
    files::note_object_removed(*g_file_journal, files::KernelObjectKind::messages, queue);
  }
  return result;
}
