// SPDX-License-Identifier: Apache-2.0
// A stack with tags is linearizable, one without is not.
#include <jostle/linearizable.hpp>

#include "stacks.h"

namespace gen = jostle::gen;

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

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
