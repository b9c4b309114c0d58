// SPDX-License-Identifier: Apache-2.0
#include "src/cli/stepping/step_conversation.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>

#include "src/cli/support/error.h"

namespace jostle::cli {
namespace {

// Short at first, because most answers come at once; the end of the process is noticed only
// between two waits.
constexpr long kShortestWait = 1'000'000;  // nanoseconds
constexpr long kLongestWait = 50'000'000;

void wait_on(const std::atomic<uint32_t>& counter, uint32_t value, long nanoseconds) {
  const timespec timeout{0, nanoseconds};
  syscall(SYS_futex, &counter, FUTEX_WAIT, value, &timeout, nullptr, 0);
}

}  // namespace

void StepConversation::send() {
  channel_.step.orders.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &channel_.step.orders, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool StepConversation::wait_for_stop() {
  bool asked = false;
  for (long wait = kShortestWait;; wait = std::min(2 * wait, kLongestWait)) {
    const uint32_t stops = channel_.step.stops.load(std::memory_order_acquire);
    if (stops != seen_stops_) {
      seen_stops_ = stops;
      channel_.step.interrupt.store(0);
      return true;
    }
    wait_on(channel_.step.stops, stops, wait);
    if (channel_.step.stops.load(std::memory_order_acquire) != stops) continue;
    if (has_ended() || !react_to_signals(asked)) return false;
  }
}

// False: the program has been ended.
bool StepConversation::react_to_signals(bool& asked) {
  const int signal = take_signal();
  if (signal == 0) return true;
  if (signal != SIGINT || asked) {
    kill();
    return false;
  }
  note("stops at its next scheduling point (Ctrl-C again ends it)");
  channel_.step.interrupt.store(1);
  asked = true;
  return true;
}

int StepConversation::take_signal() {
  if (signals_.interrupts() == seen_signals_) return 0;
  seen_signals_ = signals_.interrupts();
  return signals_.last_signal();
}

bool StepConversation::has_ended() {
  if (!status_) status_ = process_.wait(std::chrono::nanoseconds(0));
  return status_.has_value();
}

void StepConversation::kill() {
  if (status_) return;
  status_ = process_.kill();
  killed_ = true;
}

}  // namespace jostle::cli
