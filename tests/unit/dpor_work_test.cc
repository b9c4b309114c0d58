// SPDX-License-Identifier: Apache-2.0
// Searches that share their work: whoever does what, all executions are run, each once.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "src/base/rng.h"
#include "src/strategy/dpor/work/work_share.h"
#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

struct Board {
  Board() : memory(static_cast<SearchBoard*>(std::calloc(1, sizeof(SearchBoard)))) {}
  ~Board() { std::free(memory); }
  Board(const Board&) = delete;
  SearchBoard* memory;
};

// How wide accesses to some memory are, as runs have shown.
struct Width final : dpor::SharedKnowledge {
  void write(dpor::ByteWriter& to) const override { to.number(seen); }
  bool read(dpor::ByteReader& from) override {
    const uint64_t other = from.number();
    is_contradicted |= seen != 0 && other != 0 && seen != other;
    if (seen == 0 || (other != 0 && other < seen)) see(other);
    return from.is_good();
  }
  uint64_t revision() const override { return changes; }
  bool take_contradiction() override { return std::exchange(is_contradicted, false); }
  void see(uint64_t width) {
    changes += width != seen;
    seen = width;
  }

  uint64_t seen = 0, changes = 0;
  bool is_contradicted = false;
};

// Bytes of a generation of the shared tree: so few that there are many of them.
constexpr uint64_t kShortGeneration = 64;

// When an await goes on: known to all, or learned by each worker.
struct KnownConditions final : dpor::AwaitConditions {
  bool passes(uint64_t condition, uint64_t value) const override {
    return learns ? learned.passes(condition, value) : exact.passes(condition, value);
  }
  bool learns = false;
  Conditions exact;
  LearnedConditions learned;
};

// As in a process of its own; the memory of searches is never given back, so that they are kept.
struct Worker {
  KnownConditions conditions;
  OwnNames names;
  Width width;
  dpor::ReducedSearch search{&conditions};
  dpor::WorkShare share{&search, &names, &width};
};

Worker& worker(size_t i) {
  static auto& all = *new std::vector<Worker*>;  // outlives all tests
  while (all.size() <= i) all.push_back(new Worker);
  all[i]->search.restart();
  all[i]->share.~WorkShare();
  all[i]->width = {};
  all[i]->conditions = {};
  new (&all[i]->share)
      dpor::WorkShare{&all[i]->search, &all[i]->names, &all[i]->width, kShortGeneration};
  return *all[i];
}

std::vector<Worker*> staff(SearchBoard* board, size_t count) {
  std::vector<Worker*> workers;
  for (size_t i = 0; i < count; ++i) {
    workers.push_back(&worker(i));
    workers.back()->share.join(board, static_cast<uint32_t>(i));
  }
  return workers;
}

std::vector<uint64_t> g_runs_of;  // by worker
uint32_t g_generations;

Counts shared(const Program& program, size_t workers, uint64_t seed, bool learns = false) {
  static const Board board;
  std::memset(static_cast<void*>(board.memory), 0, offsetof(SearchBoard, bytes));
  std::vector<Worker*> all = staff(board.memory, workers);
  for (Worker* each : all) each->conditions.learns = learns;
  Rng rng(seed);
  g_runs_of.assign(workers, 0);
  Counts counts;
  for (uint64_t idle = 0; board.memory->finished == 0 && idle < 1000;) {
    const uint32_t turn = rng.below(static_cast<uint32_t>(all.size()));
    Worker& next = *all[turn];
    if (!next.share.has_work()) {
      ++idle;
      continue;
    }
    idle = 0;
    ++g_runs_of[turn];
    run_once(program, next.search, counts, true, learns ? &next.conditions.learned : nullptr);
    const bool has_more = next.search.end_run();
    counts.sleep_blocked += next.search.sleep_blocked_runs();
    if (next.search.trouble() != dpor::Trouble::none) {
      counts.trouble = next.search.trouble();
      return counts;
    }
    next.share.after_run(has_more);
  }
  EXPECT_EQ(board.memory->finished, 1u);
  EXPECT_EQ(board.memory->is_broken, 0u);
  EXPECT_EQ(board.memory->is_alone, 0u);
  g_generations = board.memory->generation;
  return counts;
}

class SharedWork : public testing::TestWithParam<Drawn> {
 protected:
  void expect_all() {
    const Drawn& drawn = GetParam();
    const uint64_t programs = how_many(drawn.programs);
    for (uint64_t seed = 1; seed <= programs; ++seed) {
      Generator generator(seed, drawn.kinds);
      std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
      const Program program = program_of(codes, generator, drawn.kinds);
      const Counts alone = reduced(program, true);
      for (size_t workers = 1; workers <= 4; ++workers) {
        const std::string where = std::string(drawn.name) + " " + std::to_string(seed) + ", " +
                                  std::to_string(workers) + " workers\n" + text_of(codes);
        const Counts counts = shared(program, workers, seed);
        ASSERT_EQ(counts.trouble, dpor::Trouble::none) << where;
        ASSERT_EQ(counts.redundant, 0u) << where;
        ASSERT_EQ(counts.all(), alone.all()) << where;
        ASSERT_EQ(counts.traces, alone.traces) << where;
        ASSERT_EQ(counts.sleep_blocked, 0u) << where;
      }
    }
  }
};

TEST_P(SharedWork, HasAllExecutionsEachOnce) { expect_all(); }

// A step that could not be taken leaves the state before it to be explored: by whom?
TEST(DporWork, HasAllExecutionsOfAwaitsWhoseConditionsAreLearned) {
  for (const Drawn& drawn : drawn_with_awaits(500)) {
    for (uint64_t seed = 1; seed <= how_many(drawn.programs); ++seed) {
      Generator generator(seed, drawn.kinds);
      std::vector<Code> codes = generator.program(drawn.threads, drawn.most);
      const Program program = program_of(codes, generator, drawn.kinds);
      const Counts alone = reduced(program, true);
      for (size_t workers = 2; workers <= 4; ++workers) {
        const std::string where = std::string(drawn.name) + " " + std::to_string(seed) + ", " +
                                  std::to_string(workers) + " workers\n" + text_of(codes);
        const Counts counts = shared(program, workers, seed, true);
        ASSERT_EQ(counts.trouble, dpor::Trouble::none) << where;
        ASSERT_EQ(counts.traces, alone.traces) << where;
        ASSERT_EQ(counts.redundant, 0u) << where;
      }
    }
  }
}

// Two threads that add up each other's numbers, and one that looks.
Program fibonacci(int rounds) {
  Program program;
  for (int t = 0; t < 2; ++t) {
    program.threads.push_back([t, rounds]() -> Task {
      for (int i = 0; i < rounds; ++i) {
        const int64_t a = co_await load(0);
        const int64_t b = co_await load(1);
        co_await store(t, a + b);
      }
    });
  }
  program.threads.push_back([]() -> Task {
    if (co_await load(0) <= 144) co_await load(1);
  });
  program.initial = {{0, 1}, {1, 1}};
  return program;
}

// Of two workers that take turns, neither has much less to do.
TEST(DporWork, IsSharedEvenly) {
  const Counts counts = shared(fibonacci(4), 2, 1);
  EXPECT_EQ(counts.all(), 19605u);
  EXPECT_GT(g_generations, 1u);
  EXPECT_EQ(counts.redundant, 0u);
  EXPECT_EQ(counts.sleep_blocked, 0u);
  for (const uint64_t runs : g_runs_of) EXPECT_GT(runs, 19605 * 4 / 10);
}

// One that comes too late to find its old work makes all begin anew.
TEST(DporWork, BeginsAnewWhenAWorkerIsReplaced) {
  const Board board;
  const Program program = fibonacci(2);
  std::vector<Worker*> all = staff(board.memory, 2);
  Counts lost;
  for (int turn = 0; turn < 20; ++turn) {
    Worker& next = *all[turn % 2];
    if (!next.share.has_work()) continue;
    run_once(program, next.search, lost, true);
    next.share.after_run(next.search.end_run());
  }
  Worker& late = worker(2);
  late.share.join(board.memory, 1);
  all[1] = &late;
  Counts counts;
  for (int turn = 0; turn < 100'000 && board.memory->finished == 0; ++turn) {
    Worker& next = *all[turn % 2];
    if (!next.share.has_work()) continue;
    run_once(program, next.search, counts, true);
    const bool has_more = next.search.end_run();
    next.share.note_run(false, false, 0);
    next.share.after_run(has_more);
  }
  EXPECT_EQ(counts.all(), 140u);
  EXPECT_EQ(counts.redundant, 0u);
  EXPECT_EQ(all[0]->share.progress().explored, 140u);
}

// Two who have seen the same memory otherwise have not seen the same events: what they did is done
// again.
TEST(DporWork, BeginsAnewWhenWorkersContradictEachOther) {
  const Board board;
  const Program program = fibonacci(3);
  std::vector<Worker*> all = staff(board.memory, 2);
  Counts counts;
  for (uint32_t turn = 0; turn < 100'000 && board.memory->finished == 0; ++turn) {
    Worker& next = *all[turn % 2];
    if (!next.share.has_work()) continue;
    run_once(program, next.search, counts, true);
    if (turn == 500 || turn == 501) next.width.see(turn % 2 == 0 ? 8 : 4);
    const bool has_more = next.search.end_run();
    next.share.note_run(false, false, 0);
    next.share.after_run(has_more);
  }
  EXPECT_EQ(board.memory->epoch, 1u);
  EXPECT_EQ(all[0]->width.seen, 4u);
  EXPECT_EQ(all[1]->width.seen, 4u);
  EXPECT_EQ(all[0]->share.progress().explored, reduced(program, true).all());
}

INSTANTIATE_TEST_SUITE_P(Dpor, SharedWork, testing::ValuesIn(drawn_of_all_kinds(100, 200)));

}  // namespace
}  // namespace jostle::dpor_machine
