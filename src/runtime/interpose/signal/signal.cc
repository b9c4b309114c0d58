// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/signal/signal.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/children.h"
#include "src/runtime/interpose/signal/signal_frame.h"
#include "src/runtime/interpose/signal/signal_handler.h"
#include "src/runtime/interpose/thread/kernel_id.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {

volatile sig_atomic_t g_signals_arrived = 0;

namespace {

constexpr ThreadId kWholeProcess = kNoThread;

struct PendingSignal {
  int sig;  // 0: not any more
  ThreadId thread;
  bool for_process;  // the thread is the one that is to handle it
  siginfo_t info;
};

// In the order they were sent. Thread::signals_pending summarises the entries of each thread.
RunVector<PendingSignal> g_pending;
size_t g_removed = 0;
size_t g_first = 0;             // those before it are gone
uint32_t g_of_process[65];      // how many of each number no thread has got yet
uint64_t g_in_kernel = 0;       // signals of signalfds
RunVector<uint64_t> g_awaited;  // by thread id; means something while it is in sigwait
bool g_restart = false;         // see interrupted_calls_restart

// For who explores all schedules. Signals that all threads block, and that wait until somebody asks
// for them (sigwait), are steps like others. What handlers do, and when masks and handlers change,
// is not explored.
bool g_are_sent = false;
bool g_are_handled_otherwise = false;  // from some moment on, with several threads
uint64_t g_open_to_ended = 0;          // signals that threads did not block which have ended

void note_gap() {
  if (g_actions.active()) g_actions.gap(TrailGap::signals, g_current->pending.pc);
}

bool is_ignored(int sig) {
  const struct sigaction& action = *program_action(sig);
  if (action.sa_flags & SA_SIGINFO) return false;
  if (action.sa_handler == SIG_IGN) return true;
  return action.sa_handler == SIG_DFL &&
         (sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT);
}

bool blocks(const Thread& thread, int sig) {
  return signal_bits(thread.signal_mask) & signal_bit(sig);
}

void summarise(Thread& thread) {
  uint64_t pending = 0;
  for (const PendingSignal& entry : g_pending) {
    if (entry.sig && entry.thread == thread.id) pending |= signal_bit(entry.sig);
  }
  thread.signals_pending = set_of(pending);
}

bool is_pending(ThreadId thread, int sig) {
  for (size_t i = g_first; i < g_pending.size(); ++i) {
    if (g_pending[i].sig == sig && g_pending[i].thread == thread) return true;
  }
  return false;
}

uint64_t pending_for_process() {
  uint64_t pending = 0;
  for (int sig = 1; sig <= 64; ++sig) pending |= g_of_process[sig] ? signal_bit(sig) : 0;
  return pending;
}

// The entry stays where it is, without a signal.
void cross_out(PendingSignal& entry) {
  const int sig = entry.sig;
  const ThreadId thread = entry.thread;
  entry.sig = 0;
  ++g_removed;
  while (g_first < g_pending.size() && !g_pending[g_first].sig) ++g_first;
  if (thread == kWholeProcess) {
    --g_of_process[sig];
  } else if (!is_pending(thread, sig)) {
    sigset_t& pending = g_scheduler.thread_at(thread)->signals_pending;
    pending = set_of(signal_bits(pending) & ~signal_bit(sig));
  }
}

// Not before half of the entries are crossed out: queues may be long.
void compact() {
  if (g_removed * 2 < g_pending.size()) return;
  size_t kept = 0;
  for (const PendingSignal& old : g_pending) {
    if (old.sig) g_pending[kept++] = old;
  }
  g_pending.resize(kept);
  g_removed = g_first = 0;
}

size_t pending_count() { return g_pending.size() - g_removed; }

// As many signals as RLIMIT_SIGPENDING may wait. Who sends a number or a thread its own gets
// EAGAIN; kill does not, and its signal only counts as pending.
bool may_queue(int sig, const siginfo_t& info) {
  if (sig < SIGRTMIN || info.si_code == SI_USER || pending_count() < 1024) return true;
  rlimit limit;
  return REAL(getrlimit)(RLIMIT_SIGPENDING, &limit) != 0 || pending_count() < limit.rlim_cur;
}

// Ordinary signals do not queue up.
void add_pending(ThreadId thread, int sig, const siginfo_t& info, bool for_process) {
  // What the sender did comes before what the receiver does about it. A timer is nobody's doing.
  const bool timer = info.si_code == SI_TIMER || info.si_code == SI_KERNEL;
  if (controlled() && !timer) g_races.release(&g_pending);
  if (sig < SIGRTMIN && info.si_code != SI_TIMER && is_pending(thread, sig)) return;
  g_pending.push_back({sig, thread, for_process, info});
  if (thread == kWholeProcess) ++g_of_process[sig];
}

bool stops(int sig) { return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU; }

// Threads in sigwait look at what is pending for the process.
void ask_waiting_threads() {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live) g_scheduler.signal_thread(*thread);
  }
}

void send_to_kernel(int sig, siginfo_t info) {
  REAL(syscall)(SYS_rt_tgsigqueueinfo, kernel_process_id(), REAL(syscall)(SYS_gettid), sig, &info);
  ask_waiting_threads();
  descriptors_changed();
}

bool is_fatal(int sig) {
  const struct sigaction& action = *program_action(sig);
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL && !stops(sig);
}

void send_to_thread(Thread& thread, int sig, const siginfo_t& info, bool for_process = false) {
  if (blocks(thread, sig)) {
    if (g_in_kernel & signal_bit(sig)) return send_to_kernel(sig, info);
  } else {
    if (is_ignored(sig)) return;
    if (is_fatal(sig))
      die_of_signal(sig);  // of the whole process: whose turn it is does not matter
  }
  add_pending(thread.id, sig, info, for_process);
  thread.signals_pending = set_of(signal_bits(thread.signals_pending) | signal_bit(sig));
  g_scheduler.signal_thread(thread);
}

// Linux asks the main thread first, then the others.
Thread* willing_thread(int sig) {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live && !blocks(*thread, sig)) return thread;
  }
  return nullptr;
}

// Null: to the process.
void note_sending(const Thread* target, int sig) {
  g_are_sent = true;
  if (!several_threads()) return;
  const bool is_known = target ? blocks(*target, sig) && !target->detached
                               : !willing_thread(sig) && !(g_open_to_ended & signal_bit(sig));
  if (!is_known || g_are_handled_otherwise || g_in_kernel & signal_bit(sig)) note_gap();
}

void send_to_process(int sig, const siginfo_t& info) {
  if (Thread* thread = willing_thread(sig)) return send_to_thread(*thread, sig, info, true);
  if (g_in_kernel & signal_bit(sig)) return send_to_kernel(sig, info);
  add_pending(kWholeProcess, sig, info, true);
  ask_waiting_threads();
}

siginfo_t info_from_here(int sig, int code) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = sig;
  info.si_code = code;
  info.si_pid = seen_process_id();
  info.si_uid = getuid();
  return info;
}

// ---- handlers -----------------------------------------------------------------------------------

// With a child that may wake it up again it is done. Otherwise nobody would: neither does the
// command, which cannot know what the program is stopped for.
void stop_process(int sig) {
  siginfo_t info;
  if (REAL(waitid)(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    REAL(syscall)(SYS_kill, kernel_process_id(), SIGSTOP);
    return;
  }
  unsupported("the program stops itself with %s, and nobody is there to continue it",
              sig == SIGSTOP   ? "SIGSTOP"
              : sig == SIGTSTP ? "SIGTSTP"
              : sig == SIGTTIN ? "SIGTTIN"
                               : "SIGTTOU");
}

void act_by_default(int sig) {
  switch (sig) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT:
      return;
    default:
      if (!stops(sig)) die_of_signal(sig);
      stop_process(sig);
  }
}

}  // namespace

sigset_t set_of(uint64_t signals) {
  sigset_t set;
  sigemptyset(&set);
  *reinterpret_cast<uint64_t*>(&set) = signals;
  return set;
}

bool is_signal(int sig) { return sig >= 1 && sig <= 64 && sig != 32 && sig != 33; }

uint64_t pending_for(const Thread& thread) {
  return signal_bits(thread.signals_pending) | pending_for_process();
}

bool has_pending(const Thread& thread, uint64_t set) { return pending_for(thread) & set; }

int take_pending(uint64_t set, siginfo_t* info) {
  Thread& self = *g_current;
  const uint64_t candidates = pending_for(self) & set;
  if (!candidates) return 0;
  const int sig = __builtin_ctzll(candidates) + 1;
  size_t first = g_first;
  const auto is_for_self = [&](const PendingSignal& entry) {
    return entry.sig == sig && (entry.thread == self.id || entry.thread == kWholeProcess);
  };
  while (!is_for_self(g_pending[first])) ++first;
  PendingSignal taken = g_pending[first];
  if (taken.info.si_code == SI_TIMER) timer_signal_taken(taken.info);
  g_races.acquire(&g_pending);
  cross_out(g_pending[first]);
  compact();
  if (taken.thread == kWholeProcess) ask_waiting_threads();  // it is not there for them any more
  if (info) *info = taken.info;
  return taken.sig;
}

void claim_process_signals() {
  Thread& self = *g_current;
  if (!(pending_for_process() & ~signal_bits(self.signal_mask))) return;
  for (PendingSignal& entry : g_pending) {
    if (!entry.sig || entry.thread != kWholeProcess || blocks(self, entry.sig)) continue;
    entry.thread = self.id;
    --g_of_process[entry.sig];
  }
  summarise(self);
}

void signals_are_handled_otherwise() {
  if (!several_threads()) return;
  g_are_handled_otherwise = true;
  if (g_are_sent) note_gap();
}

void hand_over_signals() {
  Thread& self = *g_current;
  g_open_to_ended |= ~signal_bits(self.signal_mask);
  if (!signal_bits(self.signals_pending)) return;
  self.signal_mask = set_of(~uint64_t{0});
  for (size_t i = 0; i < g_pending.size(); ++i) {
    const PendingSignal entry = g_pending[i];
    if (!entry.sig || entry.thread != self.id) continue;
    cross_out(g_pending[i]);
    if (entry.for_process) send_to_process(entry.sig, entry.info);
  }
  compact();
}

void discard_ignored(int sig) {
  if (!is_ignored(sig)) return;
  for (PendingSignal& entry : g_pending) {
    if (entry.sig == sig) cross_out(entry);
  }
  compact();
}

void deliver_signals(const Interrupted& interrupted) {
  siginfo_t info;
  bool first = true, restart = true;
  while (const int sig = take_pending(~signal_bits(g_current->signal_mask), &info)) {
    const struct sigaction action = *program_action(sig);
    if (is_handler(action)) {
      run_handler(sig, action, info, interrupted);
      if (first) restart = action.sa_flags & SA_RESTART;
      first = false;
    } else if (action.sa_handler == SIG_DFL) {
      act_by_default(sig);
    }
  }
  g_restart = restart;
}

void deliver_pending_signals(SuspendedWait* interrupted) { deliver_signals({.wait = interrupted}); }

bool interrupted_calls_restart() { return g_restart; }

void signal_self(int sig) {
  send_to_thread(*g_current, sig, info_from_here(sig, SI_USER));
  deliver_pending_signals(nullptr);
}

// ---- the kernel's side --------------------------------------------------------------------------

void keep_in_kernel(uint64_t set) {
  g_in_kernel |= set;
  update_kernel_mask();
  siginfo_t info;
  while (const int sig = take_pending(set & signal_bits(g_current->signal_mask), &info)) {
    send_to_kernel(sig, info);
  }
}

uint64_t signals_kept_in_kernel() { return g_in_kernel; }

void take_from_kernel(uint64_t set) {
  const int saved = errno;
  // glibc's sigtimedwait changes SI_TKILL to SI_USER; here the truth is wanted.
  const timespec no_time = {};
  siginfo_t info;
  while (set) {
    const long sig = REAL(syscall)(SYS_rt_sigtimedwait, &set, &info, &no_time, sizeof set);
    if (sig <= 0) break;
    note_gap();  // from outside, or by a signalfd
    show_sender(info);
    add_pending(kWholeProcess, static_cast<int>(sig), info, true);
  }
  errno = saved;
}

void note_awaited(uint64_t set) {
  const ThreadId id = g_current->id;
  if (id >= g_awaited.size()) g_awaited.resize(id + 1);
  g_awaited[id] = set;
}

uint64_t awaited_signals() {
  uint64_t awaited = 0;
  for (ThreadId id = 0; id < g_awaited.size() && id < g_scheduler.table_size(); ++id) {
    const Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live && thread->in_lot && thread->pending.kind == OpKind::signal_wait) {
      awaited |= g_awaited[id];
    }
  }
  return awaited;
}

void forget_pending_signals() {
  g_pending.clear();
  g_removed = g_first = 0;
  for (uint32_t& count : g_of_process) count = 0;
  forget_handlers_of_others();
  g_current->signals_pending = set_of(0);
  update_kernel_mask();
}

namespace {

// Written by the handler, read by the thread that it interrupts: one kernel thread, no races. A
// full ring loses signals, as the kernel does with ordinary ones.
constexpr unsigned kRing = 64;
JOSTLE_LARGE siginfo_t g_ring[kRing];
volatile unsigned g_ring_head = 0, g_ring_tail = 0;

// In the main executable, the first of the modules. Not so in a library: it may hold a lock.
bool is_in_program(uintptr_t pc) {
  const channel::ModuleRecord& program = g_scheduler.channel().modules[0];
  return pc >= program.begin && pc < program.end;
}

}  // namespace

JOSTLE_SIGNAL_HANDLER void on_arrival(int sig, siginfo_t* info, void* context) {
  const InHandler here;
  if (g_ring_head - g_ring_tail < kRing) {
    siginfo_t& arrived = g_ring[g_ring_head % kRing];
    arrived = *info;
    arrived.si_signo = sig;
    show_sender(arrived);
    g_ring_head = g_ring_head + 1;
  }
  g_signals_arrived = 1;
  if (!controlled() || !is_in_program(interrupted_at(*static_cast<ucontext_t*>(context)))) return;
  // The program's own code, far from any hook: a loop, perhaps, that waits for just this.
  return_to_arrived_handlers(sig, info, context);
}

bool signals_may_come() {
  return has_living_relative() && (has_handlers() || awaited_signals() != 0);
}

bool send_from_timer(Thread* thread, const siginfo_t& info) {
  const auto counts = [&info] {
    size_t count = 0;
    for (const PendingSignal& entry : g_pending) count += entry.sig == info.si_signo;
    return count;
  };
  const size_t before = counts();
  if (thread) {
    send_to_thread(*thread, info.si_signo, info);
  } else {
    send_to_process(info.si_signo, info);
  }
  return counts() > before;
}

void comes_before_signals() { g_races.release(&g_pending); }

bool would_be_fatal(int sig) { return !is_ignored(sig) && is_fatal(sig); }

// The scheduler knows threads only by other names than the one gettid gives them.
Thread* thread_with_kernel_id(pid_t kernel_id) {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live && kernel_id_of(*thread) == kernel_id) return thread;
  }
  return nullptr;
}

bool accept_arrived_signals() {
  bool any = false;
  if (const uint64_t awaited = awaited_signals()) {
    const size_t before = g_pending.size();
    take_from_kernel(awaited);
    any = g_pending.size() > before;
    if (any) ask_waiting_threads();
  }
  if (!g_signals_arrived) return any;
  g_signals_arrived = 0;
  while (g_ring_tail != g_ring_head) {
    const siginfo_t info = g_ring[g_ring_tail % kRing];
    g_ring_tail = g_ring_tail + 1;
    send_to_process(info.si_signo, info);
    any = true;
  }
  return any;
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

namespace {

bool is_this_process(pid_t process) { return as_kernel_knows(process) == kernel_process_id(); }

void reach_sending(uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::thread_signal, nullptr, pc));
}

// What remains to do for the sender, who may be a receiver.
void after_sending() { deliver_pending_signals(nullptr); }

int as_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int send_to(Thread* thread, int sig, const siginfo_t& info, uintptr_t pc) {
  if (sig != 0 && !is_signal(sig)) return EINVAL;
  if (thread && sig == 0) return 0;
  if (thread) {
    const pthread_t handle = thread->self;
    reach_sending(pc);
    thread = g_scheduler.find(handle);  // somebody may have joined it meanwhile
  }
  if (!thread) {
    note_gap();  // what would have become of the signal is not known
    return ESRCH;
  }
  note_sending(thread, sig);
  if (thread->finished) return 0;  // ended, but not joined yet
  if (!may_queue(sig, info)) return EAGAIN;
  send_to_thread(*thread, sig, info);
  after_sending();
  return 0;
}

int send_to_own_process(int sig, const siginfo_t& info, uintptr_t pc) {
  if (sig == 0) return 0;
  if (!is_signal(sig)) return EINVAL;
  reach_sending(pc);
  note_sending(nullptr, sig);
  if (!may_queue(sig, info)) return EAGAIN;
  if (sig == SIGKILL || sig == SIGSTOP) {
    act_by_default(sig);
  } else {
    send_to_process(sig, info);
  }
  after_sending();
  return 0;
}

}  // namespace

JOSTLE_HOOK int raise(int sig) noexcept {
  if (!controlled()) return REAL(raise)(sig);
  return as_errno(send_to(g_current, sig, info_from_here(sig, SI_TKILL), CALLER()));
}
JOSTLE_ALIAS(gsignal, raise);

JOSTLE_HOOK int pthread_kill(pthread_t handle, int sig) noexcept {
  if (!controlled()) return REAL(pthread_kill)(handle, sig);
  return send_to(g_scheduler.find(handle), sig, info_from_here(sig, SI_TKILL), CALLER());
}

JOSTLE_HOOK int pthread_sigqueue(pthread_t handle, int sig, const sigval value) noexcept {
  if (!controlled()) return REAL(pthread_sigqueue)(handle, sig, value);
  siginfo_t info = info_from_here(sig, SI_QUEUE);
  info.si_value = value;
  return send_to(g_scheduler.find(handle), sig, info, CALLER());
}

JOSTLE_HOOK int kill(pid_t process, int sig) noexcept {
  if (!controlled()) return REAL(kill)(process, sig);
  if (is_this_process(process)) {
    return as_errno(send_to_own_process(sig, info_from_here(sig, SI_USER), CALLER()));
  }
  const int result = REAL(kill)(process_or_group_as_kernel_knows(process), sig);
  // The kernel has given it to this process as well: its handler runs before the call returns.
  const bool is_among_them = process == 0 || process == -1 || process == -getpgrp();
  if (result == 0 && is_among_them) {
    accept_arrived_signals();
    after_sending();
  }
  return result;
}

JOSTLE_HOOK int killpg(pid_t group, int sig) noexcept {
  if (!controlled() || group < 0) return REAL(killpg)(group, sig);
  return kill(-group, sig);
}

JOSTLE_HOOK int tgkill(pid_t process, pid_t thread, int sig) {
  if (!controlled() || !is_this_process(process)) {
    return REAL(tgkill)(as_kernel_knows(process), as_kernel_knows(thread), sig);
  }
  if (thread <= 0) return as_errno(EINVAL);
  return as_errno(
      send_to(thread_with_kernel_id(thread), sig, info_from_here(sig, SI_TKILL), CALLER()));
}

JOSTLE_HOOK int sigqueue(pid_t process, int sig, const sigval value) noexcept {
  if (!controlled() || !is_this_process(process)) {
    return REAL(sigqueue)(as_kernel_knows(process), sig, value);
  }
  siginfo_t info = info_from_here(sig, SI_QUEUE);
  info.si_value = value;
  return as_errno(send_to_own_process(sig, info, CALLER()));
}
