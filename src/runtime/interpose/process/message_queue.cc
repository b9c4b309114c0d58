// SPDX-License-Identifier: Apache-2.0
// POSIX message queues: a full or empty one makes one thread wait, not the process.
//
// Queues stay the kernel's; on Linux they are descriptors, and can be waited for as such. A call is
// made with a time-out that has struck: it does what it can at once, or nothing.
#include <errno.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/stat.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/interpose/thread/thread_start.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/scheduler/time/external.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {
namespace {

constexpr timespec kAtOnce = {0, 0};

FileId queue_of(mqd_t descriptor) {
  struct stat status;
  if (REAL(fstat)(descriptor, &status) != 0) return {};
  return FileId(status);
}

// mq_notify with SIGEV_THREAD: libc would start a thread of its own for it.
struct Notice {
  FileId queue;
  void (*function)(sigval);
  sigval value;
};
RunVector<Notice> g_notices;
RunVector<Notice> g_calls;  // that threads are under way for

void* call_function(void* argument) {
  const Notice call = g_calls[reinterpret_cast<uintptr_t>(argument)];
  g_races.acquire(&g_notices);
  call.function(call.value);
  return nullptr;
}

// A message has come into an empty queue: who asked for it is notified, once.
void tell(const FileId& queue) {
  for (size_t i = 0; i < g_notices.size(); ++i) {
    if (!(g_notices[i].queue == queue)) continue;
    const Notice notice = g_notices[i];
    g_notices[i] = g_notices.back();
    g_notices.pop_back();
    g_calls.push_back(notice);
    g_races.release(&g_notices);
    sigset_t none;  // blocked: as in libc's thread
    sigemptyset(&none);
    start_own_thread(call_function, reinterpret_cast<void*>(g_calls.size() - 1),
                     reinterpret_cast<uintptr_t>(notice.function), 0, none);
    return;
  }
}

long messages_in(mqd_t queue) {
  mq_attr attributes = {};
  return REAL(mq_getattr)(queue, &attributes) == 0 ? attributes.mq_curmsgs : -1;
}

// `call` makes the real call with a time-out of the past.
template <typename Call>
auto when_possible(OpKind kind, mqd_t queue, short events, const timespec* until, uintptr_t pc,
                   Call&& call) {
  const Operation op = {.kind = kind, .object = static_cast<uintptr_t>(queue) + 1, .pc = pc};
  cancellation_point();
  g_scheduler.reach(op);
  for (;;) {
    const auto result = call();
    if (result >= 0) {
      descriptors_changed();
      // mq_notify: the kernel has sent its signal by now.
      if (accept_arrived_signals()) deliver_pending_signals(nullptr);
      return result;
    }
    if (errno != ETIMEDOUT) return result;
    if (until && !valid(*until)) {
      errno = EINVAL;
      return result;
    }
    DescriptorWait options = {.deadline = until ? virtual_deadline(CLOCK_REALTIME, *until) : kNever,
                              .external = g_outside_watched};
    const Wake wake = wait_for_descriptor(op, queue, events, options);
    if (wake == Wake::timeout) {
      errno = ETIMEDOUT;
      return result;
    }
    if (wake == Wake::signalled && !try_again_after_signal()) return result;
  }
}

int send(mqd_t queue, const char* message, size_t size, unsigned priority, const timespec* until,
         uintptr_t pc) {
  const auto call = [&] {
    const bool watched = !g_notices.empty() && messages_in(queue) == 0;
    const int sent = REAL(mq_timedsend)(queue, message, size, priority, &kAtOnce);
    if (sent == 0 && watched) tell(queue_of(queue));
    return sent;
  };
  kernel_access(false, message, size, pc);
  return when_possible(OpKind::io_write, queue, POLLOUT, until, pc, call);
}

ssize_t receive(mqd_t queue, char* message, size_t room, unsigned* priority, const timespec* until,
                uintptr_t pc) {
  image_open(message, room);
  if (priority) image_open(priority, sizeof *priority);
  return when_possible(OpKind::io_read, queue, POLLIN, until, pc, [&] {
    const ssize_t size = REAL(mq_timedreceive)(queue, message, room, priority, &kAtOnce);
    if (size > 0) kernel_access(true, message, static_cast<size_t>(size), pc);
    return size;
  });
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int mq_send(mqd_t queue, const char* message, size_t size, unsigned priority) {
  if (!controlled()) return REAL(mq_send)(queue, message, size, priority);
  return send(queue, message, size, priority, nullptr, CALLER());
}

JOSTLE_HOOK int mq_timedsend(mqd_t queue, const char* message, size_t size, unsigned priority,
                             const timespec* until) {
  if (!controlled()) return REAL(mq_timedsend)(queue, message, size, priority, until);
  return send(queue, message, size, priority, until, CALLER());
}

JOSTLE_HOOK ssize_t mq_receive(mqd_t queue, char* message, size_t room, unsigned* priority) {
  if (!controlled()) return REAL(mq_receive)(queue, message, room, priority);
  return receive(queue, message, room, priority, nullptr, CALLER());
}

JOSTLE_HOOK ssize_t mq_timedreceive(mqd_t queue, char* message, size_t room, unsigned* priority,
                                    const timespec* until) {
  if (!controlled()) return REAL(mq_timedreceive)(queue, message, room, priority, until);
  return receive(queue, message, room, priority, until, CALLER());
}

JOSTLE_HOOK int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  if (!controlled()) return REAL(mq_notify)(queue, event);
  g_scheduler.reach(operation(OpKind::io_write, nullptr, CALLER()));
  const FileId meant = queue_of(queue);
  for (size_t i = 0; !event && i < g_notices.size(); ++i) {
    if (g_notices[i].queue == meant) g_notices[i] = {};
  }
  if (!event || event->sigev_notify != SIGEV_THREAD) {
    comes_before_signals();
    return REAL(mq_notify)(queue, event);
  }
  // The kernel keeps the place, and tells nobody.
  sigevent none = {};
  none.sigev_notify = SIGEV_NONE;
  if (REAL(mq_notify)(queue, &none) != 0) return -1;
  g_races.release(&g_notices);
  g_notices.push_back({meant, event->sigev_notify_function, event->sigev_value});
  return 0;
}

JOSTLE_HOOK int mq_close(mqd_t queue) noexcept {
  changes_open_file(CALLER());
  if (controlled()) note_closed(queue), has_closed_descriptor();
  const int result = REAL(mq_close)(queue);
  if (controlled()) descriptors_changed();
  return result;
}

JOSTLE_HOOK int mq_getattr(mqd_t queue, mq_attr* to) noexcept {
  looks_at_open_file(CALLER());
  if (controlled()) image_open(to, sizeof *to);
  return REAL(mq_getattr)(queue, to);
}

JOSTLE_HOOK int mq_setattr(mqd_t queue, const mq_attr* to, mq_attr* before) noexcept {
  changes_open_file(CALLER());
  if (controlled() && before) image_open(before, sizeof *before);
  return REAL(mq_setattr)(queue, to, before);
}
