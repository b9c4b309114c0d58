// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/descriptor_epoll.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "src/base/hash.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/event_loop.h"
#include "src/runtime/interpose/descriptor/timer_descriptor.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/callbacks.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/sharing.h"

namespace jostle::rt {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

struct Set {
  uint32_t descriptors = 0;  // 0: free place in the table
  uint32_t members = 0;
  bool external = false;  // has an external member; valid for the two epochs
  uint64_t classified = UINT64_MAX;
  uint64_t membership = UINT64_MAX;
};

struct Member {
  uint32_t set = kNone;  // kNone: free place in the table
  int fd = -1;           // -1: closed, but a duplicate may still be a member
  uint32_t events = 0;
  uint32_t owed = 0;  // events that the kernel has reported, and we have not
  epoll_data_t data = {};
  uintptr_t object = 0;
  uint64_t name = 0;  // the same in every run
  bool shows_signals = false;
};

struct Number {
  uint32_t set = kNone;
};

RunVector<Set> g_sets;
RunVector<Number> g_numbers;  // which set a descriptor number stands for
RunVector<Member> g_members;  // the kernel's events hold the index
uint64_t g_membership = 0;    // changes with every change of any set
bool g_duplicates = false;    // closing a number need not be the end of a member

uint32_t set_of(int fd) {
  const auto i = static_cast<size_t>(fd);
  return i < g_numbers.size() ? g_numbers[i].set : kNone;
}

// f(index, member) for the members of the set, until it returns true.
template <typename F>
bool any_member(uint32_t set, F&& f) {
  uint32_t left = g_sets[set].members;
  for (uint32_t i = 0; left && i < g_members.size(); ++i) {
    if (g_members[i].set != set) continue;
    --left;
    if (f(i, g_members[i])) return true;
  }
  return false;
}

uint32_t find_member(uint32_t set, int fd) {
  uint32_t found = kNone;
  any_member(set, [&](uint32_t i, const Member& member) {
    if (member.fd == fd) found = i;
    return found != kNone;
  });
  return found;
}

uint32_t new_member(uint32_t set, int fd, const epoll_event& event) {
  // Both ends of a connection are one object, but are reported apart.
  const uintptr_t object = look_at(fd).object;
  uint64_t others = 0;
  for (const Member& m : g_members) others += m.set != kNone && m.object == object;
  uint32_t i = 0;
  while (i < g_members.size() && g_members[i].set != kNone) ++i;
  if (i == g_members.size()) g_members.push_back({});
  const bool shows_signals = signals_kept_in_kernel() != 0 && is_signal_descriptor(fd);
  g_members[i] = {set,          fd, event.events, 0, event.data, object, combine(object, others),
                  shows_signals};
  ++g_sets[set].members;
  ++g_membership;
  return i;
}

void remove_member(uint32_t i) {
  --g_sets[g_members[i].set].members;
  g_members[i] = {};
  ++g_membership;
}

bool is_reported_once(const Member& member) { return member.events & (EPOLLET | EPOLLONESHOT); }

uint32_t ready_events(int fd, uint32_t events) {
  pollfd set = {fd, static_cast<short>(events), 0};
  const int saved = errno;
  const bool ready = REAL(poll)(&set, 1, 0) > 0;
  errno = saved;
  return ready ? static_cast<uint32_t>(static_cast<unsigned short>(set.revents)) : 0;
}

int note_epoll(int fd) {
  if (fd < 0 || !controlled()) return fd;
  const auto i = static_cast<size_t>(fd);
  note_closed(fd);  // an earlier owner of the number that libc closed by itself
  if (i >= g_numbers.size()) g_numbers.resize(i + 1);
  uint32_t set = 0;
  while (set < g_sets.size() && g_sets[set].descriptors) ++set;
  if (set == g_sets.size()) g_sets.push_back({});
  g_sets[set] = {};
  g_sets[set].descriptors = 1;
  g_numbers[i].set = set;
  note_anonymous(fd);
  return fd;
}

// ---- waiting ------------------------------------------------------------------------------------

struct Candidate {
  uint32_t member;
  int fd;
  uint32_t events;
  uint64_t name;
};

// All that is ready in a set.
class ReadyList {
 public:
  explicit ReadyList(uint32_t set) : set_(set), room_(g_sets[set].members + 1) {
    if (room_ > kLocal) {
      found_ = static_cast<epoll_event*>(run_allocate(room_ * sizeof(epoll_event)));
      ready_ = static_cast<Candidate*>(run_allocate(room_ * sizeof(Candidate)));
    }
  }
  ~ReadyList() {
    if (room_ > kLocal) {
      run_release(found_, room_ * sizeof(epoll_event));
      run_release(ready_, room_ * sizeof(Candidate));
    }
  }
  ReadyList(const ReadyList&) = delete;
  ReadyList& operator=(const ReadyList&) = delete;

  // 0, or -1 with errno.
  int collect(int epoll) {
    count_ = 0;
    const int found = REAL(epoll_wait)(epoll, found_, static_cast<int>(room_), 0);
    if (found < 0) return -1;
    add_found(found, false);
    add_found(found, true);
    // What the kernel has reported before counts while it is still true.
    any_member(set_, [&](uint32_t i, Member& m) {
      if (!m.owed || contains(i)) return false;
      if (m.fd >= 0) m.owed &= ready_events(m.fd, m.owed) | EPOLLRDHUP;
      if (m.owed) add(i, m.owed);
      return false;
    });
    return 0;
  }

  size_t count() const { return count_; }
  Candidate* ready() { return ready_; }

  int report(size_t count, epoll_event* to) {
    for (size_t i = 0; i < count; ++i) {
      Member& m = g_members[ready_[i].member];
      m.owed = 0;
      to[i].events = ready_[i].events;
      to[i].data = m.data;
    }
    return static_cast<int>(count);
  }

 private:
  static constexpr size_t kLocal = 32;

  // Signals come last: the kernel looks at a signalfd whenever the process gets any signal, also
  // one of ours, and that is its place among the others then.
  void add_found(int found, bool signals) {
    for (int i = 0; i < found; ++i) {
      const uint64_t member = found_[i].data.u64;
      if (member >= g_members.size() || g_members[member].set != set_) continue;
      Member& m = g_members[member];
      if (m.shows_signals != signals) continue;
      if (is_reported_once(m)) m.owed |= found_[i].events;
      add(static_cast<uint32_t>(member), found_[i].events | m.owed);
    }
  }
  void add(uint32_t member, uint32_t events) {
    if (count_ < room_) {
      const Member& m = g_members[member];
      ready_[count_++] = {member, m.fd, events, m.name};
    }
  }
  bool contains(uint32_t member) const {
    for (size_t i = 0; i < count_; ++i) {
      if (ready_[i].member == member) return true;
    }
    return false;
  }

  uint32_t set_;
  size_t room_;
  size_t count_ = 0;
  epoll_event local_found_[kLocal];
  Candidate local_ready_[kLocal];
  epoll_event* found_ = local_found_;
  Candidate* ready_ = local_ready_;
};

struct EpollCall {
  int epoll;
  uint32_t set;
  epoll_event* events;
  size_t most;
  Nanoseconds deadline;
  uintptr_t pc;
  bool in_loop;
};

// What the thread's callbacks come from.
void tell(const EpollCall& call, ReadyList& list, size_t reported) {
  int descriptors[LoopReport::kMost];
  uint64_t passed_over = 0;
  for (size_t i = 0; i < list.count(); ++i) {
    const Candidate& one = list.ready()[i];
    if (i >= reported) {
      passed_over += combine(43, one.name);
      continue;
    }
    if (i < LoopReport::kMost) descriptors[i] = one.fd;
    if (!g_races.active() || !several_threads()) continue;
    // It comes after both: what the thread that made it ready did before, and the thread that added
    // it.
    if (one.fd >= 0) g_races.acquire(look_at(one.fd).object);
    g_races.acquire(one.name);
  }
  note_loop_report(call.pc, descriptors, reported, passed_over);
}

// What is ready now, or after the time that the loop is late. 0: nothing to report.
int look(const EpollCall& call) {
  fire_due_timers();
  ReadyList list(call.set);
  if (list.collect(call.epoll) != 0) return -1;
  if (list.count() == 0) {
    if (call.deadline <= g_scheduler.now()) tell(call, list, 0);
    return 0;
  }
  bool may_report_nothing = call.deadline <= g_scheduler.now();
  if (call.in_loop) {
    bool overdue = false;
    ReadyNames names;
    for (size_t i = 0; i < list.count(); ++i) {
      overdue |= is_overdue(list.ready()[i].fd);
      names.add(list.ready()[i].name);
    }
    const Nanoseconds timer = earliest_timer_expiry();
    const Nanoseconds next = timer < call.deadline ? timer : call.deadline;
    const Moment moment = choose_moment(names, next, !overdue);
    if (moment != Moment::now) {
      g_scheduler.advance_clock_to(next);
      fire_due_timers();
      if (moment == Moment::timed_out && call.deadline <= g_scheduler.now()) {
        for (size_t i = 0; i < list.count(); ++i) note_passed_over(list.ready()[i].fd);
        tell(call, list, 0);
        return 0;
      }
      if (list.collect(call.epoll) != 0) return -1;
      may_report_nothing = false;
    }
  }
  size_t count = list.count() < call.most ? list.count() : call.most;
  if (call.in_loop) {
    count = choose_reported(list.ready(), list.count(), call.most, may_report_nothing);
  } else if (!events_are_plain()) {
    // It may be a loop's first turn: it learns of all, but nobody has promised an order.
    count = choose_reported(list.ready(), list.count(), call.most, false, false);
  }
  tell(call, list, count);
  return list.report(count, call.events);
}

int wait_for_events(int epoll, epoll_event* events, int most, Nanoseconds deadline, uintptr_t pc) {
  if (most > 0) image_open(events, static_cast<size_t>(most) * sizeof *events);
  const Descriptor descriptor = look_at(epoll);
  const Operation op = {.kind = OpKind::io_wait, .object = descriptor.object, .pc = pc};
  const uint32_t set = set_of(epoll);
  if (most <= 0 || descriptor.kind != DescriptorKind::anonymous || set == kNone) {
    cancellation_point();
    g_scheduler.reach(op);
    return REAL(epoll_wait)(epoll, events, most, 0);
  }
  const EpollCall call = {.epoll = epoll,
                          .set = set,
                          .events = events,
                          .most = static_cast<size_t>(most),
                          .deadline = deadline,
                          .pc = pc,
                          .in_loop = is_loop_wait(pc, g_sets[set].members)};
  loop_waits();
  if (deadline <= g_scheduler.now()) {
    cancellation_point();
    g_scheduler.reach(op);
    if (earliest_timer_expiry() != kNever) g_scheduler.read_clock();  // so that waiting loops end
    return look(call);
  }
  for (;;) {
    const Wake wake =
        wait_for_descriptor(op, epoll, POLLIN, {.deadline = deadline, .event_loop = call.in_loop});
    if (wake == Wake::signalled) {
      errno = EINTR;
      return -1;
    }
    const int count = look(call);
    if (count != 0 || deadline <= g_scheduler.now()) return count;
  }
}

}  // namespace

bool is_epoll(int fd) { return set_of(fd) != kNone; }

bool has_external_member(int epoll) {
  Set& set = g_sets[set_of(epoll)];
  if (set.classified != classification_epoch() || set.membership != g_membership) {
    set.classified = classification_epoch();
    set.membership = g_membership;
    set.external = any_member(set_of(epoll), [epoll](uint32_t, const Member& member) {
      return member.fd != epoll && is_external(look_at(member.fd));
    });
  }
  return set.external;
}

bool epoll_ready_from_inside(int epoll) {
  if (epoll_owes_event(epoll)) return true;
  if (!ready_events(epoll, POLLIN)) return false;
  bool inside = false, outside = false;
  any_member(set_of(epoll), [&](uint32_t, const Member& m) {
    if (m.fd >= 0 && ready_events(m.fd, m.events)) {
      (is_external(look_at(m.fd)) ? outside : inside) = true;
    }
    return inside;
  });
  return inside || !outside;
}

bool epoll_owes_event(int epoll) {
  return any_member(set_of(epoll), [](uint32_t, const Member& m) {
    return m.owed && (m.fd < 0 || ready_events(m.fd, m.owed));
  });
}

void epoll_owes(int fd, uint32_t events) {
  for (Member& m : g_members) {
    if (m.set != kNone && m.fd == fd && (m.events & EPOLLET)) m.owed |= events & m.events;
  }
}

void renew_epoll_sets() {
  for (size_t fd = 0; fd < g_numbers.size(); ++fd) {
    const uint32_t set = g_numbers[fd].set;
    if (set == kNone || g_sets[set].descriptors != 1) continue;
    const int number = static_cast<int>(fd);
    const int flags = REAL(fcntl)(number, F_GETFD);
    const int fresh = REAL(epoll_create1)(EPOLL_CLOEXEC);
    if (fresh < 0) continue;
    REAL(dup3)(fresh, number, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    REAL(close)(fresh);
    any_member(set, [&](uint32_t i, const Member& m) {
      epoll_event ours = {};
      ours.events = m.events;
      ours.data.u64 = i;
      if (m.fd >= 0) REAL(epoll_ctl)(number, EPOLL_CTL_ADD, m.fd, &ours);
      return false;
    });
  }
}

void epoll_closed(int fd) {
  const auto number = static_cast<size_t>(fd);
  if (const uint32_t set = set_of(fd); set != kNone) {
    g_numbers[number].set = kNone;
    if (--g_sets[set].descriptors == 0) {
      any_member(set, [](uint32_t i, const Member&) {
        remove_member(i);
        return false;
      });
    }
    ++g_membership;
  }
  for (uint32_t i = 0; i < g_members.size(); ++i) {
    if (g_members[i].set == kNone || g_members[i].fd != fd) continue;
    if (g_duplicates) {
      g_members[i].fd = -1;
      ++g_membership;
    } else {
      remove_member(i);
    }
  }
}

void epoll_duplicated(int from, int to) {
  g_duplicates = true;
  const uint32_t set = set_of(from);
  if (set == kNone) return;
  const auto number = static_cast<size_t>(to);
  if (number >= g_numbers.size()) g_numbers.resize(number + 1);
  g_numbers[number].set = set;
  ++g_sets[set].descriptors;
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int epoll_create(int size) noexcept {
  makes_descriptor(CALLER());
  return note_epoll(REAL(epoll_create)(size));
}
JOSTLE_HOOK int epoll_create1(int flags) noexcept {
  makes_descriptor(CALLER());
  return note_epoll(REAL(epoll_create1)(flags));
}

JOSTLE_HOOK int epoll_ctl(int epoll, int what, int fd, epoll_event* event) noexcept {
  if (!controlled()) return REAL(epoll_ctl)(epoll, what, fd, event);
  g_scheduler.reach({.kind = OpKind::io_write, .object = look_at(epoll).object, .pc = CALLER()});
  const uint32_t set = set_of(epoll);
  if (set == kNone || (what != EPOLL_CTL_DEL && !event)) {
    return REAL(epoll_ctl)(epoll, what, fd, event);
  }
  uint32_t member = find_member(set, fd);
  const bool is_new = what == EPOLL_CTL_ADD && member == kNone;
  if (is_new) member = new_member(set, fd, *event);
  if (member != kNone && several_threads()) g_races.release(g_members[member].name);
  epoll_event ours = {};
  if (event) ours.events = event->events;
  ours.data.u64 = member;
  if (REAL(epoll_ctl)(epoll, what, fd, &ours) != 0) {
    if (is_new) remove_member(member);
    return -1;
  }
  if (what == EPOLL_CTL_DEL && member != kNone) remove_member(member);
  if (what == EPOLL_CTL_MOD && member != kNone) {
    Member& changed = g_members[member];
    changed.events = event->events;
    changed.owed = 0;  // the kernel looks again
    changed.data = event->data;
    ++g_membership;
  }
  descriptors_changed();
  return 0;
}

JOSTLE_HOOK int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  if (!controlled()) return REAL(epoll_wait)(epoll, events, most, timeout);
  return wait_for_events(epoll, events, most, deadline_after_ms(timeout), CALLER());
}

JOSTLE_HOOK int epoll_pwait(int epoll, epoll_event* events, int most, int timeout,
                            const sigset_t* mask) {
  if (!controlled()) return REAL(epoll_pwait)(epoll, events, most, timeout, mask);
  const Nanoseconds deadline = deadline_after_ms(timeout);
  const uintptr_t pc = CALLER();
  return with_signal_mask(mask, [&] { return wait_for_events(epoll, events, most, deadline, pc); });
}

JOSTLE_HOOK int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* timeout,
                             const sigset_t* mask) {
  if (!controlled()) return REAL(epoll_pwait2)(epoll, events, most, timeout, mask);
  if (timeout && (!valid(*timeout) || timeout->tv_sec < 0)) {
    errno = EINVAL;
    return -1;
  }
  const Nanoseconds deadline = timeout ? deadline_after(*timeout) : kNever;
  const uintptr_t pc = CALLER();
  return with_signal_mask(mask, [&] { return wait_for_events(epoll, events, most, deadline, pc); });
}
