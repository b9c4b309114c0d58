// SPDX-License-Identifier: Apache-2.0
// A stack with tags is linearizable, one without is not; a mailbox whose flag orders nothing is so
// only where memory is sequentially consistent.
#include <atomic>
#include <jostle/linearizable.hpp>
#include <optional>

#include "stacks.h"

JOSTLE_LINEARIZABLE(Leaking) {
  auto stack = share<LeakingStack>();
  operation("push", gen::range(0, 2), [=](int value) { stack->push(value); });
  operation("pop", [=] { return stack->pop(); });
}

JOSTLE_LINEARIZABLE(Tagged) {
  auto stack = share<PoolStack<true>>();
  operation("push", gen::range(0, 2), [=](int value) { stack->push(value); });
  operation("pop", [=] { return stack->pop(); });
}

JOSTLE_LINEARIZABLE(WithoutTags) {
  auto stack = share<PoolStack<false>>();
  operation("push", gen::range(0, 2), [=](int value) { stack->push(value); });
  operation("pop", [=] { return stack->pop(); });
}

template <std::memory_order kOrder>
class Mailbox {
 public:
  bool send(int letter) {
    if (full_.load(std::memory_order_acquire)) return false;
    letter_.store(letter, std::memory_order_relaxed);
    full_.store(true, kOrder);
    return true;
  }
  std::optional<int> receive() {
    if (!full_.load(std::memory_order_acquire)) return std::nullopt;
    const int letter = letter_.load(std::memory_order_relaxed);
    full_.store(false, std::memory_order_release);
    return letter;
  }

 private:
  std::atomic<int> letter_{0};
  std::atomic<bool> full_{false};
};

JOSTLE_LINEARIZABLE(Mail) {
  auto box = share<Mailbox<std::memory_order_release>>();
  operation("send", gen::range(1, 2), [=](int v) { return box->send(v); }).only_by("sender");
  operation("receive", [=] { return box->receive(); }).only_by("receiver");
}

JOSTLE_LINEARIZABLE(RelaxedMail) {
  auto box = share<Mailbox<std::memory_order_relaxed>>();
  operation("send", gen::range(1, 2), [=](int v) { return box->send(v); }).only_by("sender");
  operation("receive", [=] { return box->receive(); }).only_by("receiver");
}

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
