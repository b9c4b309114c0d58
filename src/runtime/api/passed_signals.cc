// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/api/passed_signals.h"

#include <signal.h>

namespace jostle::rt {
namespace {

volatile sig_atomic_t g_came = 0;
volatile pid_t g_command = -1;

struct Before {
  int signal;
  bool is_ours;
  struct sigaction action;
};
Before g_before[] = {
    {SIGINT, false, {}}, {SIGTERM, false, {}}, {SIGHUP, false, {}}, {SIGQUIT, false, {}}};

void pass_on(int signal) {
  g_came = signal;
  if (g_command > 0) kill(g_command, signal);
}

bool ends_program(const struct sigaction& action) {
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

}  // namespace

void pass_signals_on_to(pid_t command) {
  g_came = 0;
  g_command = command;
  for (Before& before : g_before) {
    sigaction(before.signal, nullptr, &before.action);
    before.is_ours = ends_program(before.action);
    if (!before.is_ours) continue;
    struct sigaction action {};
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    sigaction(before.signal, &action, nullptr);
  }
}

int stop_passing_signals_on() {
  g_command = -1;
  for (Before& before : g_before) {
    if (before.is_ours) sigaction(before.signal, &before.action, nullptr);
    before.is_ours = false;
  }
  return g_came;
}

}  // namespace jostle::rt
