// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/signals.h"

#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace jostle::cli {
namespace {

volatile sig_atomic_t g_interrupts = 0;
volatile sig_atomic_t g_last = 0;
volatile sig_atomic_t g_last_is_from_terminal = 0;
volatile sig_atomic_t g_suspend = 0;

// To the process and to its group, or from the terminal and passed on: that is one.
bool is_the_same_again() {
  static volatile int64_t last = INT64_MIN / 2;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t time = int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  if (time - last < 100) return true;
  last = time;
  return false;
}

void on_interrupt(int signal, siginfo_t* info, void*) {
  if (is_the_same_again()) return;
  g_interrupts = g_interrupts + 1;
  g_last = signal;
  g_last_is_from_terminal = info->si_code == SI_KERNEL ? 1 : 0;
}

void on_suspend(int, siginfo_t*, void*) { g_suspend = 1; }

void on_pipe(int, siginfo_t*, void*) {}  // the write fails with EPIPE

}  // namespace

SignalWatch::SignalWatch(bool job_control) : before_(g_interrupts) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) install(signal, on_interrupt);
  install(SIGPIPE, on_pipe);
  if (job_control) install(SIGTSTP, on_suspend);
}

SignalWatch::~SignalWatch() {
  for (const Saved& saved : saved_) sigaction(saved.signal, &saved.action, nullptr);
}

void SignalWatch::install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction previous {};
  sigaction(signal, nullptr, &previous);
  if (previous.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;  // no SA_RESTART: waiting ends when a signal comes
  sigaction(signal, &action, nullptr);
  saved_.push_back({signal, previous});
}

int SignalWatch::interrupts() const { return g_interrupts - before_; }

int SignalWatch::last_signal() const { return g_last; }

bool SignalWatch::is_from_terminal() const { return g_last_is_from_terminal != 0; }

bool SignalWatch::take_suspend_request() {
  const bool requested = g_suspend != 0;
  g_suspend = 0;
  return requested;
}

void SignalWatch::suspend() { raise(SIGSTOP); }

}  // namespace jostle::cli
