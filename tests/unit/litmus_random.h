// SPDX-License-Identifier: Apache-2.0
// Litmus tests that nobody has thought of.
#pragma once

#include <initializer_list>
#include <iterator>

#include "src/base/rng.h"
#include "tests/unit/litmus_program.h"

namespace jostle::litmus {

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : rng_(seed) {}

  Program make() {
    const int locations = 2 + static_cast<int>(rng_.below(2));
    const uint64_t threads = 2 + rng_.below(3);
    return make(threads, threads == 2 ? 4 : 3 - (threads == 4), locations);
  }
  // `most`: operations of a thread.
  Program make(uint64_t threads, uint64_t most, int locations) {
    Program program;
    program.locations = locations;
    program.registers = static_cast<int>(threads);
    for (uint64_t t = 0; t < threads; ++t) {
      program.threads.emplace_back();
      for (uint64_t i = 1 + rng_.below(most); i > 0; --i) {
        program.threads.back().push_back(instruction(program.locations, static_cast<int>(t)));
      }
    }
    return program;
  }

 private:
  using Kind = Instruction::Kind;

  Order any(std::initializer_list<Order> orders) {
    return orders.begin()[rng_.below(orders.size())];
  }
  Instruction instruction(int locations, int thread) {
    constexpr Kind kKinds[] = {Kind::load, Kind::load,     Kind::load,    Kind::store, Kind::store,
                               Kind::add,  Kind::exchange, Kind::compare, Kind::fence};
    Instruction op{kKinds[rng_.below(std::size(kKinds))]};
    if (op.kind != Kind::fence)
      op.location = static_cast<int>(rng_.below(static_cast<uint64_t>(locations)));
    op.value = {{'n', static_cast<int64_t>(1 + rng_.below(2))}};
    if (op.kind == Kind::compare) op.target = thread;
    switch (op.kind) {
      case Kind::load:
        op.order = any({Order::relaxed, Order::acquire, Order::sequential});
        break;
      case Kind::store:
        op.order = any({Order::relaxed, Order::release, Order::sequential});
        break;
      case Kind::fence:
        op.order = any(
            {Order::acquire, Order::release, Order::both, Order::sequential, Order::sequential});
        break;
      default:
        op.order =
            any({Order::relaxed, Order::acquire, Order::release, Order::both, Order::sequential});
    }
    return op;
  }

  Rng rng_;
};

}  // namespace jostle::litmus
