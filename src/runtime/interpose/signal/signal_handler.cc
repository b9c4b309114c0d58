// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/signal/signal_handler.h"

#include <errno.h>
#include <string.h>

#include "src/base/engine_memory.h"
#include "src/runtime/fiber/handler_stack.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/signal/signal_frame.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/unseen_loop.h"
#include "src/runtime/scheduler/waits/interruption.h"

namespace jostle::rt {
namespace {

// ---- alternate stacks --------------------------------------------------------------------------
// The kernel's is ours. The program's are where its handlers run that want one.

constexpr int kDisarmsItself = static_cast<int>(1u << 31);  // SS_AUTODISARM

struct AlternateStack {
  uint32_t thread = UINT32_MAX;  // index of the thread that set it
  stack_t stack = {};
};
RunVector<AlternateStack> g_alternate_stacks;  // by thread id

stack_t no_stack() {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  return none;
}

stack_t alternate_stack_of(const Thread& thread) {
  if (thread.id >= g_alternate_stacks.size()) return no_stack();
  const AlternateStack& entry = g_alternate_stacks[thread.id];
  return entry.thread == thread.index ? entry.stack : no_stack();
}

void set_alternate_stack(const Thread& thread, const stack_t& stack) {
  if (thread.id >= g_alternate_stacks.size()) g_alternate_stacks.resize(thread.id + 1);
  g_alternate_stacks[thread.id] = {thread.index, stack};
}

bool is_on(const stack_t& stack, uintptr_t sp) {
  const auto begin = reinterpret_cast<uintptr_t>(stack.ss_sp);
  return !(stack.ss_flags & (SS_DISABLE | kDisarmsItself)) && sp > begin &&
         sp - begin <= stack.ss_size;
}

// Where the handler's stack ends; 0: it runs where the thread is, at `sp`.
uintptr_t top_for(const struct sigaction& action, const stack_t& alternate, uintptr_t sp) {
  if (!(action.sa_flags & SA_ONSTACK) || (alternate.ss_flags & SS_DISABLE)) return 0;
  if (is_on(alternate, sp)) return 0;
  return (reinterpret_cast<uintptr_t>(alternate.ss_sp) + alternate.ss_size) & ~uintptr_t{15};
}

// ---- handlers that are running -----------------------------------------------------------------

struct Record {
  uint32_t thread;       // index: unique in the run
  uintptr_t limit;       // the frames of the handler are below
  sigset_t mask;         // to return to
  SuspendedWait* waits;  // those of the thread's that were there before
  stack_t alternate;     // to be armed again
  bool disarmed;
  uint32_t call_floor;
};
RunVector<Record> g_running;  // innermost last

void remove(size_t i) {
  for (size_t j = i + 1; j < g_running.size(); ++j) g_running[j - 1] = g_running[j];
  g_running.pop_back();
}

// The innermost of the current thread; g_running.size(): none.
size_t innermost() {
  for (size_t i = g_running.size(); i-- > 0;) {
    if (g_running[i].thread == g_current->index) return i;
  }
  return g_running.size();
}

// From the call of a handler until it returns, or the thread's end unwinds it.
class Running {
 public:
  explicit Running(const Record& record) { g_running.push_back(record); }
  ~Running() {
    const size_t i = innermost();
    if (i == g_running.size()) return;
    const Record record = g_running[i];
    remove(i);
    Thread& self = *g_current;
    self.calls.set_floor(record.call_floor);
    if (record.disarmed) set_alternate_stack(self, record.alternate);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

// What a hook can say about itself: where the program called it, and the registers that calls
// preserve.
void describe_hook(ucontext_t& context, const Thread& self, const sigset_t& mask,
                   const stack_t& alternate) {
  REAL(getcontext)(&context);
  set_interrupted(context, self.pending.pc,
                  reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  mask_in(context) = signal_bits(mask);
  context.uc_stack = alternate;
}

void without_information(int sig, siginfo_t*, void* handler) {
  reinterpret_cast<sighandler_t>(handler)(sig);
}

}  // namespace

bool is_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void run_handler(int sig, const struct sigaction& action, siginfo_t& info,
                 const Interrupted& interrupted) {
  Thread& self = *g_current;
  if (action.sa_flags & static_cast<int>(SA_RESETHAND)) set_program_action(sig, {});
  const sigset_t mask = self.signal_mask;
  const stack_t alternate = alternate_stack_of(self);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const uintptr_t top = interrupted.placed ? 0 : top_for(action, alternate, here);
  const bool disarms = (alternate.ss_flags & kDisarmsItself) && (action.sa_flags & SA_ONSTACK) &&
                       !(alternate.ss_flags & SS_DISABLE);
  const uint32_t frames = self.calls.frames();
  {
    const Running running({self.index, top ? top : here, mask,
                           interrupted.wait ? interrupted.wait->outer : self.suspended, alternate,
                           disarms, self.calls.floor()});
    self.calls.set_floor(frames);
    if (disarms) set_alternate_stack(self, no_stack());
    const uint64_t own = action.sa_flags & SA_NODEFER ? 0 : signal_bit(sig);
    const uint64_t during = signal_bits(mask) | signal_bits(action.sa_mask) | own;
    self.signal_mask = set_of(during);
    // What is pending besides, and not blocked by this handler, interrupts it before it begins.
    if (has_deliverable_signal(self)) deliver_pending_signals(nullptr);
    ucontext_t of_hook;
    ucontext_t* context = interrupted.context;
    if (!context && (action.sa_flags & SA_SIGINFO)) {
      describe_hook(of_hook, self, mask, alternate);
      context = &of_hook;
    } else if (context) {
      mask_in(*context) = signal_bits(mask);
    }
    const bool informed = action.sa_flags & SA_SIGINFO;
    void* const last = informed ? context : reinterpret_cast<void*>(action.sa_handler);
    const SignalFunction function = informed ? action.sa_sigaction : without_information;
    if (top) {
      jostle_call_on_stack(reinterpret_cast<void*>(top), function, sig, &info, last);
    } else {
      function(sig, &info, last);
    }
    // The handler may have asked for another mask behind it.
    const uint64_t after = context ? mask_in(*context) : signal_bits(mask);
    const bool changed = signal_bits(self.signal_mask) != during || after != signal_bits(mask);
    self.signal_mask = set_of(after & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP)));
    if (changed) update_kernel_mask();
  }
  self.calls.set_frames(frames);
}

// ---- from the kernel's frame to the program's --------------------------------------------------

namespace {

// While a frame is being written; a fault then means that there is no such memory.
volatile bool g_writing_frame = false;

bool place_frame(int sig, siginfo_t* info, void* context, const struct sigaction& action,
                 SignalFunction function) {
  if (g_writing_frame) {
    g_writing_frame = false;
    return false;
  }
  const Thread& self = *g_current;
  const uintptr_t sp = interrupted_stack(*static_cast<ucontext_t*>(context));
  const stack_t alternate = alternate_stack_of(self);
  const uintptr_t top = top_for(action, alternate, sp);
  // A stack that has overflowed has no room for handlers; behind its guard may lie somebody else's.
  uintptr_t lowest = 0;
  if (top || is_on(alternate, sp)) {
    lowest = reinterpret_cast<uintptr_t>(alternate.ss_sp);
  } else if (sp < self.stack_end && sp >= self.stack_begin - self.stack.guard) {
    lowest = self.stack_begin;
  }
  g_writing_frame = true;
  const bool placed = return_to_handler(sig, info, context, top, lowest, function);
  g_writing_frame = false;
  return placed;
}

// Back to what was interrupted, with the mask that the kernel has now.
void finish(ucontext_t& frame) {
  if (has_deliverable_signal(*g_current)) deliver_signals({.context = &frame});
  sigset_t now;
  kernel_signal_mask(SIG_BLOCK, nullptr, &now);
  mask_in(frame) = signal_bits(now);
}

// An access is announced before it is made. One that faults has not been made: the handler may jump
// away, and others may run in it. When it returns to the same instruction the access is repeated.
class Faulted {
 public:
  Faulted(int sig, const siginfo_t& info) {
    // The kernel says which memory it was; a signal that somebody sent says nothing.
    if ((sig != SIGSEGV && sig != SIGBUS) || info.si_code <= 0) return;
    const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
    access_ = g_races.faulted(address);
    channel::TraceEvent* const event = g_current->unread_value;
    if (!event || address - event->object >= event->size) return;
    unread_value_ = event;
    g_current->unread_value = nullptr;
  }
  void repeats() const {
    g_races.repeats(access_);
    if (unread_value_) g_current->unread_value = unread_value_;
  }

 private:
  race::Access access_;
  channel::TraceEvent* unread_value_ = nullptr;
};

void run_fault_handler(int sig, siginfo_t* info, void* context) {
  auto& frame = *static_cast<ucontext_t*>(context);
  const Faulted faulted(sig, *info);
  const uintptr_t at = interrupted_at(frame);
  const struct sigaction action = *program_action(sig);
  const stack_t kernels = frame.uc_stack;
  frame.uc_stack = alternate_stack_of(*g_current);
  run_handler(sig, action, *info, {.context = &frame, .placed = true});
  frame.uc_stack = kernels;
  if (interrupted_at(frame) == at) faulted.repeats();
  finish(frame);
}

void run_arrived_handlers(int, siginfo_t*, void* context) {
  auto& frame = *static_cast<ucontext_t*>(context);
  accept_arrived_signals();
  deliver_signals({.context = &frame});
  finish(frame);
}

void give_way(int, siginfo_t*, void* context) {
  auto& frame = *static_cast<ucontext_t*>(context);
  g_scheduler.give_way_in_loop(function_begin(interrupted_at(frame)));
  finish(frame);
}

}  // namespace

bool give_way_behind_handler(int sig, siginfo_t* info, void* context) {
  if (!controlled() || !g_scheduler.others_may_go_on()) return false;
  struct sigaction plain = {};
  return place_frame(sig, info, context, plain, give_way);
}

bool return_to_program_handler(int sig, siginfo_t* info, void* context) {
  const Thread& self = *g_current;
  if (signal_bits(self.signal_mask) & signal_bit(sig)) return false;
  return place_frame(sig, info, context, *program_action(sig), run_fault_handler);
}

bool return_to_arrived_handlers(int sig, siginfo_t* info, void* context) {
  struct sigaction plain = {};
  return place_frame(sig, info, context, plain, run_arrived_handlers);
}

void forget_handlers_of_others() {
  for (size_t i = g_running.size(); i-- > 0;) {
    if (g_running[i].thread != g_current->index) remove(i);
  }
}

void leave_handlers(uintptr_t from, uintptr_t to) {
  if (g_running.size() == 0) return;
  for (size_t i; (i = innermost()) != g_running.size();) {
    const Record record = g_running[i];
    if (from <= to && to < record.limit) return;  // a jump within the handler
    remove(i);
    Thread& self = *g_current;
    self.signal_mask = record.mask;
    self.calls.set_floor(record.call_floor);
    if (record.disarmed) set_alternate_stack(self, record.alternate);
    g_scheduler.abandon_waits(record.waits);
  }
}

}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  if (!controlled()) return REAL(sigaltstack)(stack, old);
  const Thread& self = *g_current;
  stack_t before = alternate_stack_of(self);
  const bool inside = is_on(before, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  if (stack) {
    const int mode = stack->ss_flags & ~kDisarmsItself;
    if (inside) return errno = EPERM, -1;
    // SS_ONSTACK says nothing here, and is taken.
    if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0) return errno = EINVAL, -1;
    if (mode != SS_DISABLE && stack->ss_size < 2048) return errno = ENOMEM, -1;
    stack_t wanted = *stack;
    wanted.ss_flags &= kDisarmsItself;
    set_alternate_stack(self, mode == SS_DISABLE ? no_stack() : wanted);
  }
  if (inside) before.ss_flags |= SS_ONSTACK;
  if (old) *old = before;
  return 0;
}
