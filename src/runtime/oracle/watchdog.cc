// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/watchdog.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "src/base/hash.h"
#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/runtime/libc/own_signal.h"
#include "src/runtime/libc/real.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/oracle/unseen_loop.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"

namespace jostle::rt {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kTick = 1000 * kMillisecond;
constexpr uint64_t kLook = 2 * kMillisecond;
// For loops that others may end, and how long threads are left in one that is known.
constexpr uint64_t kEarlyTick = 100 * kMillisecond;
constexpr uint64_t kShortTick = kMillisecond / 2;
constexpr uint64_t kShortWait = 2 * kMillisecond;

// So many looks that find a state again, and none that finds another one at the same place.
constexpr uint32_t kEnough = 50;
constexpr uint32_t kMostLooks = 400;
constexpr uint32_t kPlaces = 64;
constexpr uint32_t kMostLoops = 16;
constexpr uintptr_t kMostStack = 32 << 10;

struct Place {
  uintptr_t pc;
  uint64_t state;
};

struct Watchdog {
  int timer;
  uint64_t tick;    // between two looks at what is usual
  uint64_t silent;  // without a hook for so long, a run is looked at in any case
  uint64_t limit;   // of one run
  uint64_t run;     // the number that it heard last
  // Of the run that it watches:
  uint64_t watched;
  uint64_t elapsed;
  uint64_t events;
  uint64_t still;  // for so long it has reached no hook
  bool looks;      // every other millisecond
  uint32_t looked, found_again;
  uint32_t place_count;
  Place places[kPlaces];
  // Functions with loops in which threads waited for others.
  uint32_t loop_count;
  uintptr_t loops[kMostLoops];
};
JOSTLE_KEPT Watchdog g_watchdog;

uintptr_t pc_of(const ucontext_t& context) {
#if defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#endif
}

uint64_t hash_words(uint64_t hash, uintptr_t begin, uintptr_t end) {
  for (uintptr_t p = begin & ~uintptr_t{7}; p + 8 <= end; p += 8) {
    hash = combine(hash, *reinterpret_cast<const uint64_t*>(p));
  }
  return hash;
}

// Floating point and vector registers, as the kernel has saved them beside the others.
uint64_t vector_registers(const ucontext_t& context) {
#if defined(__aarch64__)
  // Records, each with its kind and its size; one of size 0 ends them.
  const auto begin = reinterpret_cast<uintptr_t>(context.uc_mcontext.__reserved);
  uint64_t hash = 0;
  for (uintptr_t at = begin; at + 8 <= begin + sizeof context.uc_mcontext.__reserved;) {
    const uint32_t size = reinterpret_cast<const uint32_t*>(at)[1];
    if (size == 0) break;
    hash = hash_words(hash, at, at + size);
    at += size;
  }
  return hash;
#else
  const auto saved = reinterpret_cast<uintptr_t>(context.uc_mcontext.fpregs);
  if (!saved) return 0;
  // What fxsave has always saved, and what the kernel says at its end of the rest.
  constexpr uintptr_t kLegacySize = 512, kMagicAt = 464, kSizeAt = 480;
  constexpr uint32_t kExtended = 0x46505853;
  const bool extended = *reinterpret_cast<const uint32_t*>(saved + kMagicAt) == kExtended;
  const uint32_t size = *reinterpret_cast<const uint32_t*>(saved + kSizeAt);
  return hash_words(0, saved, saved + (extended && size > kLegacySize ? size : kLegacySize));
#endif
}

uint64_t state_of(const ucontext_t& context, const Thread& thread) {
  uint64_t hash = vector_registers(context);
#if defined(__aarch64__)
  for (const auto each : context.uc_mcontext.regs) hash = combine(hash, each);
  const uintptr_t sp = context.uc_mcontext.sp;
#else
  for (int i = REG_R8; i <= REG_RSP; ++i) {
    hash = combine(hash, static_cast<uint64_t>(context.uc_mcontext.gregs[i]));
  }
  const auto sp = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#endif
  constexpr uintptr_t kRedZone = 128;
  if (sp - kRedZone < thread.stack_begin || sp >= thread.stack_end) return 0;
  const uintptr_t end = thread.stack_end - sp > kMostStack ? sp + kMostStack : thread.stack_end;
  hash = hash_words(hash, sp - kRedZone, end);
  return hash ? hash : 1;
}

void set_period(uint64_t nanoseconds) {
  const timespec time{static_cast<time_t>(nanoseconds / 1'000'000'000),
                      static_cast<long>(nanoseconds % 1'000'000'000)};
  const itimerspec when{time, time};
  REAL(syscall)(SYS_timer_settime, g_watchdog.timer, 0, &when, nullptr);
}

void stop_looking(Watchdog& w) {
  if (w.looks) set_period(w.tick);
  w.looks = false;
}

void start_looking(Watchdog& w) {
  w.looks = true;
  w.looked = w.found_again = w.place_count = 0;
  set_period(kLook);
}

// One look at a run that reaches no hook. True: it has only been met in states where it was before.
bool is_endless(Watchdog& w, const ucontext_t& context) {
  const uintptr_t pc = pc_of(context);
  if (is_own_code(pc)) return false;
  // Code that is not instrumented may keep what changes in memory that nobody looks at. Loops of
  // iterations that depend on each other wait in OpenMP's library without a hook.
  const bool is_known = is_instrumented_code(pc) || is_openmp_library(pc);
  const uint64_t state = is_known ? state_of(context, *g_current) : 0;
  if (state == 0 || ++w.looked > kMostLooks) {
    stop_looking(w);
    return false;
  }
  for (uint32_t i = 0; i < w.place_count; ++i) {
    if (w.places[i].pc != pc) continue;
    if (w.places[i].state == state) return ++w.found_again >= kEnough;
    stop_looking(w);
    return false;
  }
  if (w.place_count < kPlaces) w.places[w.place_count++] = {pc, state};
  return false;
}

// The handler may end the run: its mask is not the run's to keep.
void leave_handler() {
  leaves_handler();
  if (in_process_run()) kernel_changes(kChangesSignals);
}

bool is_known_loop(const Watchdog& w, uintptr_t pc) {
  const uintptr_t function = w.loop_count != 0 ? function_begin(pc) : 0;
  for (uint32_t i = 0; function != 0 && i < w.loop_count; ++i) {
    if (w.loops[i] == function) return true;
  }
  return false;
}

void learn_loop(Watchdog& w, uintptr_t pc) {
  if (w.loop_count == kMostLoops || is_known_loop(w, pc)) return;
  w.loops[w.loop_count++] = function_begin(pc);
  if (w.tick > kShortTick) w.tick = kShortTick;
}

JOSTLE_SIGNAL_HANDLER void on_watchdog(int sig, siginfo_t* info, void* argument) {
  if (!g_current) return;
  const InHandler here;
  Watchdog& w = g_watchdog;
  const auto& context = *static_cast<const ucontext_t*>(argument);
  const uint64_t events = g_scheduler.total_events();
  if (w.run != w.watched) {
    w.watched = w.run;
    w.elapsed = w.still = 0;
    w.events = events;
    return stop_looking(w);
  }
  const uintptr_t pc = pc_of(context);
  if (events != w.events) {
    w.events = events;
    w.still = 0;
    if (w.looks) return stop_looking(w);
  } else if (w.looks) {
    if (!is_endless(w, context)) return;
    if (give_way_behind_handler(sig, info, argument)) {
      learn_loop(w, pc);
      return stop_looking(w);
    }
    if (g_scheduler.others_may_go_on()) return stop_looking(w);  // there was no room to give way
    leave_handler();
    end_endless_run(pc);
  } else {
    w.still += w.tick;
    if (w.still >= kShortWait && is_known_loop(w, pc) &&
        give_way_behind_handler(sig, info, argument)) {
      w.still = 0;
      return;
    }
    const bool may_wait = w.still >= 2 * kEarlyTick && g_scheduler.others_may_go_on();
    if (may_wait || w.still >= w.silent) start_looking(w);
  }
  w.elapsed += w.tick;
  if (w.elapsed < w.limit) return;
  // Our own code is not left in the middle: it ends the run itself.
  if (is_own_code(pc)) return g_scheduler.end_soon();
  leave_handler();
  g_scheduler.end_beyond(channel::kLimitTime);
}

}  // namespace

void install_watchdog() {
  struct sigaction action {};
  action.sa_sigaction = on_watchdog;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) {
    sigdelset(&action.sa_mask, fault);
  }
  REAL(sigaction)(watchdog_signal(), &action, nullptr);
}

void watch_run(uint64_t number) { g_watchdog.run = number; }

void start_watchdog(uint64_t nanoseconds) {
  if (!nanoseconds) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, watchdog_signal());
  REAL(pthread_sigmask)(SIG_UNBLOCK, &set, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = watchdog_signal();
  Watchdog& w = g_watchdog;
  w.limit = nanoseconds;
  w.silent = 2 * (nanoseconds / 4 < kTick ? nanoseconds / 4 : kTick);
  w.tick = w.silent / 2 < kEarlyTick ? w.silent / 2 : kEarlyTick;
  if (w.tick == 0) w.tick = 1;
  w.elapsed = w.still = 0;
  w.looks = false;
  // The kernel's timer directly: glibc's wrapper allocates.
  if (REAL(syscall)(SYS_timer_create, CLOCK_MONOTONIC, &event, &w.timer) != 0) return;
  set_period(w.tick);
}

}  // namespace jostle::rt
