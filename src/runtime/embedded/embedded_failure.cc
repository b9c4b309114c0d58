// SPDX-License-Identifier: Apache-2.0
// How a run inside another fuzzer's process fails: a paragraph of text, then as the fuzzer expects
// it.
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/runtime/embedded/embedded.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/oracle/embedded_end.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

using channel::Outcome;

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr size_t kStackSize = 256 * 1024;
JOSTLE_LARGE struct sigaction g_before[65];

// To standard error, whatever state stdio is in.
void say(const char* format, ...) {
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const size_t length = n < 0                                  ? 0
                        : static_cast<size_t>(n) < sizeof line ? static_cast<size_t>(n)
                                                               : sizeof line - 1;
  (void)!REAL(write)(STDERR_FILENO, line, length);
}

// "module+0x1234", as symbolizers take it.
struct Place {
  char text[160];
  explicit Place(uintptr_t pc) {
    snprintf(text, sizeof text, "%#zx", static_cast<size_t>(pc));
    const channel::Channel& channel = g_scheduler.channel();
    for (uint32_t i = 0; i < channel.status.module_count.load(); ++i) {
      const channel::ModuleRecord& module = channel.modules[i];
      if (pc < module.begin || pc >= module.end) continue;
      const char* slash = strrchr(module.path, '/');
      // A long name is cut off, and not what comes after it.
      snprintf(text, sizeof text, "%.130s+%#zx", slash ? slash + 1 : module.path,
               static_cast<size_t>(pc - module.bias));
    }
  }
};

const char* headline(const channel::Failure& end) {
  switch (end.outcome) {
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::livelock:
      return "livelock";
    case Outcome::step_limit:
      return "no end";
    case Outcome::misuse:
      return "misuse";
    case Outcome::race:
      return "data race";
    case Outcome::heap_error:
      return "heap error";
    case Outcome::assertion:
      return "assertion failed";
    case Outcome::exception:
      return "uncaught exception";
    case Outcome::unsupported:
      return "not supported";
    default:
      return strsignal(end.code);
  }
}

void say_thread(const channel::ThreadReport& report) {
  const std::string_view doing = name(report.pending.kind);
  say("jostle:   T%u %s %.*s at %s", report.thread,
      report.state == channel::ThreadState::blocked ? "waits in" : "is about to",
      static_cast<int>(doing.size()), doing.data(), Place(report.pending.pc).text);
  if (report.waits_for_thread != kNoThread) say(", for T%u", report.waits_for_thread);
  for (uint32_t i = 0; i < report.held_count && i < channel::kMaxHeldLocks; ++i) {
    const channel::HeldLock& held = report.held[i];
    say("%s %s (taken at %s)", i == 0 ? ", holds" : " and", Place(held.object).text,
        Place(held.acquired_at.pc[0]).text);
  }
  say("\n");
}

[[noreturn]] void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = g_before[signal];
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  }
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  REAL(sigaction)(signal, &plain, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  REAL(pthread_sigmask)(SIG_UNBLOCK, &set, nullptr);
  REAL(raise)(signal);
  REAL(_exit)(128 + signal);
  __builtin_unreachable();
}

JOSTLE_SIGNAL_HANDLER void on_fatal(int signal, siginfo_t* info, void* context) {
  leaves_handler();  // the program's own may jump out, and otherwise the run ends
  if (controlled()) {
    const struct sigaction* mine = program_action(signal);
    if (mine && mine->sa_flags & SA_SIGINFO) return mine->sa_sigaction(signal, info, context);
    if (mine && mine->sa_handler == SIG_IGN) return;
    if (mine && mine->sa_handler != SIG_DFL) return mine->sa_handler(signal);
    channel::Failure& end = g_scheduler.record().end;
    end.outcome = Outcome::signalled;
    end.code = signal;
    end.thread = g_current->index;
    end.steps = g_scheduler.steps();
    end.message[0] = '\0';
    end_embedded_control();
    tell_embedded_failure();
  }
  pass_on(signal, info, context);
}

}  // namespace

void chain_fatal_signals() {
  stack_t stack{};
  REAL(sigaltstack)(nullptr, &stack);
  if (stack.ss_flags & SS_DISABLE) {
    stack = {};
    stack.ss_sp = engine_allocate(kStackSize);
    stack.ss_size = kStackSize;
    REAL(sigaltstack)(&stack, nullptr);
  }
  for (const int signal : kFatal) {
    struct sigaction action {};
    action.sa_sigaction = on_fatal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    REAL(sigaction)(signal, &action, &g_before[signal]);
  }
}

void end_embedded_control() { g_current = nullptr; }

void tell_embedded_failure() {
  const channel::RunRecord& run = g_scheduler.record();
  const channel::Failure& end = run.end;
  say("jostle: %s in thread T%u after %zu scheduling points%s%s\n", headline(end), end.thread,
      static_cast<size_t>(end.steps), end.message[0] ? ": " : "", end.message);
  if (end.outcome == Outcome::race) {
    const channel::RaceRecord& race = run.races[run.race_count - 1];
    say("jostle:   T%u at %s and T%u at %s\n", race.earlier.thread, Place(race.earlier.pc).text,
        race.later.thread, Place(race.later.pc).text);
  }
  if (end.outcome == Outcome::deadlock || end.outcome == Outcome::livelock) {
    for (uint32_t i = 0; i < run.report_count; ++i) say_thread(run.reports[i]);
  }
  say("jostle: for a report: jostle replay --harness %s FILE, with the file that the fuzzer "
      "saves\n",
      program_invocation_name);
}

void fail_embedded_run(int signal) {
  const Outcome outcome = g_scheduler.record().end.outcome;
  end_embedded_control();
  if (outcome == Outcome::stopped) REAL(_exit)(0);  // JOSTLE_END_EXIT
  tell_embedded_failure();
  if (signal == SIGABRT) REAL(abort)();
  REAL(raise)(signal);
  REAL(_exit)(128 + signal);
  __builtin_unreachable();
}

}  // namespace jostle::rt
