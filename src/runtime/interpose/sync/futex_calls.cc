// SPDX-License-Identifier: Apache-2.0
// syscall(): futexes, and the few others that would bypass our scheduler or clock; all the rest
// goes to the kernel as it is.
//
// A futex has no state beyond its word and who waits for it. The waiting threads are parked under
// the word's address; one that was moved to another word (FUTEX_REQUEUE) stays parked where it is,
// with its time-out, and only its own record says where it belongs now.
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "src/base/raw_syscall.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/process_state.h"
#include "src/runtime/interpose/process/raw_calls.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/interpose/thread/thread_end.h"
#include "src/runtime/memory/private_memory.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/scheduler/waits/spurious.h"
#include "src/runtime/snapshot/leave.h"
#include "src/runtime/sync/futex.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// In the frame of the waiting thread; also its ready check.
struct Waiter {
  uintptr_t word;  // where it belongs: may differ from where it is parked
  uint32_t bitset;
  bool woken = false;
  const uint32_t* shared = nullptr;  // with other processes, which change it before they wake up us
  uint32_t value = 0;
  bool operator()() const {
    return woken || (shared && __atomic_load_n(shared, __ATOMIC_SEQ_CST) != value);
  }
};

// How many waiters belong to another word than the one they are parked under. Never too low; too
// high (after a run that was cut off) only costs a search.
uint32_t g_moved = 0;

Waiter* waiter_of(Thread* thread) {
  if (!thread || !thread->in_lot || thread->pending.kind != OpKind::futex_wait) return nullptr;
  auto* waiter = static_cast<Waiter*>(thread->ready.context);
  return waiter->woken ? nullptr : waiter;
}

// Calls `visit(Thread&, Waiter&)` for each waiter of `word` that `bitset` reaches, until it returns
// true; gives that thread back.
template <typename Visit>
Thread* find_waiter(uintptr_t word, uint32_t bitset, Visit&& visit) {
  for (Thread* t = nullptr; (t = g_scheduler.next_pending_on(word, t));) {
    Waiter* waiter = waiter_of(t);
    if (waiter && waiter->word == word && waiter->bitset & bitset && visit()) return t;
  }
  if (g_moved == 0) return nullptr;
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    Thread* t = g_scheduler.thread_at(id);
    Waiter* waiter = waiter_of(t);
    if (!waiter || t->parked_on == word) continue;
    if (waiter->word == word && waiter->bitset & bitset && visit()) return t;
  }
  return nullptr;
}

uint32_t count_waiters(uintptr_t word, uint32_t bitset) {
  uint32_t waiters = 0;
  find_waiter(word, bitset, [&] { return ++waiters, false; });
  return waiters;
}

// Which one of those that wait is a choice. Null when nobody does.
Thread* choose_waiter(uintptr_t word, uint32_t bitset) {
  uint32_t skip = g_scheduler.choose(ChoiceKind::wake, count_waiters(word, bitset));
  return find_waiter(word, bitset, [&] { return skip-- == 0; });
}

void wake_one(Thread& thread) {
  Waiter& waiter = *waiter_of(&thread);
  if (waiter.word != thread.parked_on) --g_moved;
  waiter.woken = true;
  g_races.orders(thread);
  g_scheduler.wake(thread);
}

// When everybody is woken it does not matter in which order: who goes on first is decided later.
long wake_all(uintptr_t word, uint32_t bitset) {
  long woken = 0;
  for (; Thread* thread = find_waiter(word, bitset, [] { return true; }); ++woken) {
    wake_one(*thread);
  }
  return woken;
}

long wake(uintptr_t word, int limit, uint32_t bitset) {
  limit = std::max(limit, 1);  // as the kernel
  auto* const object = reinterpret_cast<void*>(word);
  if (limit == 1 && bitset == FUTEX_BITSET_MATCH_ANY) {
    Thread* thread = choose_waiter(word, bitset);
    if (g_actions.active()) g_actions.wakes_one(object, thread);
    if (thread) wake_one(*thread);
    return thread ? 1 : 0;
  }
  const uint32_t waiters = count_waiters(word, bitset);
  if (g_actions.active()) g_actions.wakes_queue(object, waiters != 0);
  if (static_cast<long>(waiters) <= limit) return wake_all(word, bitset);
  long woken = 0;
  do {
    wake_one(*choose_waiter(word, bitset));
  } while (++woken < limit);
  return woken;
}

void move(Thread& thread, uintptr_t to) {
  Waiter& waiter = *waiter_of(&thread);
  g_moved -= waiter.word != thread.parked_on;
  waiter.word = thread.pending.object = to;
  g_scheduler.note_touched(thread);
  g_moved += waiter.word != thread.parked_on;
}

bool is_word(const uint32_t* word) { return reinterpret_cast<uintptr_t>(word) % 4 == 0; }

int load(const uint32_t* word) { return static_cast<int>(__atomic_load_n(word, __ATOMIC_SEQ_CST)); }

struct Call {
  uint32_t* word;
  int command;
  bool realtime;
  bool is_private;
  int value;
  const timespec* time;  // or, as a number, the second value
  uint32_t* word2;
  uint32_t value3;
  uintptr_t pc;

  int second_value() const { return static_cast<int>(reinterpret_cast<intptr_t>(time)); }
};

// All return the kernel's result: negative errno values.

long futex_wait(const Call& call, uint32_t bitset) {
  if (bitset == 0) return -EINVAL;
  Nanoseconds deadline = kNever;
  if (call.time) {
    if (!valid(*call.time) || call.time->tv_sec < 0) return -EINVAL;
    deadline = call.command == FUTEX_WAIT
                   ? deadline_after(*call.time)
                   : virtual_deadline(call.realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, *call.time);
  }
  const Operation op = operation(OpKind::futex_wait, call.word, call.pc);
  for (;;) {
    g_scheduler.reach(op);
    acted(Act::read, call.word);
    if (g_weak.active()) g_weak.looked(reinterpret_cast<uintptr_t>(call.word), sizeof *call.word);
    if (load(call.word) != call.value) return -EAGAIN;
    if (g_spurious.wakes(deadline)) return 0;
    if (g_actions.active()) g_actions.enters_queue(call.word);
    Waiter waiter{reinterpret_cast<uintptr_t>(call.word), bitset};
    const bool is_shared = !call.is_private && has_family();
    if (is_shared) {
      waiter.shared = call.word;
      waiter.value = static_cast<uint32_t>(call.value);
    }
    const Wake wake =
        wait_for_object(is_shared, op, waiter, {.deadline = deadline, .interruptible = true});
    if (waiter.woken) return 0;
    if (g_actions.active()) g_actions.leaves_queue(call.word);
    g_moved -= waiter.word != reinterpret_cast<uintptr_t>(call.word);
    if (wake == Wake::ready) return 0;  // another process would have woken it up
    if (wake == Wake::timeout) return -ETIMEDOUT;
    // Made again by the kernel, unless it has a time-out, and then it looks at the word again.
    if (deadline != kNever || !interrupted_calls_restart()) return -EINTR;
  }
}

long futex_wake(const Call& call, uint32_t bitset) {
  if (bitset == 0) return -EINVAL;
  g_scheduler.reach(operation(OpKind::futex_wake, call.word, call.pc));
  return wake(reinterpret_cast<uintptr_t>(call.word), call.value, bitset);
}

long futex_requeue(const Call& call) {
  const int to_wake = call.value, to_move = call.second_value();
  if (to_wake < 0 || to_move < 0 || !is_word(call.word2)) return -EINVAL;
  if (!call.word2) return -EFAULT;
  g_scheduler.reach(operation(OpKind::futex_wake, call.word, call.pc));
  if (call.command == FUTEX_CMP_REQUEUE && load(call.word) != static_cast<int>(call.value3)) {
    return -EAGAIN;
  }
  const auto from = reinterpret_cast<uintptr_t>(call.word);
  const auto to = reinterpret_cast<uintptr_t>(call.word2);
  long count = to_wake ? wake(from, to_wake, FUTEX_BITSET_MATCH_ANY) : 0;
  if (g_actions.active()) {
    g_actions.wakes_queue(call.word, true);
    g_actions.wakes_queue(call.word2, true);
  }
  if (from == to) {  // moves them to where they are
    long staying = 0;
    find_waiter(from, FUTEX_BITSET_MATCH_ANY, [&] { return ++staying >= to_move; });
    return count + staying;
  }
  for (int moved = 0; moved < to_move; ++moved, ++count) {
    Thread* thread = choose_waiter(from, FUTEX_BITSET_MATCH_ANY);
    if (!thread) break;
    move(*thread, to);
  }
  return count;
}

long futex_wake_op(const Call& call) {
  if (!is_word(call.word2)) return -EINVAL;
  if (!call.word2) return -EFAULT;
  g_scheduler.reach(operation(OpKind::futex_wake, call.word, call.pc));
  const sync::FutexOperation step = sync::decode_futex_operation(call.value3, load(call.word2));
  if (!step.known) return -ENOSYS;
  acted(Act::write, call.word2);
  __atomic_store_n(call.word2, static_cast<uint32_t>(step.result), __ATOMIC_SEQ_CST);
  long woken = wake(reinterpret_cast<uintptr_t>(call.word), call.value, FUTEX_BITSET_MATCH_ANY);
  if (step.wake_too) {
    woken +=
        wake(reinterpret_cast<uintptr_t>(call.word2), call.second_value(), FUTEX_BITSET_MATCH_ANY);
  }
  return woken;
}

// Priority inheritance, which programs must do without on some kernels, too.
bool inherits_priority(int command) {
  switch (command) {
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_TRYLOCK_PI:
    case FUTEX_UNLOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI:
      return true;
    default:
      return false;
  }
}

long futex(const Call& call) {
  if (inherits_priority(call.command)) {
    note_uncontrolled(channel::kPriorityFutex);
    return -ENOSYS;
  }
  // Only this command measures time by the real-time clock.
  if (call.realtime && call.command != FUTEX_WAIT_BITSET) return -ENOSYS;
  if (!is_word(call.word)) return -EINVAL;
  if (!call.word) return -EFAULT;
  switch (call.command) {
    case FUTEX_WAIT:
      return futex_wait(call, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAIT_BITSET:
      return futex_wait(call, call.value3);
    case FUTEX_WAKE:
      return futex_wake(call, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAKE_BITSET:
      return futex_wake(call, call.value3);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      return futex_requeue(call);
    case FUTEX_WAKE_OP:
      return futex_wake_op(call);
    default:
      return -ENOSYS;
  }
}

long as_errno(long result) {
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

template <typename T>
T pointer(long argument) {
  return reinterpret_cast<T>(argument);
}

// The C function that stands for a system call with our scheduler or clock behind it. False: none.
bool call_by_name(long number, long a, long b, long c, long d, long e, long& result) {
  switch (number) {
    case SYS_sched_yield:
      result = sched_yield();
      return true;
    case SYS_nanosleep:
      result = nanosleep(pointer<const timespec*>(a), pointer<timespec*>(b));
      return true;
    case SYS_clock_nanosleep:
      result = as_errno(-clock_nanosleep(static_cast<clockid_t>(a), static_cast<int>(b),
                                         pointer<const timespec*>(c), pointer<timespec*>(d)));
      return true;
    case SYS_clock_gettime:
      result = clock_gettime(static_cast<clockid_t>(a), pointer<timespec*>(b));
      return true;
    case SYS_gettimeofday:
      result = gettimeofday(pointer<timeval*>(a), pointer<void*>(b));
      return true;
    case SYS_getrandom:
      result = getrandom(pointer<void*>(a), static_cast<size_t>(b), static_cast<unsigned>(c));
      return true;
    case SYS_read:
      result = read(static_cast<int>(a), pointer<void*>(b), static_cast<size_t>(c));
      return true;
    case SYS_write:
      result = write(static_cast<int>(a), pointer<const void*>(b), static_cast<size_t>(c));
      return true;
    case SYS_close:
      result = close(static_cast<int>(a));
      return true;
    case SYS_close_range:
      result = close_range(static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<int>(c));
      return true;
    case SYS_dup3:
      result = dup3(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
      return true;
    case SYS_statx:
      result = statx(static_cast<int>(a), pointer<const char*>(b), static_cast<int>(c),
                     static_cast<unsigned>(d), pointer<struct statx*>(e));
      return true;
    case SYS_gettid:
      result = gettid();
      return true;
    case SYS_getpid:
      note_uncontrolled(channel::kProcessId);
      note_told_id();
      result = getpid();
      return true;
    case SYS_pidfd_open:
      result = REAL(syscall)(SYS_pidfd_open, as_kernel_knows(static_cast<pid_t>(a)), b);
      return true;
    case SYS_getppid:
      result = getppid();
      return true;
    case SYS_getcpu:
      result = getcpu(pointer<unsigned*>(a), pointer<unsigned*>(b));
      return true;
    case SYS_prctl:
      result = prctl(static_cast<int>(a), b, c, d, e);
      return true;
    case SYS_personality:
      result = personality(static_cast<unsigned long>(a));
      return true;
    case SYS_kill:
      result = kill(static_cast<pid_t>(a), static_cast<int>(b));
      return true;
    case SYS_tgkill:
      result = tgkill(static_cast<pid_t>(a), static_cast<pid_t>(b), static_cast<int>(c));
      return true;
    case SYS_tkill:
      result = tgkill(getpid(), static_cast<pid_t>(a), static_cast<int>(b));
      return true;
    case SYS_clone:
      if (a & CLONE_VM) unsupported("a thread was created by the system call clone");
      if (a & ~CSIGNAL) return false;  // namespaces and the like: the kernel's business
      result = _Fork();
      return true;
    case SYS_exit:  // of one thread: the kernel's is that of all
      if (!is_last_thread()) exit_current_thread_at_once();
      [[fallthrough]];
    case SYS_exit_group:
      _exit(static_cast<int>(a));
    default:
      return false;
  }
}

Call call_of(long a, long b, long c, long d, long e, long f, uintptr_t pc) {
  const int flags = static_cast<int>(b);
  return {.word = pointer<uint32_t*>(a),
          .command = flags & FUTEX_CMD_MASK,
          .realtime = (flags & FUTEX_CLOCK_REALTIME) != 0,
          .is_private = (flags & FUTEX_PRIVATE_FLAG) != 0,
          .value = static_cast<int>(c),
          .time = pointer<const timespec*>(d),
          .word2 = pointer<uint32_t*>(e),
          .value3 = static_cast<uint32_t>(f),
          .pc = pc};
}

// Changes what the rewind after a run does not know of; by name, each has a hook that does.
bool changes_process(long number) {
  switch (number) {
    case SYS_clone:
    case SYS_clone3:
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
#endif
    case SYS_execve:
    case SYS_execveat:
    case SYS_unshare:
    case SYS_setns:
    case SYS_chroot:
    case SYS_chdir:
    case SYS_fchdir:
    case SYS_umask:
    case SYS_setsid:
    case SYS_setpgid:
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setreuid:
    case SYS_setregid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setgroups:
    case SYS_setrlimit:
    case SYS_prlimit64:
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_mprotect:
    case SYS_brk:
    case SYS_mlockall:
    case SYS_rt_sigaction:
    case SYS_rt_sigprocmask:
    case SYS_sigaltstack:
    case SYS_seccomp:
    case SYS_capset:
    case SYS_ioprio_set:
    case SYS_set_mempolicy:
    case SYS_setfsuid:
    case SYS_setfsgid:
    case SYS_keyctl:
    case SYS_landlock_restrict_self:
    case SYS_pivot_root:
      return true;
    default:
      return false;
  }
}

// membarrier: the kernel lets a fence run in each thread of the process.
void fence_everywhere(uintptr_t pc) {
  g_scheduler.reach({OpKind::fence, 0, 0, pc});
  g_weak.fence_everywhere(pc);
  g_races.orders_with_all();
}

// Not those that ask what there is, or announce what will be asked for.
bool is_barrier(long command) {
  return command == MEMBARRIER_CMD_GLOBAL || command == MEMBARRIER_CMD_GLOBAL_EXPEDITED ||
         command == MEMBARRIER_CMD_PRIVATE_EXPEDITED ||
         command == MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE;
}

}  // namespace

// By an instruction: see modules/system_call_sites.h. Returns minus the error number, as the kernel
// does.
extern "C" JOSTLE_HIDDEN __attribute__((used)) long jostle_system_call(long number, long a, long b,
                                                                       long c, long d, long e,
                                                                       long f, uintptr_t pc) {
  if (!controlled() || number != SYS_futex) return raw_syscall(number, a, b, c, d, e, f);
  return futex(call_of(a, b, c, d, e, f, pc));
}

// Declared with all arguments instead of `...`: they are in the same places.
JOSTLE_HOOK long jostle_syscall(long number, long a, long b, long c, long d, long e,
                                long f) asm("syscall");

long jostle_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_mmap || number == SYS_shmat) note_memory_of_others();
  if (!controlled()) return REAL(syscall)(number, a, b, c, d, e, f);
  if (number == SYS_futex) return as_errno(futex(call_of(a, b, c, d, e, f, CALLER())));
  long result = 0;
  if (call_by_name(number, a, b, c, d, e, result)) return result;
  if (number == SYS_membarrier && is_barrier(a)) fence_everywhere(CALLER());
  if (number == SYS_seccomp) filters_calls();
  if (call_about_time(number, a, b, c, d, e, result)) return result;
  if (changes_process(number)) needs_own_process("makes system calls by number");
  is_no_step();
  image_open_all();  // what it does and writes to we do not know
  return REAL(syscall)(number, a, b, c, d, e, f);
}
