// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its kin while a target runs.
//
// As long as one of these is alive, the signals that would end us are counted instead; they may be
// nested. Handlers,
// not SIG_IGN: exec puts handlers back to the default, so that the target starts as if we were not
// there; and what was ignored before (nohup) stays ignored.
#pragma once

#include <csignal>
#include <vector>

namespace jostle::cli {

class SignalWatch {
 public:
  // With `job_control`, Ctrl-Z is ours too: the caller stops its target, then calls `suspend`.
  explicit SignalWatch(bool job_control = false);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // How many came in since the start, and the last of them (0: none).
  int interrupts() const;
  int last_signal() const;
  // The terminal sent it, to every process of its foreground group; else it was sent to us.
  bool is_from_terminal() const;
  // True once after Ctrl-Z.
  bool take_suspend_request();
  // Stops this process until it is continued.
  void suspend();

 private:
  struct Saved {
    int signal;
    struct sigaction action;
  };
  void install(int signal, void (*handler)(int, siginfo_t*, void*));
  std::vector<Saved> saved_;
  int before_;
};

}  // namespace jostle::cli
