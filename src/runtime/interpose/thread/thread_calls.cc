// SPDX-License-Identifier: Apache-2.0
// pthread_create, join, detach, and what can be asked about a thread.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "src/runtime/fiber/clean_stack.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/hook/hook_frame.h"  // last: it says where hooks begin
#include "src/runtime/interpose/heap/memory_limit.h"
#include "src/runtime/interpose/process/process_state.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/interpose/thread/affinity.h"
#include "src/runtime/interpose/thread/kernel_id.h"
#include "src/runtime/interpose/thread/scheduling.h"
#include "src/runtime/interpose/thread/thread_end.h"
#include "src/runtime/interpose/thread/thread_start.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/scheduler/thread_state.h"
#include "src/runtime/snapshot/leave.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// Hooks run on the fiber's own stack: room for them on top of what the program asked for.
constexpr size_t kStackForHooks = 64 * 1024;

void run_thread(void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  t.base_frame = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
  // Another thread of the run may have had this stack.
  if (g_compares_memory) jostle_clean_stack(false, stack_to_clean(kStackForHooks));
  if (_setjmp(t.exit_point) == 0) t.result = t.start(t.argument);
  end_of_thread(*g_current);
}

bool has_all(const cpu_set_t& set) {
  return std::all_of(std::begin(set.__bits), std::end(set.__bits),
                     [](__cpu_mask bits) { return ~bits == 0; });
}

struct Wanted {
  size_t stack_size = 0;
  size_t guard_size = 0;
  void* stack = nullptr;
  int detach_state = PTHREAD_CREATE_JOINABLE;
  bool has_scheduling = false;  // PTHREAD_EXPLICIT_SCHED
  int policy = SCHED_OTHER;
  int priority = 0;
  bool has_signal_mask = false;  // pthread_attr_setsigmask_np
  sigset_t signal_mask = {};
  bool has_affinity = false;  // pthread_attr_setaffinity_np
  cpu_set_t affinity = {};
};

Wanted wanted_by(const pthread_attr_t* attributes) {
  pthread_attr_t defaults;
  const bool use_defaults = !attributes;
  if (use_defaults) {
    REAL(pthread_getattr_default_np)(&defaults);
    attributes = &defaults;
  }
  Wanted wanted;
  pthread_attr_getdetachstate(attributes, &wanted.detach_state);
  pthread_attr_getguardsize(attributes, &wanted.guard_size);
  void* lowest = nullptr;
  size_t size = 0;
  if (!use_defaults && pthread_attr_getstack(attributes, &lowest, &size) == 0 && lowest && size) {
    // Only when the program set it: glibc reports 0 - size for "no address".
    const auto address = reinterpret_cast<uintptr_t>(lowest);
    if (address + size != 0) wanted.stack = lowest;
  }
  pthread_attr_getstacksize(attributes, &wanted.stack_size);
  int inherits = PTHREAD_INHERIT_SCHED;
  pthread_attr_getinheritsched(attributes, &inherits);
  wanted.has_scheduling = inherits == PTHREAD_EXPLICIT_SCHED;
  sched_param parameter = {};
  pthread_attr_getschedpolicy(attributes, &wanted.policy);
  pthread_attr_getschedparam(attributes, &parameter);
  wanted.priority = parameter.sched_priority;
  wanted.has_signal_mask = pthread_attr_getsigmask_np(attributes, &wanted.signal_mask) == 0;
  // All processors: none was chosen. CPU_COUNT counts bit by bit.
  pthread_attr_getaffinity_np(attributes, sizeof wanted.affinity, &wanted.affinity);
  wanted.has_affinity = !has_all(wanted.affinity);
  if (use_defaults) pthread_attr_destroy(&defaults);
  return wanted;
}

// Threads that were joined last, and where they were in our table: for who uses a handle again.
struct Joined {
  pthread_t handle;
  const Thread* thread;
};
constexpr uint32_t kMostJoined = 64;
Joined g_joined[kMostJoined];
uint32_t g_joined_count = 0;

void note_joined(pthread_t handle, const Thread& thread) {
  g_joined[g_joined_count++ % kMostJoined] = {handle, &thread};
}

// Null: not known.
const Thread* joined_before(pthread_t handle) {
  for (uint32_t i = 1; i <= kMostJoined && i <= g_joined_count; ++i) {
    const Joined& joined = g_joined[(g_joined_count - i) % kMostJoined];
    if (joined.handle == handle) return joined.thread;
  }
  return nullptr;
}

// The thread, which must not have been joined or be over and detached: its handle is a pointer to
// memory that is libc's again.
Thread* find_joinable(pthread_t handle, const char* what) {
  Thread* target = g_scheduler.find(handle);
  if (!target) {
    misuse(joined_before(handle),
           "a thread is %s that was joined before, or was detached and is over", what);
  }
  return target;
}

// Nobody waits for its end any more.
void leave_to_others(Thread& target) {
  target.joined = false;
  target.joiner = kNoThread;
}

// Waits for the end of `target` and takes its result.
int join(pthread_t handle, void** result, Nanoseconds deadline, uintptr_t pc) {
  Thread* target = find_joinable(handle, "joined");
  Thread& me = *g_current;
  if (target == &me) return EDEADLK;
  if (target->detached || target->joined) return EINVAL;
  if (me.joined && me.joiner == target->id) return EDEADLK;
  target->joined = true;
  target->joiner = me.id;
  const Wake wake =
      g_scheduler.wait(operation(OpKind::thread_join, target, pc), [&] { return target->finished; },
                       {.deadline = deadline,
                        .cancellation_point = true,
                        .abandoned = [](void* t) { leave_to_others(*static_cast<Thread*>(t)); },
                        .abandoned_context = target});
  if (wake != Wake::ready) {
    leave_to_others(*target);
    if (wake == Wake::cancelled) {
      if (g_actions.active()) g_actions.looks_at_end_of(*target);
      end_if_cancelled();
    }
    return ETIMEDOUT;
  }
  if (g_actions.active()) {
    g_actions.follows(*target);
    g_actions.looks_for_cancellation(*target);  // from here on nobody can cancel it
  }
  g_races.joined(*target);
  if (result) *result = target->result;
  note_joined(handle, *target);
  g_scheduler.note_joined(*target);
  if (g_results_wanted && g_scheduler.is_alone()) [[unlikely]]
    threads_have_ended();
  return 0;
}

Thread* create(const Wanted& wanted, void* (*start)(void*), void* argument) {
  Thread* t =
      g_scheduler.create_thread(run_thread, wanted.stack_size + (wanted.stack ? 0 : kStackForHooks),
                                wanted.guard_size, wanted.stack);
  if (!t) return nullptr;
  note_second_thread();
  t->start = start;
  t->argument = argument;
  t->asked_stack_size = wanted.stack_size;
  t->asked_guard_size = wanted.guard_size;
  if (wanted.has_signal_mask) {
    t->signal_mask = wanted.signal_mask;
    signals_are_handled_otherwise();
  }
  if (wanted.has_affinity) {
    t->affinity = wanted.affinity;
    t->has_affinity = true;
  }
  if (wanted.has_scheduling) {
    t->scheduling.policy = wanted.policy;
    t->scheduling.priority = wanted.priority;
  }
  return t;
}

// What reports call it.
void name_after(const Thread& thread, uintptr_t function) {
  if (thread.index >= channel::kMaxThreads) return;
  g_scheduler.record().schedule.threads[thread.index].start_routine = function;
}

}  // namespace

namespace jostle::rt {

Thread* start_own_thread(void* (*start)(void*), void* argument, uintptr_t named_after,
                         size_t stack_size, const sigset_t& signal_mask) {
  Wanted wanted = wanted_by(nullptr);
  if (stack_size) wanted.stack_size = stack_size;
  wanted.has_signal_mask = true;
  wanted.signal_mask = signal_mask;
  Thread* t = create(wanted, start, argument);
  if (!t) return nullptr;
  t->detached = true;
  name_after(*t, named_after);
  return t;
}

}  // namespace jostle::rt

JOSTLE_HOOK int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                               void* (*start)(void*), void* argument) noexcept {
  if (!controlled()) return REAL(pthread_create)(handle, attributes, start, argument);
  const Wanted wanted = wanted_by(attributes);
  if (wanted.has_scheduling) {
    const int error = check_scheduling(*g_current, wanted.policy, wanted.priority);
    if (error != 0) return error;
  }
  if (wanted.has_affinity) {
    const int error = check_affinity(sizeof wanted.affinity, &wanted.affinity);
    if (error != 0) return error;
  }
  g_scheduler.reach(operation(OpKind::thread_create, nullptr, CALLER()));
  kernel_access(true, handle, sizeof *handle, CALLER());  // the thread itself comes behind it
  Thread* t =
      wanted.stack || memory_allows(wanted.stack_size) ? create(wanted, start, argument) : nullptr;
  if (!t) return EAGAIN;
  t->detached = wanted.detach_state == PTHREAD_CREATE_DETACHED;
  name_after(*t, reinterpret_cast<uintptr_t>(start));
  *handle = t->self;
  return 0;
}

JOSTLE_HOOK int pthread_join(pthread_t handle, void** result) {
  if (!controlled()) return REAL(pthread_join)(handle, result);
  look_for_cancellation();
  return join(handle, result, kNever, CALLER());
}

JOSTLE_HOOK int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  if (!controlled()) return REAL(pthread_tryjoin_np)(handle, result);
  Thread* target = g_scheduler.find(handle);
  if (!target) return ESRCH;
  // As a yield: a loop around it must count as spinning.
  g_scheduler.reach(operation(OpKind::yield, target, CALLER()));
  if (g_actions.active()) g_actions.asks_for_end_of(*target);
  // Whether others may join it is asked, as by libc, only when it is over.
  if (!target->finished) return EBUSY;
  return join(handle, result, kNever, CALLER());
}

JOSTLE_HOOK int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  if (!controlled()) return REAL(pthread_timedjoin_np)(handle, result, until);
  if (until && !valid(*until)) return EINVAL;
  look_for_cancellation();
  return join(handle, result, until ? virtual_deadline(CLOCK_REALTIME, *until) : kNever, CALLER());
}

JOSTLE_HOOK int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                     const timespec* until) {
  if (!controlled()) return REAL(pthread_clockjoin_np)(handle, result, clock, until);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
  if (until && !valid(*until)) return EINVAL;
  look_for_cancellation();
  return join(handle, result, until ? virtual_deadline(clock, *until) : kNever, CALLER());
}

JOSTLE_HOOK int pthread_detach(pthread_t handle) noexcept {
  if (!controlled()) return REAL(pthread_detach)(handle);
  Thread* target = find_joinable(handle, "detached");
  if (target->detached) return EINVAL;
  target->detached = true;
  if (target->finished) g_scheduler.release_slot(*target);
  return 0;
}

// ---- names and numbers -------------------------------------------------------------------------

namespace jostle::rt {
uint32_t g_first_thread = 0;
}

JOSTLE_HOOK pid_t gettid() noexcept {
  if (!controlled()) return REAL(gettid)();
  note_uncontrolled(channel::kProcessId);
  note_told_id();
  return kernel_id_of(*g_current);
}

namespace {

// Those that ask are many, and new ones come: what is known not to change anything, or nothing that
// a run could notice.
bool changes_process(int option) {
  switch (option) {
    case PR_GET_PDEATHSIG:
    case PR_GET_DUMPABLE:
    case PR_GET_UNALIGN:
    case PR_GET_KEEPCAPS:
    case PR_GET_FPEMU:
    case PR_GET_FPEXC:
    case PR_GET_TIMING:
    case PR_GET_NAME:
    case PR_GET_ENDIAN:
    case PR_GET_SECCOMP:
    case PR_CAPBSET_READ:
    case PR_GET_TSC:
    case PR_GET_SECUREBITS:
    case PR_GET_TIMERSLACK:
    case PR_MCE_KILL_GET:
    case PR_GET_CHILD_SUBREAPER:
    case PR_GET_NO_NEW_PRIVS:
    case PR_GET_TID_ADDRESS:
    case PR_GET_THP_DISABLE:
    case PR_GET_FP_MODE:
    case PR_GET_SPECULATION_CTRL:
    case PR_GET_IO_FLUSHER:
    case PR_SET_PTRACER:
    case 0x53564D41:  // PR_SET_VMA: names for mappings
      return false;
    default:
      return true;
  }
}

}  // namespace

JOSTLE_HOOK int prctl(int option, ...) noexcept {
  va_list list;
  va_start(list, option);
  unsigned long a[4];
  for (unsigned long& argument : a) argument = va_arg(list, unsigned long);
  va_end(list);
  if (controlled() && option == PR_SET_NAME) {
    char name[sizeof g_current->name];
    strncpy(name, reinterpret_cast<const char*>(a[0]), sizeof name - 1);
    name[sizeof name - 1] = 0;
    return pthread_setname_np(g_current->self, name);
  }
  if (controlled() && option == PR_GET_NAME) {
    return pthread_getname_np(g_current->self, reinterpret_cast<char*>(a[0]),
                              sizeof g_current->name);
  }
  if (controlled() && option == PR_SET_SECCOMP) filters_calls();
  if (controlled() && changes_process(option)) {
    is_no_step();
    needs_own_process("changes the process by prctl");
  }
  return REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

JOSTLE_HOOK int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  if (!controlled()) return REAL(pthread_setname_np)(handle, name);
  Thread* t = g_scheduler.find(handle);
  if (!t) return ESRCH;
  if (strlen(name) >= sizeof t->name) return ERANGE;
  if (t != g_current) is_no_step();
  memset(t->name, 0, sizeof t->name);
  memcpy(t->name, name, strlen(name));
  if (t->index < channel::kMaxThreads) {
    memcpy(g_scheduler.record().schedule.threads[t->index].name, t->name, sizeof t->name);
  }
  return 0;
}

JOSTLE_HOOK int pthread_getname_np(pthread_t handle, char* name, size_t room) noexcept {
  if (!controlled()) return REAL(pthread_getname_np)(handle, name, room);
  Thread* t = g_scheduler.find(handle);
  if (!t) return ESRCH;
  if (room < sizeof t->name) return ERANGE;
  if (t != g_current) is_no_step();  // it may name itself before or behind this
  // A thread without a name of its own has the program's, as on Linux.
  memcpy(name, t->name, sizeof t->name);
  if (!name[0]) strncpy(name, program_invocation_short_name, sizeof t->name - 1);
  name[sizeof t->name - 1] = 0;
  return 0;
}

// ---- attributes ---------------------------------------------------------

JOSTLE_HOOK int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) noexcept {
  if (!controlled()) return REAL(pthread_getattr_np)(handle, attributes);
  Thread* t = g_scheduler.find(handle);
  if (!t) return ESRCH;
  if (t->donor) {
    pthread_attr_init(attributes);
  } else if (const int error = REAL(pthread_getattr_np)(handle, attributes)) {
    return error;
  }
  sched_param parameter = {};
  parameter.sched_priority = t->scheduling.priority;
  pthread_attr_setschedpolicy(attributes, t->scheduling.policy);
  pthread_attr_setschedparam(attributes, &parameter);
  if (!t->donor) return 0;
  pthread_attr_setdetachstate(attributes,
                              t->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  pthread_attr_setguardsize(attributes, t->asked_guard_size);
  pthread_attr_setstack(attributes, t->stack.base + t->stack.size - t->asked_stack_size,
                        t->asked_stack_size);
  return 0;
}

JOSTLE_HOOK int pthread_getcpuclockid(pthread_t handle, clockid_t* clock) noexcept {
  if (!controlled()) return REAL(pthread_getcpuclockid)(handle, clock);
  if (!g_scheduler.find(handle)) return ESRCH;
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return 0;
}
