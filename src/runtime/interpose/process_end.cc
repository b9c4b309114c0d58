// The ways a program ends by itself: exit, _exit, quick_exit, abort, a failed assertion.
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/runtime/embedded/embedded.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/interpose/signal.h"
#include "src/runtime/interpose/thread_end.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/snapshot/leave.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// A handler of the program's for SIGABRT runs first, as with libc's abort().
[[noreturn]] void abort_now() {
  const struct sigaction* action = program_action(SIGABRT);
  if (action && (action->sa_flags & SA_SIGINFO)) {
    siginfo_t info{};
    info.si_signo = SIGABRT;
    info.si_code = SI_TKILL;
    action->sa_sigaction(SIGABRT, &info, nullptr);
  } else if (action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
    action->sa_handler(SIGABRT);
  }
  die_of_signal(SIGABRT);
}

}  // namespace

JOSTLE_HOOK void exit(int status) noexcept {
  if (controlled() && g_embedded) end_embedded_control();
  if (controlled()) {
    // Handlers and static destructors run under control: other threads go on meanwhile, as they
    // would. The record is closed behind the last of them, see start.cc.
    g_scheduler.reach(operation(OpKind::process_exit, nullptr, CALLER()));
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
  record_abort(nullptr, nullptr, 0, nullptr, CALLER());
  abort_now();
}

JOSTLE_HOOK void __assert_fail(const char* expression, const char* file, unsigned line,
                               const char* function) noexcept {
  if (!controlled()) {
    REAL(__assert_fail)(expression, file, line, function);
    __builtin_unreachable();
  }
  record_abort(expression, file, line, function, CALLER());
  // Uncontrolled from here: the message goes out as libc would write it.
  g_current = nullptr;
  fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
          line, function ? function : "?", expression);
  fflush(stderr);
  abort_now();
}
