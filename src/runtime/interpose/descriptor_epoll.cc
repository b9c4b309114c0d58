#include "src/runtime/interpose/descriptor_epoll.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>

#include "src/runtime/interpose/deadline.h"
#include "src/runtime/interpose/descriptor_table.h"
#include "src/runtime/interpose/descriptor_wait.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/interpose/signal.h"
#include "src/runtime/interpose/timer_descriptor.h"
#include "src/runtime/snapshot/image.h"

namespace jostle::rt {
namespace {

struct Set {
  bool exists = false;
  bool external = false;  // has an external member; valid for the two epochs
  uint64_t classified = UINT64_MAX;
  uint64_t membership = UINT64_MAX;
};

struct Member {
  int epoll = -1;
  uint32_t events = 0;
};

struct ExtraMember {
  int fd;
  Member member;
};

RunVector<Set> g_sets;                   // by descriptor number
RunVector<Member> g_members;             // by descriptor number: the first set it is in
RunVector<ExtraMember> g_extra_members;  // … and further ones; rare
uint64_t g_membership = 0;               // changes with every change of any set

// f(fd, member) for the members of `epoll`, until it returns true.
template <typename F>
bool any_member(int epoll, F&& f) {
  for (size_t fd = 0; fd < g_members.size(); ++fd) {
    if (g_members[fd].epoll == epoll && f(static_cast<int>(fd), g_members[fd])) return true;
  }
  for (const ExtraMember& extra : g_extra_members) {
    if (extra.member.epoll == epoll && f(extra.fd, extra.member)) return true;
  }
  return false;
}

void remove_member(int epoll, int fd) {
  const auto i = static_cast<size_t>(fd);
  if (i < g_members.size() && g_members[i].epoll == epoll) g_members[i] = {};
  for (size_t j = g_extra_members.size(); j-- > 0;) {
    const ExtraMember& extra = g_extra_members[j];
    if (extra.fd != fd || extra.member.epoll != epoll) continue;
    g_extra_members[j] = g_extra_members.back();
    g_extra_members.pop_back();
  }
  ++g_membership;
}

void add_member(int epoll, int fd, uint32_t events) {
  const auto i = static_cast<size_t>(fd);
  if (i >= g_members.size()) g_members.resize(i + 1);
  if (g_members[i].epoll < 0) {
    g_members[i] = {epoll, events};
  } else {
    g_extra_members.push_back({fd, {epoll, events}});
  }
  ++g_membership;
}

bool is_ready(int fd, short events) {
  pollfd set = {fd, events, 0};
  const int saved = errno;
  const bool ready = REAL(poll)(&set, 1, 0) > 0;
  errno = saved;
  return ready;
}

int note_epoll(int fd) {
  if (fd < 0 || !controlled()) return fd;
  const auto i = static_cast<size_t>(fd);
  if (i >= g_sets.size()) g_sets.resize(i + 1);
  epoll_closed(fd);  // an earlier owner of the number that libc closed by itself
  g_sets[i].exists = true;
  note_anonymous(fd);
  return fd;
}

int wait_for_events(int epoll, epoll_event* events, int most, Nanoseconds deadline, uintptr_t pc) {
  if (most > 0) image_open(events, static_cast<size_t>(most) * sizeof *events);
  const Descriptor set = look_at(epoll);
  const Operation op = {.kind = OpKind::io_wait, .object = set.object, .pc = pc};
  if (most <= 0 || set.kind != DescriptorKind::anonymous || deadline <= g_scheduler.now()) {
    cancellation_point();
    g_scheduler.reach(op);
    if (earliest_timer_expiry() != kNever) g_scheduler.read_clock();  // so that waiting loops end
    fire_due_timers();
    return REAL(epoll_wait)(epoll, events, most, 0);
  }
  for (;;) {
    const Wake wake = wait_for_descriptor(op, epoll, POLLIN, {.deadline = deadline});
    if (wake == Wake::signalled) {
      errno = EINTR;
      return -1;
    }
    const int count = REAL(epoll_wait)(epoll, events, most, 0);
    if (count != 0 || wake == Wake::timeout) return count;
  }
}

}  // namespace

bool is_epoll(int fd) {
  return static_cast<size_t>(fd) < g_sets.size() && g_sets[static_cast<size_t>(fd)].exists;
}

bool has_external_member(int epoll) {
  Set& set = g_sets[static_cast<size_t>(epoll)];
  if (set.classified != classification_epoch() || set.membership != g_membership) {
    set.classified = classification_epoch();
    set.membership = g_membership;
    set.external = any_member(
        epoll, [epoll](int fd, const Member&) { return fd != epoll && is_external(look_at(fd)); });
  }
  return set.external;
}

bool epoll_ready_from_inside(int epoll) {
  return is_ready(epoll, POLLIN) && !any_member(epoll, [](int fd, const Member& member) {
           return is_external(look_at(fd)) && is_ready(fd, static_cast<short>(member.events));
         });
}

void epoll_closed(int fd) {
  const auto i = static_cast<size_t>(fd);
  if (is_epoll(fd)) {
    for (Member& member : g_members) {
      if (member.epoll == fd) member = {};
    }
    for (size_t j = g_extra_members.size(); j-- > 0;) {
      if (g_extra_members[j].member.epoll == fd) {
        g_extra_members[j] = g_extra_members.back();
        g_extra_members.pop_back();
      }
    }
    g_sets[i] = {};
    ++g_membership;
  }
  if (i < g_members.size() && g_members[i].epoll >= 0) remove_member(g_members[i].epoll, fd);
  for (size_t j = g_extra_members.size(); j-- > 0;) {
    if (g_extra_members[j].fd == fd) {
      g_extra_members[j] = g_extra_members.back();
      g_extra_members.pop_back();
    }
  }
}

void epoll_duplicated(int from, int to) {
  if (!is_epoll(from)) return;
  note_epoll(to);
  for (size_t fd = 0; fd < g_members.size(); ++fd) {
    if (g_members[fd].epoll == from) add_member(to, static_cast<int>(fd), g_members[fd].events);
  }
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int epoll_create(int size) noexcept { return note_epoll(REAL(epoll_create)(size)); }
JOSTLE_HOOK int epoll_create1(int flags) noexcept { return note_epoll(REAL(epoll_create1)(flags)); }

JOSTLE_HOOK int epoll_ctl(int epoll, int what, int fd, epoll_event* event) noexcept {
  if (!controlled()) return REAL(epoll_ctl)(epoll, what, fd, event);
  g_scheduler.reach({.kind = OpKind::io_write, .object = look_at(epoll).object, .pc = CALLER()});
  if (REAL(epoll_ctl)(epoll, what, fd, event) != 0) return -1;
  if (what == EPOLL_CTL_DEL || what == EPOLL_CTL_MOD) remove_member(epoll, fd);
  if (what == EPOLL_CTL_ADD || what == EPOLL_CTL_MOD) add_member(epoll, fd, event->events);
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
