// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/thread/scheduling.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/privilege.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/no_steps.h"

namespace jostle::rt {
namespace {

constexpr int kResetOnFork =
    0x40000000;  // SCHED_RESET_ON_FORK, in the policy of sched_setscheduler
constexpr int kLeastNice = 19, kMostNice = -20;

bool is_real_time(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR; }

bool is_policy(int policy) {
  return is_real_time(policy) || policy == SCHED_OTHER || policy == SCHED_BATCH ||
         policy == SCHED_IDLE;
}

rlim_t limit_of(__rlimit_resource what) {
  rlimit limit = {};
  return getrlimit(what, &limit) == 0 ? limit.rlim_cur : 0;
}

bool may_be_as_nice_as(const Thread& thread, int nice) {
  if (nice >= thread.scheduling.nice || has_capability(CAP_SYS_NICE)) return true;
  return static_cast<rlim_t>(20 - nice) <= limit_of(RLIMIT_NICE);
}

int set(Thread& thread, int policy, int priority) {
  const int plain = policy & ~kResetOnFork;
  const int error = check_scheduling(thread, plain, priority);
  if (error != 0) return error;
  if (&thread != g_current) is_no_step();  // it may look before or behind this
  thread.scheduling.policy = plain;
  thread.scheduling.priority = priority;
  thread.scheduling.resets_on_fork = policy & kResetOnFork;
  return 0;
}

int as_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

id_t as_kernel_knows(int which, id_t who) {
  return which == PRIO_PROCESS ? static_cast<id_t>(rt::as_kernel_knows(static_cast<pid_t>(who)))
                               : who;
}

// f(thread) for those that `which` and `who` mean among our own. False: they are others.
template <typename F>
bool for_each_meant(int which, id_t who, F&& f) {
  if (which == PRIO_PROCESS) {
    Thread* thread = thread_of(static_cast<pid_t>(who));
    if (thread) f(*thread);
    return thread != nullptr;
  }
  // Groups and users have other processes, too: those are left alone.
  const bool own = which == PRIO_PGRP ? who == 0 || who == static_cast<id_t>(getpgrp())
                                      : who == 0 || who == getuid();
  if (!own) return false;
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live) f(*thread);
  }
  return true;
}

}  // namespace

int check_scheduling(const Thread& thread, int policy, int priority) {
  if (!is_policy(policy)) return EINVAL;
  if (is_real_time(policy) ? priority < 1 || priority > 99 : priority != 0) return EINVAL;
  if (has_capability(CAP_SYS_NICE)) return 0;
  const Scheduling& now = thread.scheduling;
  if (is_real_time(policy)) {
    const rlim_t most = limit_of(RLIMIT_RTPRIO);
    if (policy != now.policy && most == 0) return EPERM;
    if (priority > now.priority && static_cast<rlim_t>(priority) > most) return EPERM;
  }
  if (now.policy == SCHED_IDLE && policy != SCHED_IDLE &&
      static_cast<rlim_t>(20 - now.nice) > limit_of(RLIMIT_NICE)) {
    return EPERM;
  }
  return 0;
}

namespace {

// The kernel's struct sched_attr, in its first form; a later one has more behind this.
struct Attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};
constexpr unsigned kFirstSize = 48;
static_assert(sizeof(Attributes) == kFirstSize);
constexpr uint64_t kResets = 1;  // SCHED_FLAG_RESET_ON_FORK

}  // namespace

long set_scheduling_attributes(pid_t id, const void* attributes, unsigned flags) {
  Thread* thread = thread_of(id);
  if (!thread) return REAL(syscall)(SYS_sched_setattr, id, attributes, flags);
  if (!attributes || flags != 0) return as_errno(EINVAL);
  Attributes wanted;
  memcpy(&wanted, attributes, sizeof wanted);
  const int resets = wanted.flags & kResets ? kResetOnFork : 0;
  const bool has_niceness = wanted.policy == SCHED_OTHER || wanted.policy == SCHED_BATCH;
  if (has_niceness && !may_be_as_nice_as(*thread, wanted.nice)) return as_errno(EPERM);
  const int error =
      set(*thread, static_cast<int>(wanted.policy) | resets, static_cast<int>(wanted.priority));
  if (error == 0 && has_niceness) thread->scheduling.nice = wanted.nice;
  return as_errno(error);
}

long get_scheduling_attributes(pid_t id, void* attributes, unsigned size, unsigned flags) {
  const Thread* thread = thread_of(id);
  if (!thread) return REAL(syscall)(SYS_sched_getattr, id, attributes, size, flags);
  if (!attributes || flags != 0 || size < kFirstSize) return as_errno(EINVAL);
  const Scheduling& now = thread->scheduling;
  Attributes answer = {};
  answer.size = kFirstSize;
  answer.policy = static_cast<uint32_t>(now.policy);
  answer.flags = now.resets_on_fork ? kResets : 0;
  answer.nice = is_real_time(now.policy) ? 0 : now.nice;
  answer.priority = static_cast<uint32_t>(now.priority);
  memcpy(attributes, &answer, sizeof answer);
  return 0;
}

}  // namespace jostle::rt

using namespace jostle::rt;

// ---- threads ------------------------------------------------------------------------------------

JOSTLE_HOOK int pthread_getschedparam(pthread_t handle, int* policy,
                                      sched_param* parameter) noexcept {
  if (!controlled()) return REAL(pthread_getschedparam)(handle, policy, parameter);
  const Thread* thread = g_scheduler.find(handle);
  if (!thread) return ESRCH;
  *policy = thread->scheduling.policy;
  *parameter = {};
  parameter->sched_priority = thread->scheduling.priority;
  return 0;
}

JOSTLE_HOOK int pthread_setschedparam(pthread_t handle, int policy,
                                      const sched_param* parameter) noexcept {
  if (!controlled()) return REAL(pthread_setschedparam)(handle, policy, parameter);
  Thread* thread = g_scheduler.find(handle);
  return thread ? set(*thread, policy, parameter->sched_priority) : ESRCH;
}

JOSTLE_HOOK int pthread_setschedprio(pthread_t handle, int priority) noexcept {
  if (!controlled()) return REAL(pthread_setschedprio)(handle, priority);
  Thread* thread = g_scheduler.find(handle);
  return thread ? set(*thread, thread->scheduling.policy, priority) : ESRCH;
}

// ---- by the kernel's numbers --------------------------------------------------------------------

JOSTLE_HOOK int sched_setscheduler(pid_t id, int policy, const sched_param* parameter) noexcept {
  Thread* thread = controlled() ? thread_of(id) : nullptr;
  if (!thread) return REAL(sched_setscheduler)(as_kernel_knows(id), policy, parameter);
  const sched_param* given = parameter;
  asm("" : "+r"(given));  // the header promises that it is not null, programs do not
  return as_errno(given && policy >= 0 ? set(*thread, policy, given->sched_priority) : EINVAL);
}

JOSTLE_HOOK int sched_getscheduler(pid_t id) noexcept {
  const Thread* thread = controlled() ? thread_of(id) : nullptr;
  if (!thread) return REAL(sched_getscheduler)(as_kernel_knows(id));
  return thread->scheduling.policy | (thread->scheduling.resets_on_fork ? kResetOnFork : 0);
}

JOSTLE_HOOK int sched_setparam(pid_t id, const sched_param* parameter) noexcept {
  Thread* thread = controlled() ? thread_of(id) : nullptr;
  if (!thread) return REAL(sched_setparam)(as_kernel_knows(id), parameter);
  const int policy =
      thread->scheduling.policy | (thread->scheduling.resets_on_fork ? kResetOnFork : 0);
  return as_errno(set(*thread, policy, parameter->sched_priority));
}

JOSTLE_HOOK int sched_getparam(pid_t id, sched_param* parameter) noexcept {
  const Thread* thread = controlled() ? thread_of(id) : nullptr;
  if (!thread) return REAL(sched_getparam)(as_kernel_knows(id), parameter);
  *parameter = {};
  parameter->sched_priority = thread->scheduling.priority;
  return 0;
}

// ---- niceness -----------------------------------------------------------------------------------

JOSTLE_HOOK int setpriority(__priority_which_t which, id_t who, int value) noexcept {
  if (!controlled() || which < PRIO_PROCESS || which > PRIO_USER) {
    return REAL(setpriority)(which, who, value);
  }
  const int nice = value > kLeastNice ? kLeastNice : value < kMostNice ? kMostNice : value;
  int error = 0;
  const bool own = for_each_meant(which, who, [&](Thread& thread) {
    if (!may_be_as_nice_as(thread, nice)) {
      error = EACCES;
    } else {
      thread.scheduling.nice = nice;
    }
  });
  return own ? as_errno(error) : REAL(setpriority)(which, as_kernel_knows(which, who), value);
}

JOSTLE_HOOK int getpriority(__priority_which_t which, id_t who) noexcept {
  if (!controlled() || which < PRIO_PROCESS || which > PRIO_USER) {
    return REAL(getpriority)(which, who);
  }
  int nice = kLeastNice;
  const bool own = for_each_meant(which, who, [&](const Thread& thread) {
    if (thread.scheduling.nice < nice) nice = thread.scheduling.nice;
  });
  return own ? nice : REAL(getpriority)(which, as_kernel_knows(which, who));
}

JOSTLE_HOOK int nice(int by) noexcept {
  if (!controlled()) return REAL(nice)(by);
  // Far beyond the limits is at the limit.
  const int most = 2 * (kLeastNice - kMostNice);
  const int step = by > most ? most : by < -most ? -most : by;
  if (setpriority(PRIO_PROCESS, 0, g_current->scheduling.nice + step) != 0) return as_errno(EPERM);
  return g_current->scheduling.nice;
}
