// SPDX-License-Identifier: Apache-2.0
// The ways a program ends by itself: exit, _exit, quick_exit, abort, a failed assertion.
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/signal/signal_handler.h"
#include "src/runtime/interpose/thread/thread_end.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/oracle/embedded_end.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/snapshot/leave.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// Who has called exit().
Thread* g_ends_program = nullptr;

// Only one thread runs the handlers and ends the program: others that come meanwhile, as main by
// its return, wait for that, as with glibc 2.41. In older ones they end the program at once,
// wherever the first one is.
void let_only_one_exit() {
  if (g_actions.active()) g_actions.calls_exit();
  if (g_ends_program && g_ends_program != g_current) {
    g_scheduler.wait(operation(OpKind::thread_join, g_ends_program, 0), [] { return false; });
  }
  g_ends_program = g_current;
}

// A handler of the program's for SIGABRT runs first, blocked or not, as with libc's abort(). It may
// jump elsewhere: then nothing has happened.
void let_handler_abort() {
  const struct sigaction action = *program_action(SIGABRT);
  if (!is_handler(action)) return;
  Thread& self = *g_current;
  self.signal_mask = set_of(signal_bits(self.signal_mask) & ~signal_bit(SIGABRT));
  siginfo_t info{};
  info.si_signo = SIGABRT;
  info.si_code = SI_TKILL;
  info.si_pid = seen_process_id();
  info.si_uid = getuid();
  run_handler(SIGABRT, action, info, {});
}

}  // namespace

// The handlers that are registered last run first. No scheduling point: the order of two threads'
// registrations is that of what they do around them.
#define REGISTERS_HANDLER(function, parameters, arguments)         \
  extern "C" int function parameters noexcept;                     \
  JOSTLE_HOOK int function parameters noexcept {                   \
    if (controlled() && g_actions.active() && several_threads()) { \
      g_actions.registers_handler();                               \
    }                                                              \
    return REAL(function) arguments;                               \
  }

REGISTERS_HANDLER(__cxa_atexit, (void (*handler)(void*), void* argument, void* module),
                  (handler, argument, module))
REGISTERS_HANDLER(__cxa_at_quick_exit, (void (*handler)(void*), void* module), (handler, module))
REGISTERS_HANDLER(on_exit, (void (*handler)(int, void*), void* argument), (handler, argument))

JOSTLE_HOOK void exit(int status) noexcept {
  if (controlled() && g_embedded) end_embedded_control();
  if (controlled()) {
    // Handlers and static destructors run under control: other threads go on meanwhile, as they
    // would. The record is closed behind the last of them, see start.cc.
    g_scheduler.reach(operation(OpKind::process_exit, nullptr, CALLER()));
    let_only_one_exit();
    record_exit(status);
    run_tls_destructors(*g_current);
  }
  REAL(exit)(status);
  __builtin_unreachable();
}

JOSTLE_HOOK void _exit(int status) {
  if (controlled() && g_embedded) end_embedded_control();
  if (controlled()) {
    g_scheduler.reach(operation(OpKind::process_exit, nullptr, CALLER()));
    record_exit(status);
    if (g_results_wanted) judge_result();
    g_scheduler.close_log();
    end_process_or_run(status);
  }
  REAL(_exit)(status);
  __builtin_unreachable();
}
JOSTLE_HOOK void _Exit(int status) noexcept { _exit(status); }

JOSTLE_HOOK void quick_exit(int status) noexcept {
  if (controlled() && g_embedded) end_embedded_control();
  if (controlled()) {
    g_scheduler.reach(operation(OpKind::process_exit, nullptr, CALLER()));
    record_exit(status);
  }
  REAL(quick_exit)(status);
  __builtin_unreachable();
}

JOSTLE_HOOK void abort() noexcept {
  if (!controlled()) {
    REAL(abort)();
    __builtin_unreachable();
  }
  let_handler_abort();
  record_abort(nullptr, nullptr, 0, nullptr, CALLER());
  die_of_signal(SIGABRT);
}

JOSTLE_HOOK void __assert_fail(const char* expression, const char* file, unsigned line,
                               const char* function) noexcept {
  if (!controlled()) {
    REAL(__assert_fail)(expression, file, line, function);
    __builtin_unreachable();
  }
  // Uncontrolled: the message goes out as libc would write it.
  Thread* const self = g_current;
  g_current = nullptr;
  fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
          line, function ? function : "?", expression);
  fflush(stderr);
  g_current = self;
  let_handler_abort();
  record_abort(expression, file, line, function, CALLER());
  die_of_signal(SIGABRT);
}
