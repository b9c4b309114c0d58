// SPDX-License-Identifier: Apache-2.0
// poll and select, with time-outs in virtual time.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>

#include "src/base/hash.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/event_loop.h"
#include "src/runtime/interpose/descriptor/timer_descriptor.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/memory/callbacks.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/sharing.h"

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

// What a call has found, and how it takes something back from what it found.
struct Findings {
  int (*look)(void* context);          // asks the kernel, without waiting
  bool (*has)(void* context, int fd);  // was it found ready?
  int (*withhold)(void* context,
                  int fd);  // … and now it was not: by how much that lessens the result
  void* context;
};

// A loop learns of some of what is ready; see event_loop.h. In which order it acts on them is its
// own affair here: what matters is which of them it does not hear of yet.
int tell_some(PollSet& set, int found, bool may_report_nothing, uintptr_t pc,
              const Findings& call) {
  int reported[LoopReport::kMost];
  size_t count = 0, left = 0;
  uint64_t passed_over = 0;
  const pollfd* const end = set.entries() + set.count();
  for (const pollfd* p = set.entries(); p != end; ++p) {
    left += call.has(call.context, p->fd);
  }
  for (const pollfd* p = set.entries(); p != end; ++p) {
    if (!call.has(call.context, p->fd)) continue;
    --left;
    const bool must = is_overdue(p->fd) || (count == 0 && left == 0 && !may_report_nothing);
    const uint64_t name = look_at(p->fd).object;
    if (!must && g_scheduler.choose_ready(&name, 1, true) == 1) {
      found -= call.withhold(call.context, p->fd);
      note_passed_over(p->fd);
      passed_over += combine(43, name);
    } else {
      if (count < LoopReport::kMost) reported[count] = p->fd;
      ++count;
      note_reported(p->fd);
    }
  }
  note_loop_report(pc, reported, count, passed_over);
  return found;
}

int look_in_loop(PollSet& set, Nanoseconds deadline, uintptr_t pc, const Findings& call) {
  int found = call.look(call.context);
  if (found <= 0) {
    if (found == 0) note_loop_report(pc, nullptr, 0, 0);
    return found;
  }
  bool overdue = false;
  ReadyNames names;
  for (nfds_t i = 0; i < set.count(); ++i) {
    const int fd = set.entries()[i].fd;
    if (!call.has(call.context, fd)) continue;
    overdue |= is_overdue(fd);
    names.add(look_at(fd).object);
  }
  const Nanoseconds timer = earliest_timer_expiry();
  const Nanoseconds next = timer < deadline ? timer : deadline;
  const Moment moment = choose_moment(names, next, !overdue);
  bool may_report_nothing = !overdue && deadline <= g_scheduler.now();
  if (moment != Moment::now) {
    g_scheduler.advance_clock_to(next);
    fire_due_timers();
    may_report_nothing = moment == Moment::timed_out && deadline <= g_scheduler.now();
    found = call.look(call.context);
    if (may_report_nothing) {
      for (nfds_t i = 0; i < set.count(); ++i) {
        const int fd = set.entries()[i].fd;
        if (!call.has(call.context, fd)) continue;
        found -= call.withhold(call.context, fd);
        note_passed_over(fd);
      }
      note_loop_report(pc, nullptr, 0, 0);
      return found;
    }
  }
  return tell_some(set, found, may_report_nothing, pc, call);
}

// Comes after what the thread that made it ready did before.
void order_behind_others(PollSet& set, const Findings& call) {
  for (nfds_t i = 0; i < set.count(); ++i) {
    const int fd = set.entries()[i].fd;
    if (call.has(call.context, fd)) g_races.acquire(look_at(fd).object);
  }
}

// Waits until something of `set` is ready or the time has come.
int wait_and_look(PollSet& set, Nanoseconds deadline, uintptr_t pc, const Findings& call) {
  // With nothing to wait for it is a way to sleep.
  const OpKind kind = set.count() ? OpKind::io_wait : OpKind::sleep;
  const Operation op = {.kind = kind, .object = set.object(), .pc = pc};
  const bool in_loop = is_loop_wait(pc, set.count());
  if (in_loop) loop_waits();
  const auto look = [&] {
    const int found = in_loop ? look_in_loop(set, deadline, pc, call) : call.look(call.context);
    if (found > 0 && g_races.active() && several_threads()) order_behind_others(set, call);
    return found;
  };
  if (deadline <= g_scheduler.now()) {
    cancellation_point();
    g_scheduler.reach(op);
    if (earliest_timer_expiry() != kNever) g_scheduler.read_clock();  // so that waiting loops end
    fire_due_timers();
    return look();
  }
  for (;;) {
    const Wake wake = wait_for_descriptors(op, set.entries(), set.count(),
                                           {.deadline = deadline, .event_loop = in_loop});
    if (wake == Wake::signalled) {
      errno = EINTR;
      return -1;
    }
    const int found = look();
    if (found != 0 || deadline <= g_scheduler.now()) return found;
  }
}

struct PollCall {
  pollfd* fds;
  nfds_t count;
};

int wait_for_poll(pollfd* fds, nfds_t count, Nanoseconds deadline, uintptr_t pc) {
  if (count > INT_MAX) return REAL(poll)(fds, count, 0);  // the kernel refuses it
  image_open(fds, count * sizeof *fds);
  PollSet set(count);
  for (nfds_t i = 0; i < count; ++i) {
    if (fds[i].fd >= 0) set.add(fds[i].fd, fds[i].events);
  }
  PollCall call = {fds, count};
  return wait_and_look(set, deadline, pc,
                       {.look =
                            [](void* context) {
                              const auto& c = *static_cast<PollCall*>(context);
                              return REAL(poll)(c.fds, c.count, 0);
                            },
                        .has =
                            [](void* context, int fd) {
                              const auto& c = *static_cast<PollCall*>(context);
                              for (nfds_t i = 0; i < c.count; ++i) {
                                if (c.fds[i].fd == fd && c.fds[i].revents) return true;
                              }
                              return false;
                            },
                        .withhold =
                            [](void* context, int fd) {
                              const auto& c = *static_cast<PollCall*>(context);
                              int entries = 0;
                              for (nfds_t i = 0; i < c.count; ++i) {
                                if (c.fds[i].fd != fd || !c.fds[i].revents) continue;
                                c.fds[i].revents = 0;
                                ++entries;
                              }
                              return entries;
                            },
                        .context = &call});
}

// ---- select ------------------------------------------------------------------------------------

using Word = unsigned long;
constexpr int kWordBits = 8 * sizeof(Word);
constexpr int kMostSelected = 8192;  // programs with larger sets than fd_set exist

// A call of select: what is asked for, and what was found.
struct SelectCall {
  int count;
  fd_set* wanted[3];
  size_t bytes;
  Word found[3][kMostSelected / kWordBits];
};

bool contains(const fd_set* set, int fd) {
  return set && (reinterpret_cast<const Word*>(set)[fd / kWordBits] >> (fd % kWordBits) & 1);
}

int look_for_selected(SelectCall& call) {
  const timespec no_time = {};
  fd_set* result[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (!call.wanted[i]) continue;
    memcpy(call.found[i], call.wanted[i], call.bytes);
    result[i] = reinterpret_cast<fd_set*>(call.found[i]);
  }
  return REAL(pselect)(call.count, result[0], result[1], result[2], &no_time, nullptr);
}

bool selected(const SelectCall& call, int fd) {
  for (int i = 0; i < 3; ++i) {
    if (call.wanted[i] && contains(reinterpret_cast<const fd_set*>(call.found[i]), fd)) return true;
  }
  return false;
}

int withhold_selected(SelectCall& call, int fd) {
  int removed = 0;
  for (int i = 0; i < 3; ++i) {
    if (!call.wanted[i] || !contains(reinterpret_cast<const fd_set*>(call.found[i]), fd)) continue;
    call.found[i][fd / kWordBits] &= ~(Word{1} << (fd % kWordBits));
    ++removed;
  }
  return removed;
}

int wait_for_select(int count, fd_set* read, fd_set* write, fd_set* except, Nanoseconds deadline,
                    uintptr_t pc) {
  const timespec no_time = {};
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
  SelectCall call;
  call.count = count;
  call.wanted[0] = read;
  call.wanted[1] = write;
  call.wanted[2] = except;
  call.bytes = static_cast<size_t>(count + kWordBits - 1) / kWordBits * sizeof(Word);
  const int ready = wait_and_look(
      set, deadline, pc,
      {.look = [](void* c) { return look_for_selected(*static_cast<SelectCall*>(c)); },
       .has = [](void* c, int fd) { return selected(*static_cast<SelectCall*>(c), fd); },
       .withhold = [](void* c,
                      int fd) { return withhold_selected(*static_cast<SelectCall*>(c), fd); },
       .context = &call});
  // The sets are left alone when it fails.
  if (ready >= 0) {
    for (int i = 0; i < 3; ++i) {
      if (call.wanted[i]) memcpy(call.wanted[i], call.found[i], call.bytes);
    }
  }
  return ready;
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
