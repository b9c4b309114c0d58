#include "src/runtime/interpose/signal.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "src/base/kept.h"
#include "src/runtime/interpose/alias.h"
#include "src/runtime/interpose/children.h"
#include "src/runtime/interpose/descriptor_wait.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/interpose/kernel_id.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {

volatile sig_atomic_t g_signals_arrived = 0;

namespace {

constexpr ThreadId kWholeProcess = kNoThread;

struct PendingSignal {
  int sig;
  ThreadId thread;
  siginfo_t info;
};

// In the order they were sent. Thread::signals_pending summarises the entries of each thread.
RunVector<PendingSignal> g_pending;
uint64_t g_in_kernel = 0;       // signals of signalfds
RunVector<uint64_t> g_awaited;  // by thread id; means something while it is in sigwait
bool g_restart = false;

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
    if (entry.thread == thread.id) pending |= signal_bit(entry.sig);
  }
  thread.signals_pending = set_of(pending);
}

void remove(size_t i) {
  for (size_t j = i + 1; j < g_pending.size(); ++j) g_pending[j - 1] = g_pending[j];
  g_pending.pop_back();
}

// Ordinary signals do not queue up.
bool is_pending(ThreadId thread, int sig) {
  for (const PendingSignal& entry : g_pending) {
    if (entry.thread == thread && entry.sig == sig) return true;
  }
  return false;
}

void add_pending(ThreadId thread, int sig, const siginfo_t& info) {
  // What the sender did comes before what the receiver does about it. A timer is nobody's doing.
  const bool timer = info.si_code == SI_TIMER || info.si_code == SI_KERNEL;
  if (controlled() && !timer) g_races.release(&g_pending);
  if (sig >= SIGRTMIN || info.si_code == SI_TIMER || !is_pending(thread, sig))
    g_pending.push_back({sig, thread, info});
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
  REAL(syscall)(SYS_rt_tgsigqueueinfo, getpid(), REAL(syscall)(SYS_gettid), sig, &info);
  ask_waiting_threads();
  descriptors_changed();
}

bool is_fatal(int sig) {
  const struct sigaction& action = *program_action(sig);
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL && !stops(sig);
}

void send_to_thread(Thread& thread, int sig, const siginfo_t& info) {
  if (blocks(thread, sig)) {
    if (g_in_kernel & signal_bit(sig)) return send_to_kernel(sig, info);
  } else {
    if (is_ignored(sig)) return;
    if (is_fatal(sig))
      die_of_signal(sig);  // of the whole process: whose turn it is does not matter
  }
  add_pending(thread.id, sig, info);
  summarise(thread);
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

void send_to_process(int sig, const siginfo_t& info) {
  if (Thread* thread = willing_thread(sig)) return send_to_thread(*thread, sig, info);
  if (g_in_kernel & signal_bit(sig)) return send_to_kernel(sig, info);
  add_pending(kWholeProcess, sig, info);
  ask_waiting_threads();
}

siginfo_t info_from_here(int sig, int code) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = sig;
  info.si_code = code;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

// ---- handlers -----------------------------------------------------------------------------------

// Handlers that are running, innermost last, with the mask to return to.
struct RunningHandler {
  uint32_t thread;  // index: unique in the run
  sigset_t mask;
};
RunVector<RunningHandler> g_running;

// Removes the innermost of the current thread.
bool pop_running(sigset_t& mask) {
  for (size_t i = g_running.size(); i-- > 0;) {
    if (g_running[i].thread != g_current->index) continue;
    mask = g_running[i].mask;
    for (size_t j = i + 1; j < g_running.size(); ++j) g_running[j - 1] = g_running[j];
    g_running.pop_back();
    return true;
  }
  return false;
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
      REAL(syscall)(SYS_kill, getpid(), SIGSTOP);
  }
}

void handle(int sig, siginfo_t& info) {
  const struct sigaction action = *program_action(sig);
  if (!(action.sa_flags & SA_SIGINFO)) {
    if (action.sa_handler == SIG_IGN) return;
    if (action.sa_handler == SIG_DFL) return act_by_default(sig);
  }
  if (action.sa_flags & static_cast<int>(SA_RESETHAND)) set_program_action(sig, {});
  Thread& self = *g_current;
  const sigset_t mask = self.signal_mask;
  g_running.push_back({self.index, mask});
  const uint64_t own = action.sa_flags & SA_NODEFER ? 0 : signal_bit(sig);
  self.signal_mask = set_of(signal_bits(self.signal_mask) | signal_bits(action.sa_mask) | own);
  if (action.sa_flags & SA_SIGINFO) {
    ucontext_t context;
    memset(&context, 0, sizeof context);
    action.sa_sigaction(sig, &info, &context);
  } else {
    action.sa_handler(sig);
  }
  sigset_t unused;
  pop_running(unused);
  self.signal_mask = mask;
  g_restart = g_restart && (action.sa_flags & SA_RESTART);
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
  uint64_t pending = signal_bits(thread.signals_pending);
  for (const PendingSignal& entry : g_pending) {
    if (entry.thread == kWholeProcess) pending |= signal_bit(entry.sig);
  }
  return pending;
}

bool has_pending(const Thread& thread, uint64_t set) { return pending_for(thread) & set; }

int take_pending(uint64_t set, siginfo_t* info) {
  Thread& self = *g_current;
  size_t best = g_pending.size();
  for (size_t i = 0; i < g_pending.size(); ++i) {
    const PendingSignal& entry = g_pending[i];
    if (entry.thread != self.id && entry.thread != kWholeProcess) continue;
    if (!(set & signal_bit(entry.sig))) continue;
    if (best == g_pending.size() || entry.sig < g_pending[best].sig) best = i;
  }
  if (best == g_pending.size()) return 0;
  PendingSignal taken = g_pending[best];
  if (taken.info.si_code == SI_TIMER) timer_signal_taken(taken.info);
  g_races.acquire(&g_pending);
  remove(best);
  summarise(self);
  if (info) *info = taken.info;
  return taken.sig;
}

void claim_process_signals() {
  Thread& self = *g_current;
  for (PendingSignal& entry : g_pending) {
    if (entry.thread == kWholeProcess && !blocks(self, entry.sig)) entry.thread = self.id;
  }
  summarise(self);
}

void deliver_pending_signals() {
  g_restart = true;
  siginfo_t info;
  while (const int sig = take_pending(~signal_bits(g_current->signal_mask), &info))
    handle(sig, info);
}

bool interrupted_calls_restart() { return g_restart; }

void signal_self(int sig) {
  send_to_thread(*g_current, sig, info_from_here(sig, SI_USER));
  deliver_pending_signals();
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
    add_pending(kWholeProcess, static_cast<int>(sig), info);
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
  g_running.clear();
  g_current->signals_pending = set_of(0);
  update_kernel_mask();
}

namespace {

// Written by the handler, read by the thread that it interrupts: one kernel thread, no races. A
// full ring loses signals, as the kernel does with ordinary ones.
constexpr unsigned kRing = 64;
JOSTLE_LARGE siginfo_t g_ring[kRing];
volatile unsigned g_ring_head = 0, g_ring_tail = 0;

uintptr_t interrupted_at(const ucontext_t& context) {
#if defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#endif
}

// In the main executable, the first of the modules. Not so in a library: it may hold a lock.
bool is_in_program(uintptr_t pc) {
  const channel::ModuleRecord& program = g_scheduler.channel().modules[0];
  return pc >= program.begin && pc < program.end;
}

}  // namespace

JOSTLE_SIGNAL_HANDLER void on_arrival(int sig, siginfo_t* info, void* context) {
  if (g_ring_head - g_ring_tail < kRing) {
    g_ring[g_ring_head % kRing] = *info;
    g_ring[g_ring_head % kRing].si_signo = sig;
    g_ring_head = g_ring_head + 1;
  }
  g_signals_arrived = 1;
  auto* interrupted = static_cast<ucontext_t*>(context);
  if (!controlled() || !is_in_program(interrupted_at(*interrupted))) return;
  // The program's own code, far from any hook: a loop, perhaps, that waits for just this. The
  // kernel goes back to the mask of before, because other threads may run before the handler
  // returns.
  const int saved = errno;
  kernel_signal_mask(SIG_SETMASK, &interrupted->uc_sigmask, nullptr);
  accept_arrived_signals();
  deliver_pending_signals();
  errno = saved;
}

bool signals_may_come() {
  return has_living_child() && (has_handlers() || awaited_signals() != 0);
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

void reach_sending(uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::thread_signal, nullptr, pc));
}

// What remains to do for the sender, who may be a receiver.
void after_sending() { deliver_pending_signals(); }

int as_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int send_to(Thread* thread, int sig, const siginfo_t& info, uintptr_t pc) {
  if (sig != 0 && !is_signal(sig)) return EINVAL;
  if (!thread) return ESRCH;
  if (sig == 0) return 0;
  reach_sending(pc);
  if (thread->finished) return 0;  // ended, but not joined yet
  send_to_thread(*thread, sig, info);
  after_sending();
  return 0;
}

int send_to_own_process(int sig, const siginfo_t& info, uintptr_t pc) {
  if (sig == 0) return 0;
  if (!is_signal(sig)) return EINVAL;
  reach_sending(pc);
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
  if (!controlled() || process != getpid()) return REAL(kill)(process, sig);
  return as_errno(send_to_own_process(sig, info_from_here(sig, SI_USER), CALLER()));
}

JOSTLE_HOOK int tgkill(pid_t process, pid_t thread, int sig) {
  if (!controlled() || process != getpid()) return REAL(tgkill)(process, thread, sig);
  if (thread <= 0) return as_errno(EINVAL);
  return as_errno(
      send_to(thread_with_kernel_id(thread), sig, info_from_here(sig, SI_TKILL), CALLER()));
}

JOSTLE_HOOK int sigqueue(pid_t process, int sig, const sigval value) noexcept {
  if (!controlled() || process != getpid()) return REAL(sigqueue)(process, sig, value);
  siginfo_t info = info_from_here(sig, SI_QUEUE);
  info.si_value = value;
  return as_errno(send_to_own_process(sig, info, CALLER()));
}

// ---- jumping out of a handler -------------------------------------------------------------------

namespace {

// siglongjmp restores the mask that sigsetjmp saved; out of a handler, that is the one from before.
void leave_handler(const __jmp_buf_tag* target) {
  sigset_t mask;
  if (target->__mask_was_saved) kernel_changes(kChangesMask);
  if (controlled() && pop_running(mask) && target->__mask_was_saved) g_current->signal_mask = mask;
}

}  // namespace

extern "C" [[noreturn]] void __longjmp_chk(__jmp_buf_tag* target, int value) noexcept;

JOSTLE_HOOK void siglongjmp(__jmp_buf_tag* target, int value) noexcept {
  leave_handler(target);
  REAL(siglongjmp)(target, value);
  __builtin_unreachable();
}
JOSTLE_ALIAS(longjmp, siglongjmp);
JOSTLE_ALIAS(_longjmp, siglongjmp);

JOSTLE_HOOK void __longjmp_chk(__jmp_buf_tag* target, int value) noexcept {
  leave_handler(target);
  REAL(__longjmp_chk)(target, value);
  __builtin_unreachable();
}
