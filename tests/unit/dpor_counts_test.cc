// SPDX-License-Identifier: Apache-2.0
// Programs whose numbers of executions are known, from publications or from all interleavings.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/dpor_oracle.h"

namespace jostle::dpor_machine {
namespace {

using Body = std::function<Task()>;

Program program_of(std::vector<Body> threads) { return {std::move(threads)}; }
Program times(int n, const std::function<Body(int)>& body) {
  Program program;
  for (int i = 0; i < n; ++i) program.threads.push_back(body(i));
  return program;
}
Program with_more(Program program, Body body) {
  program.threads.push_back(std::move(body));
  return program;
}

struct Expected {
  uint64_t complete = 0, stopped = 0, deadlocks = 0;
};

void expect_counts(const std::string& name, const Program& program, const Expected& expected) {
  SCOPED_TRACE(name);
  const Counts counts = reduced(program);
  EXPECT_EQ(counts.trouble, dpor::Trouble::none);
  EXPECT_EQ(counts.complete, expected.complete);
  EXPECT_EQ(counts.stopped, expected.stopped);
  EXPECT_EQ(counts.deadlocks, expected.deadlocks);
  EXPECT_EQ(counts.sleep_blocked, 0u);
  EXPECT_EQ(counts.redundant, 0u);
  EXPECT_EQ(counts.nodes_left, 1u) << "the root";
  EXPECT_EQ(counts.estimates.back(), static_cast<double>(counts.all()));
}

// f(first), f(first + 1), ...
void expect_row(const std::string& name, const std::function<Program(int)>& program, int first,
                const std::vector<uint64_t>& expected) {
  int n = first;
  for (const uint64_t count : expected) {
    expect_counts(name + "(" + std::to_string(n) + ")", program(n), {count});
    ++n;
  }
}

Program increments(int n, int variables) {
  return times(n, [variables](int) -> Body {
    return [variables]() -> Task {
      for (int x = 0; x < variables; ++x) co_await add(x);
    };
  });
}

TEST(DporCounts, AtomicIncrements) {
  expect_row("ainc", [](int n) { return increments(n, 1); }, 2, {2, 6, 24, 120, 720, 5040});
  expect_row("binc", [](int n) { return increments(n, 2); }, 2, {4, 36, 576});
  expect_row("cinc", [](int n) { return increments(n, 3); }, 2, {8, 216, 13824});
  const auto with_store = [](int n) {
    return with_more(increments(n, 1), []() -> Task { co_await store(0, 42); });
  };
  expect_row("wainc", with_store, 2, {6, 24, 120});
}

TEST(DporCounts, CompareExchange) {
  const auto rotation = [](int n) {
    return times(n, [](int i) -> Body { return [i]() -> Task { co_await cas(0, i, i + 1); }; });
  };
  expect_row("casrot", rotation, 2, {2, 5, 14, 43, 144, 523, 2048, 8597});
  const auto first_wins = [](int n) {
    return times(n, [](int i) -> Body { return [i]() -> Task { co_await cas(0, 0, i + 1); }; });
  };
  expect_row("cas", first_wins, 2, {2, 3, 4, 5});
  const auto then_store = [](int n) {
    return times(n, [](int i) -> Body {
      return [i]() -> Task {
        co_await cas(0, 0, 1);
        co_await store(0, i + 3);
      };
    });
  };
  expect_row("casw", then_store, 2, {6, 66, 1200, 32880});
  const auto after_store = [](int n) {
    return with_more(times(n, [](int) -> Body { return []() -> Task { co_await cas(0, 2, 3); }; }),
                     []() -> Task { co_await store(0, 2); });
  };
  expect_row("wcas", after_store, 2, {5, 13, 33, 81, 193, 449, 1025, 2305});
}

TEST(DporCounts, ReadersOfOneWriter) {
  for (const int n : {2, 8, 13}) {
    const Program readers =
        times(n, [](int) -> Body { return []() -> Task { co_await load(0); }; });
    expect_counts("readers(" + std::to_string(n) + ")",
                  with_more(readers, []() -> Task { co_await store(0, 42); }), {uint64_t{1} << n});
  }
}

Program last_zero(int n) {
  Program program = times(n, [](int i) -> Body {
    return [j = i + 1]() -> Task {
      const int64_t value = co_await load(j - 1);
      co_await store(j, value + 1);
    };
  });
  return with_more(program, [n]() -> Task {
    for (int i = n; co_await load(i) != 0;) --i;
  });
}

TEST(DporCounts, LastZero) {
  expect_row("lastzero", last_zero, 2, {5, 12, 28, 64});
  expect_counts("lastzero(10)", last_zero(10), {3328});
  if (is_long()) expect_counts("lastzero(15)", last_zero(15), {147456});
}

TEST(DporCounts, Indexer) {
  const auto indexer = [](int n) {
    return times(n, [](int t) -> Body {
      return [t]() -> Task {
        for (int i = 0; i < 4; ++i) {
          const int w = 11 * i + t;
          int h = 7 * w % 128;
          while (!co_await cas(h, 0, w)) h = (h + 1) % 128;
        }
      };
    });
  };
  expect_counts("indexer(11)", indexer(11), {1});
  expect_counts("indexer(12)", indexer(12), {8});
  expect_counts("indexer(15)", indexer(15), {4096});
}

Program fibonacci(int rounds) {
  const auto adder = [rounds](int sum) -> Body {
    return [rounds, sum]() -> Task {
      for (int i = 0; i < rounds; ++i) {
        const int64_t a = co_await load(0);
        const int64_t b = co_await load(1);
        co_await store(sum, a + b);
      }
    };
  };
  Program program = program_of({adder(0), adder(1), []() -> Task {
                                  if (co_await load(0) <= 144) co_await load(1);
                                }});
  program.initial = {{0, 1}, {1, 1}};
  return program;
}

TEST(DporCounts, Fibonacci) {
  expect_row("fib_bench", fibonacci, 1, {11, 140});
  if (is_long()) expect_counts("fib_bench(5)", fibonacci(5), {218243});
}

TEST(DporCounts, PlainIncrements) {
  const auto plain = [](int n) {
    return times(n, [](int i) -> Body {
      return [i]() -> Task {
        const int64_t r = co_await load(0);
        co_await store(0, r + (int64_t{1} << i));
      };
    });
  };
  expect_row("inc", plain, 2, {4, 36, 576});
}

TEST(DporCounts, Coherence) {
  const auto coherence = [](int n) {
    Program program = times(n, [](int i) -> Body {
      return [i]() -> Task {
        co_await store(1, i + 1);
        co_await store(2, i + 1);
      };
    });
    for (const int side : {1, 2}) {
      program.threads.push_back([side]() -> Task {
        co_await store(0, side);
        co_await load(side);
        co_await load(0);
      });
    }
    return program;
  };
  expect_row("CoA", coherence, 0, {4, 15, 130, 2028});
  if (!kIsSlow) expect_counts("CoA(4)", coherence(4), {49776});
  if (is_long()) expect_counts("CoA(5)", coherence(5), {1766880});
}

TEST(DporCounts, Writers) {
  const Program writers =
      times(5, [](int i) -> Body { return [i]() -> Task { co_await store(0, i); }; });
  expect_counts("N-writers", with_more(writers, []() -> Task { co_await load(0); }), {720});
}

// A number is a load of that variable, a pair a store.
struct Access {
  int variable;
  int64_t stored = -1;
};
Body accesses(std::vector<Access> list) {
  return [list]() -> Task {
    for (const Access& access : list) {
      if (access.stored < 0) {
        co_await load(access.variable);
      } else {
        co_await store(access.variable, access.stored);
      }
    }
  };
}

TEST(DporCounts, LitmusTests) {
  expect_counts("SB", program_of({accesses({{0, 1}, {1}}), accesses({{1, 1}, {0}})}), {3});
  expect_counts("MP", program_of({accesses({{0, 1}, {1, 1}}), accesses({{1}, {0}})}), {3});
  expect_counts("LB", program_of({accesses({{0}, {1, 1}}), accesses({{1}, {0, 1}})}), {3});
  expect_counts("2+2W", program_of({accesses({{0, 1}, {1, 2}}), accesses({{1, 1}, {0, 2}})}), {3});
  expect_counts("IRIW",
                program_of({accesses({{0, 1}}), accesses({{1, 1}}), accesses({{0}, {1}}),
                            accesses({{1}, {0}})}),
                {15});
}

TEST(DporCounts, Big) {
  if (kIsSlow) return;
  expect_counts(
      "big0",
      program_of({accesses({{0}, {1}, {2}, {3}, {0}, {1}, {2}}), accesses({{0}, {1}, {2}}),
                  accesses({{0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}}),
                  accesses({{2, 1}, {3, 1}, {2, 2}, {3, 2}, {2, 3}, {3, 3}})}),
      {69112});
}

TEST(DporCounts, IncrementsUnderALock) {
  const auto locked = [](int n) {
    return times(n, [](int) -> Body {
      return []() -> Task {
        co_await lock(9);
        const int64_t r = co_await load(0);
        co_await store(0, r + 1);
        co_await unlock(9);
      };
    });
  };
  expect_row("lockinc", locked, 2, {2, 6, 24, 120, 720, 5040});
}

TEST(DporCounts, TryLock) {
  const Program program = times(3, [](int) -> Body {
    return []() -> Task {
      if (!co_await try_lock(9)) co_return;
      const int64_t r = co_await load(0);
      co_await store(0, r + 1);
      co_await unlock(9);
    };
  });
  expect_counts("trylock(3)", program, {21});
}

TEST(DporCounts, Deadlocks) {
  const Program hard = times(3, [](int i) -> Body {
    return [i]() -> Task {
      co_await lock(9);
      if (co_await add(0) == i) co_await unlock(9);
    };
  });
  expect_counts("mutex_hard(3)", hard, {1, 0, 3});
  const Program one = times(3, [](int i) -> Body {
    return [i]() -> Task {
      co_await lock(9);
      const int64_t r = co_await load(0);
      co_await store(0, r + 1);
      if (i == 2) co_await stop();
      co_await unlock(9);
    };
  });
  expect_counts("deadlock_one(3)", one, {0, 2, 3});
  const auto ring = [](int n) {
    return times(n, [n](int i) -> Body {
      return [i, n]() -> Task {
        co_await lock(5 + i);
        co_await lock(5 + (i + 1) % n);
        co_await unlock(5 + (i + 1) % n);
        co_await unlock(5 + i);
      };
    });
  };
  expect_counts("abba", ring(2), {2, 0, 1});
  expect_counts("philosophers(3)", ring(3), {6, 0, 1});
}

// Readers keep the lock: the writer is before all of them, or waits for ever. Neither reader is in
// the way alone.
TEST(DporCounts, ReadersThatStay) {
  for (int n = 1; n <= 4; ++n) {
    Program program =
        times(n, [](int) -> Body { return []() -> Task { co_await on(Act::share, 9); }; });
    program.threads.push_back([]() -> Task {
      co_await lock(9);
      co_await unlock(9);
    });
    expect_counts("readers that stay", program, {1, 0, 1});
  }
}

TEST(DporCounts, AssumedSpinLoops) {
  const Program peterson = times(2, [](int i) -> Body {
    return [i]() -> Task {
      const int mine = 1 + i;
      const int other = 2 - i;
      co_await store(mine, 1);
      co_await store(0, mine);
      if (co_await load(other) == 1 && co_await load(0) == mine) co_await stop();
      co_await store(3, 0);
      co_await load(3);
      co_await store(mine, 0);
    };
  });
  expect_counts("peterson", peterson, {4, 6});
  const auto spin = [](int n) {
    return times(n, [](int) -> Body {
      return []() -> Task {
        if (!co_await cas(1, 0, 1)) co_await stop();
        const int64_t r = co_await load(0);
        co_await store(0, r + 1);
        co_await store(1, 0);
      };
    });
  };
  expect_counts("casspin(2)", spin(2), {2, 2});
  expect_counts("casspin(3)", spin(3), {6, 15});
  expect_counts("casspin(4)", spin(4), {24, 124});
}

Program ticket_lock(int n, bool awaits) {
  return times(n, [awaits](int) -> Body {
    return [awaits]() -> Task {
      const int64_t ticket = co_await add(1);
      if (awaits) {
        co_await await_equal(2, ticket);
      } else if (co_await load(2) != ticket) {
        co_await stop();
      }
      const int64_t r = co_await load(0);
      co_await store(0, r + 1);
      co_await store(2, ticket + 1);
    };
  });
}

TEST(DporCounts, TicketLock) {
  expect_row("ticket, await", [](int n) { return ticket_lock(n, true); }, 2, {2, 6, 24, 120, 720});
  expect_counts("ticket(2)", ticket_lock(2, false), {2, 2});
  expect_counts("ticket(3)", ticket_lock(3, false), {6, 24});
  expect_counts("ticket(4)", ticket_lock(4, false), {24, 312});
}

TEST(DporCounts, TreiberPush) {
  const auto pushes = [](int n) {
    return times(n, [](int i) -> Body {
      return [i]() -> Task {
        while (true) {
          const int64_t top = co_await load(0);
          co_await store(10 + i, top);
          if (co_await cas(0, top, i + 1)) co_return;
        }
      };
    });
  };
  expect_row("treiber", pushes, 2, {4, 60, 3120});
}

TEST(DporCounts, MixedLocksAndRaces) {
  const Program mixed = times(3, [](int i) -> Body {
    return [i]() -> Task {
      co_await lock(9);
      const int64_t r = co_await load(0);
      co_await store(0, r + 1);
      co_await unlock(9);
      co_await load(1);
      co_await store(1, i);
      co_await lock(9);
      co_await unlock(9);
    };
  });
  expect_counts("mixed", mixed, {1614});
}

}  // namespace
}  // namespace jostle::dpor_machine
