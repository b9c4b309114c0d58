// Reads-from fuzzing against small programs whose every behaviour is known.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/strategy/event_registry.h"
#include "src/strategy/proactive.h"
#include "src/strategy/sampler.h"
#include "tests/unit/model_program.h"

namespace jostle {
namespace {

Operation at(Operation op, uintptr_t pc) {
  op.pc = pc;
  return op;
}

constexpr uintptr_t kA = 0x100, kB = 0x200;

// reorder_n: setters write a, then b; a checker reads a, then b. Fails when it sees the new a and
// the old b.
Model reorder(size_t setters) {
  std::vector<std::vector<Operation>> threads;
  for (size_t i = 0; i < setters; ++i) {
    threads.push_back({at(writes(kA), 1), at(writes(kB), 2)});
  }
  threads.push_back({at(reads(kA), 3), at(reads(kB), 4)});
  return Model(std::move(threads));
}

bool shows_the_bug(const Model& model) {
  return model.pairs().contains({write_event(kA, 1), read_event(kA, 3)}) &&
         model.pairs().contains({initial_write(kB), read_event(kB, 4)});
}

double mean_runs_to_bug(const char* spec, size_t setters, int campaigns, uint64_t limit) {
  double sum = 0;
  for (int campaign = 0; campaign < campaigns; ++campaign) {
    Model model = reorder(setters);
    Strategy* strategy = make_strategy(spec);
    uint64_t run = 1;
    for (; run < limit; ++run) {
      model.run_and_learn(*strategy, static_cast<uint64_t>(campaign) * 1'000'003 + run);
      if (shows_the_bug(model)) break;
    }
    sum += static_cast<double>(run);
  }
  return sum / campaigns;
}

TEST(Rff, FindsReorderIndependentlyOfTheNumberOfThreads) {
  for (const size_t setters : {2u, 9u, 60u}) {
    EXPECT_LT(mean_runs_to_bug("rff", setters, 200, 500), 8) << setters;
  }
  // What it is compared with does not.
  EXPECT_GT(mean_runs_to_bug("pos", 60, 10, 500), 60);
}

TEST(Rff, WithoutConstraintsIsPartialOrderSampling) {
  EXPECT_GT(mean_runs_to_bug("rff:constraints=off", 60, 10, 500), 60);
}

TEST(Rff, NeverGetsStuck) {
  // Locks, and constraints that cannot be met: every run comes to its end.
  Model model({{locks(1), at(writes(kA), 1), unlocks(1)},
               {locks(1), at(reads(kA), 2), unlocks(1)},
               {at(reads(kA), 3), at(writes(kA), 4)}});
  Strategy* strategy = make_strategy("rff");
  std::set<std::string> seen;
  for (uint64_t run = 1; run <= 3000; ++run) {
    const std::string order = model.run_and_learn(*strategy, run);
    EXPECT_EQ(order.size(), 8u);
    seen.insert(order);
  }
  EXPECT_GT(seen.size(), 30u);
}

// ---- what constraints are drawn
// ------------------------------------------------------------------

TEST(EventRegistry, DrawsFirstWhatWasRacedFor) {
  EventRegistry events;
  events.begin_run();
  constexpr uintptr_t kOthers = 20;  // locations that nobody raced for
  for (uintptr_t i = 0; i <= kOthers; ++i) {
    const uintptr_t name = kA + 8 * i, read = 100 + i, write = 200 + i;
    events.note({name, write, 1, name, write, OpKind::write, true}, true);
    events.note({name, read, 2, name, read, OpKind::read, true}, false);
  }
  events.note_race(200, 100);
  Rng rng(1);
  int raced = 0;
  constexpr int kDraws = 8;  // then it counts as impossible
  for (int i = 0; i < kDraws; ++i) {
    Constraint constraint;
    ASSERT_TRUE(events.draw(rng, constraint));
    raced += constraint.location == kA;
  }
  EXPECT_GE(raced, kDraws / 2);
  for (int i = 0; i < 2 * kDraws; ++i) {
    Constraint constraint;
    events.draw(rng, constraint);
  }
  int later = 0;
  for (int i = 0; i < kDraws; ++i) {
    Constraint constraint;
    later += events.draw(rng, constraint) && constraint.location == kA;
  }
  EXPECT_LT(later, kDraws / 2);
}

// ---- the constraints themselves -----------------------------------------------------------------

// Steers every run towards the same constraints.
class Steered final : public Sampler {
 public:
  explicit Steered(const AbstractSchedule& schedule) : schedule_(schedule) {}
  void begin(uint64_t seed) override {
    Sampler::begin(seed);
    events_.begin_run();
    steering_.begin(schedule_, events_, {.leads = seed % 2 == 0, .persists = seed % 4 < 2});
  }
  bool wants_names() const override { return true; }
  void observed(const Event& event, bool writes) override {
    events_.note(event, writes);
    steering_.observed(event, writes);
  }
  ThreadId pick(const View& view) override { return steering_.pick(view, rng_); }
  void executed(const View& view, ThreadId id, const Operation& op) override {
    steering_.executed(view, id, op, rng_);
  }

 private:
  AbstractSchedule schedule_;
  EventRegistry events_;
  ProactiveScheduler steering_;
};

using Pair = std::pair<uint64_t, uint64_t>;

// All sets of pairs that the program's schedules have.
std::set<std::set<Pair>> all_behaviours(Model& model) {
  Strategy* strategy = make_strategy("systematic-first");
  std::set<std::set<Pair>> all;
  for (uint64_t run = 1; !strategy->exploration().finished; ++run) {
    model.run_and_learn(*strategy, run);
    all.insert(model.pairs());
  }
  return all;
}

// Every constraint over the program's own events that some schedule meets is met in nearly every
// steered run; and one that cannot be met does no harm.
void check_all_constraints(std::vector<std::vector<Operation>> threads) {
  Model model(threads);
  const std::set<std::set<Pair>> all = all_behaviours(model);
  std::map<uint64_t, uintptr_t> places;
  for (const auto& thread : threads) {
    for (const Operation& op : thread) {
      places[read_event(op.object, op.pc)] = places[write_event(op.object, op.pc)] = op.pc;
    }
  }
  std::set<std::pair<uint64_t, Pair>> wanted;  // location and pair
  for (const auto& reader : threads) {
    for (const Operation& read : reader) {
      if (!observes(read.kind)) continue;
      const uint64_t event = read_event(read.object, read.pc);
      wanted.insert({read.object, {initial_write(read.object), event}});
      for (const auto& writer : threads) {
        for (const Operation& write : writer) {
          if (!may_change(write.kind) || write.object != read.object) continue;
          wanted.insert({read.object, {write_event(write.object, write.pc), event}});
        }
      }
    }
  }
  for (const auto& [location, pair] : wanted) {
    for (const bool negative : {false, true}) {
      const auto meets = [&](const std::set<Pair>& pairs) {
        return pairs.contains(pair) != negative;
      };
      const bool possible = std::any_of(all.begin(), all.end(), meets);
      AbstractSchedule schedule;
      schedule.constraints[schedule.count++] = {location, pair.first, pair.second, negative};
      Steered strategy(schedule);
      for (uint64_t seed = 1000; seed < 1010; ++seed) model.run(strategy, seed);  // it learns
      int met = 0;
      constexpr int kTries = 200;
      for (uint64_t seed = 1; seed <= kTries; ++seed) {
        const std::string order = model.run(strategy, seed);
        EXPECT_FALSE(order.empty());
        met += meets(model.pairs());
      }
      if (possible) {
        EXPECT_GE(met, kTries * 95 / 100)
            << places[pair.second] << " reads " << (negative ? "not " : "") << "from "
            << places[pair.first];
      } else {
        EXPECT_EQ(met, 0);
      }
    }
  }
}

TEST(Constraints, AreMetInReorder) {
  check_all_constraints({{at(writes(kA), 1), at(writes(kB), 2)},
                         {at(writes(kA), 1), at(writes(kB), 2)},
                         {at(reads(kA), 3), at(reads(kB), 4)}});
}

TEST(Constraints, AreMetAmongSeveralWriters) {
  check_all_constraints({{at(writes(kA), 1), at(writes(kB), 2), at(writes(kA), 3)},
                         {at(writes(kA), 4), at(reads(kB), 5)},
                         {at(reads(kA), 6), at(writes(kB), 7), at(reads(kB), 8)}});
}

TEST(Constraints, OfLocksAreMet) {
  check_all_constraints({{at(locks(kA), 1), at(unlocks(kA), 2)},
                         {at(locks(kA), 3), at(unlocks(kA), 4)},
                         {at(locks(kA), 5), at(unlocks(kA), 6)}});
}

// Who waits inside for what another does under the same lock would wait for ever.
TEST(Constraints, BehindLocksAreMet) {
  constexpr uintptr_t kLock = 0x300;
  check_all_constraints(
      {{at(locks(kLock), 1), at(writes(kA), 2), at(unlocks(kLock), 3)},
       {at(locks(kLock), 4), at(writes(kB), 5), at(unlocks(kLock), 6)},
       {at(locks(kLock), 7), at(reads(kA), 8), at(reads(kB), 9), at(unlocks(kLock), 10)}});
}

TEST(Constraints, BehindDifferentLocksAreMet) {
  constexpr uintptr_t kFirst = 0x300, kSecond = 0x400;
  check_all_constraints({{at(locks(kFirst), 1), at(writes(kA), 2), at(unlocks(kFirst), 3),
                          at(locks(kSecond), 4), at(writes(kB), 5), at(unlocks(kSecond), 6)},
                         {at(locks(kFirst), 7), at(reads(kA), 8), at(unlocks(kFirst), 9),
                          at(locks(kSecond), 10), at(reads(kB), 11), at(unlocks(kSecond), 12)}});
}

// Two loops, each of which reads what the other writes: constraints that persist make them take
// turns.
TEST(Constraints, ThatPersistKeepLoopsInStep) {
  constexpr int kRounds = 5;
  std::vector<std::vector<Operation>> threads(2);
  std::string in_step;
  for (int round = 0; round < kRounds; ++round) {
    threads[0].insert(threads[0].end(), {at(reads(kB), 1), at(writes(kA), 2)});
    threads[1].insert(threads[1].end(), {at(reads(kA), 3), at(writes(kB), 4)});
    in_step += "0011";
  }
  Model model(threads);
  AbstractSchedule schedule;
  schedule.constraints[schedule.count++] = {kB, write_event(kB, 4), read_event(kB, 1), false};
  schedule.constraints[schedule.count++] = {kA, write_event(kA, 2), read_event(kA, 3), false};
  Steered strategy(schedule);
  int met = 0;
  for (uint64_t run = 0; run < 100; ++run) met += model.run(strategy, 4 * run + 1) == in_step;
  EXPECT_GT(met, 25);  // it is left to chance which of them begins
}

TEST(Constraints, OnMemoryThatIsNotAlwaysBehindTheSameLockAreMet) {
  constexpr uintptr_t kRight = 0x300, kWrong = 0x400;
  check_all_constraints(
      {{at(locks(kRight), 1), at(reads(kA), 2), at(writes(kA), 3), at(reads(kA), 4),
        at(unlocks(kRight), 5)},
       {at(locks(kWrong), 6), at(reads(kA), 7), at(writes(kA), 8), at(unlocks(kWrong), 9)}});
}

}  // namespace
}  // namespace jostle
