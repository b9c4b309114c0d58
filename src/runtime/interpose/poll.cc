// poll and select, with time-outs in virtual time.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>

#include "src/runtime/interpose/alias.h"
#include "src/runtime/interpose/deadline.h"
#include "src/runtime/interpose/descriptor_table.h"
#include "src/runtime/interpose/descriptor_wait.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/interpose/signal.h"
#include "src/runtime/interpose/timer_descriptor.h"
#include "src/runtime/snapshot/image.h"

extern "C" [[noreturn]] void __chk_fail();

namespace jostle::rt {
namespace {

// Room for what is waited for. On the stack when it is little: stacks of threads may be small.
class PollSet {
 public:
  explicit PollSet(size_t most) : most_(most) {
    if (most > kLocal) entries_ = static_cast<pollfd*>(run_allocate(most * sizeof(pollfd)));
  }
  ~PollSet() {
    if (entries_ != local_) run_release(entries_, most_ * sizeof(pollfd));
  }
  PollSet(const PollSet&) = delete;
  PollSet& operator=(const PollSet&) = delete;

  void add(int fd, short events) { entries_[count_++] = {fd, events, 0}; }
  pollfd* entries() { return entries_; }
  nfds_t count() const { return count_; }
  // One name for the operation; that of the first descriptor.
  uintptr_t object() const { return count_ ? look_at(entries_[0].fd).object : 0; }

 private:
  static constexpr size_t kLocal = 32;
  size_t most_;
  nfds_t count_ = 0;
  pollfd local_[kLocal];
  pollfd* entries_ = local_;
};

// Waits until something of `set` is ready or the time has come, then asks the kernel by `look`,
// which must not wait.
template <typename Look>
int wait_and_look(PollSet& set, Nanoseconds deadline, uintptr_t pc, Look&& look) {
  // With nothing to wait for it is a way to sleep.
  const OpKind kind = set.count() ? OpKind::io_wait : OpKind::sleep;
  const Operation op = {.kind = kind, .object = set.object(), .pc = pc};
  if (deadline <= g_scheduler.now()) {
    cancellation_point();
    g_scheduler.reach(op);
    if (earliest_timer_expiry() != kNever) g_scheduler.read_clock();  // so that waiting loops end
    fire_due_timers();
    return look();
  }
  for (;;) {
    const Wake wake = wait_for_descriptors(op, set.entries(), set.count(), {.deadline = deadline});
    if (wake == Wake::signalled) {
      errno = EINTR;
      return -1;
    }
    const int found = look();
    if (found != 0 || wake == Wake::timeout) return found;
  }
}

int wait_for_poll(pollfd* fds, nfds_t count, Nanoseconds deadline, uintptr_t pc) {
  const auto look = [&] { return REAL(poll)(fds, count, 0); };
  if (count > INT_MAX) return look();  // the kernel refuses it
  image_open(fds, count * sizeof *fds);
  PollSet set(count);
  for (nfds_t i = 0; i < count; ++i) {
    if (fds[i].fd >= 0) set.add(fds[i].fd, fds[i].events);
  }
  return wait_and_look(set, deadline, pc, look);
}

// ---- select ------------------------------------------------------------------------------------

using Word = unsigned long;
constexpr int kWordBits = 8 * sizeof(Word);
constexpr int kMostSelected = 8192;  // programs with larger sets than fd_set exist

struct SelectSets {
  Word words[3][kMostSelected / kWordBits];
};

bool contains(const fd_set* set, int fd) {
  return set && (reinterpret_cast<const Word*>(set)[fd / kWordBits] >> (fd % kWordBits) & 1);
}

int wait_for_select(int count, fd_set* read, fd_set* write, fd_set* except, Nanoseconds deadline,
                    uintptr_t pc) {
  timespec no_time = {};
  fd_set* const wanted[3] = {read, write, except};
  if (count > kMostSelected) count = kMostSelected;
  if (count < 0) {
    return REAL(pselect)(count, read, write, except, &no_time, nullptr);
  }
  PollSet set(static_cast<size_t>(count));
  for (int fd = 0; fd < count; ++fd) {
    const short events =
        static_cast<short>((contains(read, fd) ? POLLIN : 0) | (contains(write, fd) ? POLLOUT : 0) |
                           (contains(except, fd) ? POLLPRI : 0));
    if (events) set.add(fd, events);
  }
  const size_t bytes = static_cast<size_t>(count + kWordBits - 1) / kWordBits * sizeof(Word);
  return wait_and_look(set, deadline, pc, [&] {
    SelectSets found;
    fd_set* result[3] = {};
    for (int i = 0; i < 3; ++i) {
      if (!wanted[i]) continue;
      memcpy(found.words[i], wanted[i], bytes);
      result[i] = reinterpret_cast<fd_set*>(found.words[i]);
    }
    const int ready = REAL(pselect)(count, result[0], result[1], result[2], &no_time, nullptr);
    // Nothing yet: what is asked for must stay. The sets are empty then only at the time-out.
    if (ready > 0 || (ready == 0 && deadline <= g_scheduler.now())) {
      for (int i = 0; i < 3; ++i) {
        if (wanted[i]) memcpy(wanted[i], found.words[i], bytes);
      }
    }
    return ready;
  });
}

// null: never; false when it is no time.
bool read_timeout(const timespec* timeout, Nanoseconds& deadline) {
  if (timeout && (!valid(*timeout) || timeout->tv_sec < 0)) {
    errno = EINVAL;
    return false;
  }
  deadline = timeout ? deadline_after(*timeout) : kNever;
  return true;
}

int wait_for_ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask,
                   uintptr_t pc) {
  Nanoseconds deadline;
  if (!read_timeout(timeout, deadline)) return -1;
  return with_signal_mask(mask, [&] { return wait_for_poll(fds, count, deadline, pc); });
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK int poll(pollfd* fds, nfds_t count, int timeout) {
  if (!controlled()) return REAL(poll)(fds, count, timeout);
  return wait_for_poll(fds, count, deadline_after_ms(timeout), CALLER());
}
JOSTLE_ALIAS(__poll, poll);

JOSTLE_HOOK int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (!controlled()) return REAL(ppoll)(fds, count, timeout, mask);
  return wait_for_ppoll(fds, count, timeout, mask, CALLER());
}

JOSTLE_HOOK int __poll_chk(pollfd* fds, nfds_t count, int timeout, size_t room) {
  if (room / sizeof(pollfd) < count) __chk_fail();
  if (!controlled()) return REAL(poll)(fds, count, timeout);
  return wait_for_poll(fds, count, deadline_after_ms(timeout), CALLER());
}

JOSTLE_HOOK int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout,
                            const sigset_t* mask, size_t room) {
  if (room / sizeof(pollfd) < count) __chk_fail();
  if (!controlled()) return REAL(ppoll)(fds, count, timeout, mask);
  return wait_for_ppoll(fds, count, timeout, mask, CALLER());
}

JOSTLE_HOOK int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* timeout) {
  if (!controlled()) return REAL(select)(count, read, write, except, timeout);
  if (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)) {
    errno = EINVAL;
    return -1;
  }
  Nanoseconds deadline = kNever;
  if (timeout) {
    // Linux takes microseconds beyond a second.
    deadline = deadline_after({.tv_sec = timeout->tv_sec + timeout->tv_usec / 1'000'000,
                               .tv_nsec = timeout->tv_usec % 1'000'000 * 1000});
  }
  const int result = wait_for_select(count, read, write, except, deadline, CALLER());
  if (timeout) {
    const timespec left = to_timespec(deadline - g_scheduler.now());
    *timeout = {.tv_sec = left.tv_sec, .tv_usec = left.tv_nsec / 1000};
  }
  return result;
}
JOSTLE_ALIAS(__select, select);

JOSTLE_HOOK int pselect(int count, fd_set* read, fd_set* write, fd_set* except,
                        const timespec* timeout, const sigset_t* mask) {
  if (!controlled()) return REAL(pselect)(count, read, write, except, timeout, mask);
  Nanoseconds deadline;
  if (!read_timeout(timeout, deadline)) return -1;
  const uintptr_t pc = CALLER();
  return with_signal_mask(
      mask, [&] { return wait_for_select(count, read, write, except, deadline, pc); });
}
