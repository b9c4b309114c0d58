// SPDX-License-Identifier: Apache-2.0
// Reads-from fuzzing against small programs whose every behaviour is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "src/strategy/rff/constraint_drawer.h"
#include "src/strategy/rff/event_registry.h"
#include "src/strategy/rff/proactive.h"
#include "src/strategy/samplers/sampler.h"
#include "tests/unit/long_tests.h"
#include "tests/unit/model_program.h"

namespace jostle {
namespace {

Operation at(Operation op, uintptr_t pc) {
  op.pc = pc;
  return op;
}

constexpr uintptr_t kA = 0x100, kB = 0x200;

TEST(PairSet, IsEmptyAgainWhenCleared) {
  auto set = std::make_unique<PairSet<64>>();  // all zero
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 48; ++i) {
      EXPECT_FALSE(set->is_full());
      EXPECT_FALSE(set->has(i, 77));
      EXPECT_TRUE(set->add(i, 77));
      EXPECT_FALSE(set->add(i, 77));
      EXPECT_TRUE(set->has(i, 77));
    }
    EXPECT_TRUE(set->is_full());
    EXPECT_FALSE(set->add(100, 77));
    set->clear();
    for (uint64_t i = 0; i < 48; ++i) EXPECT_FALSE(set->has(i, 77));
  }
}

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

// How many, with `./dev test --long` and without.
int campaigns(int in_long, int in_short) { return test::is_long() ? in_long : in_short; }

TEST(Rff, FindsReorderIndependentlyOfTheNumberOfThreads) {
  for (const size_t setters : {2u, 9u, 60u}) {
    EXPECT_LT(mean_runs_to_bug("rff", setters, campaigns(200, 50), 500), 8) << setters;
  }
  // What it is compared with does not.
  EXPECT_GT(mean_runs_to_bug("pos", 60, campaigns(10, 4), 500), 60);
}

TEST(Rff, WithoutConstraintsIsPartialOrderSampling) {
  EXPECT_GT(mean_runs_to_bug("rff:constraints=off", 60, campaigns(10, 4), 500), 60);
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

// Everybody takes the lock on the left, then the one on the right.
TEST(Rff, ClosesCyclesOfLocks) {
  constexpr uint64_t kPhilosophers = 7, kCampaigns = 20, kLimit = 100;
  std::vector<std::vector<Operation>> threads;
  for (uintptr_t i = 0; i < kPhilosophers; ++i) {
    const uintptr_t left = 1 + i, right = 1 + (i + 1) % kPhilosophers;
    threads.push_back(
        {at(locks(left), 1), at(locks(right), 2), at(unlocks(right), 3), at(unlocks(left), 4)});
  }
  uint64_t runs = 0;
  for (uint64_t campaign = 0; campaign < kCampaigns; ++campaign) {
    Model model(threads);
    Strategy* strategy = make_strategy("rff");
    for (uint64_t run = 1; run < kLimit; ++run) {
      ++runs;
      if (model.run_and_learn(*strategy, campaign * 1'000'003 + run).ends_with('!')) break;
    }
  }
  EXPECT_LT(runs, 6 * kCampaigns);
}

// ---- what constraints are drawn
// ------------------------------------------------------------------

TEST(ConstraintDrawer, DrawsFirstWhatWasRacedFor) {
  EventRegistry events;
  events.begin_run();
  constexpr uintptr_t kOthers = 20;  // locations that nobody raced for
  for (uintptr_t i = 0; i <= kOthers; ++i) {
    const uintptr_t name = kA + 8 * i, read = 100 + i, write = 200 + i;
    events.note({name, write, 1, name, write, OpKind::write, true}, true);
    events.note({name, read, 2, name, read, OpKind::read, true}, false);
  }
  events.note_race(200, 100);
  ConstraintDrawer drawer(events.tables());
  Rng rng(1);
  Constraint constraint;
  ASSERT_TRUE(drawer.draw(rng, false, constraint));
  EXPECT_EQ(constraint.location, kA);
  // It was tried; what is left of it is to ask for the value before all writes.
  int raced = 0;
  constexpr int kDraws = 40;
  for (int i = 0; i < kDraws; ++i) {
    raced += drawer.draw(rng, false, constraint) && constraint.location == kA;
  }
  EXPECT_LT(raced, kDraws / 2);
}

Event by(uint64_t thread, uintptr_t name, uintptr_t site, OpKind kind) {
  return {name, site, thread, name, site, kind, true};
}

// Thread 1 reads twice without a lock, thread 2 writes: first of all a write is to come in between.
TEST(ConstraintDrawer, BreaksUpTwoReadsFirst) {
  EventRegistry events;
  events.begin_run();
  for (uintptr_t i = 1; i <= 10; ++i) {  // read once only
    events.note(by(2, kB + 8 * i, 50, OpKind::write), true);
    events.note(by(1, kB + 8 * i, 60, OpKind::read), false);
    events.note_race(50, 60);
  }
  events.note(by(1, kA, 100, OpKind::read), false);
  events.note(by(1, kA, 101, OpKind::read), false);
  events.note(by(2, kA, 200, OpKind::write), true);
  events.note_race(101, 200);
  ConstraintDrawer drawer(events.tables());
  Rng rng(1);
  Constraint constraint;
  ASSERT_TRUE(drawer.draw(rng, true, constraint));
  EXPECT_EQ(constraint.read, read_event(kA, 101));
  EXPECT_EQ(constraint.write, write_event(kA, 200));
  EXPECT_FALSE(constraint.negative);
}

// … but not between two reads of a critical section if the write takes the same lock. What was
// never observed of these is the value before all writes.
TEST(ConstraintDrawer, LeavesCriticalSectionsWhole) {
  EventRegistry events;
  events.begin_run();
  constexpr uintptr_t kLock = 0x900;
  const auto inside = [&](uint64_t thread, auto&& what) {
    events.note(by(thread, kLock, 10 * thread, OpKind::mutex_lock), false);
    what();
    events.note(by(thread, kLock, 10 * thread + 1, OpKind::mutex_unlock), true);
  };
  inside(2, [&] { events.note(by(2, kA, 200, OpKind::write), true); });
  inside(1, [&] {
    events.note(by(1, kA, 100, OpKind::read), false);
    events.note(by(1, kA, 101, OpKind::read), false);
  });
  for (const uintptr_t read : {100, 101}) {
    events.note_pair(write_event(kA, 200), read_event(kA, read));
  }
  ConstraintDrawer drawer(events.tables());
  Rng rng(1);
  Constraint constraint;
  bool asks_for_the_start = false;
  for (int i = 0; i < 8; ++i) {
    if (!drawer.draw(rng, true, constraint)) continue;
    asks_for_the_start |= constraint.location == kA && constraint.write == initial_write(kA);
  }
  EXPECT_TRUE(asks_for_the_start);

  events.note_race(101, 200);  // elsewhere it is written without the lock
  ASSERT_TRUE(drawer.draw(rng, true, constraint));
  const bool is_between = constraint.read == read_event(kA, 101) && !constraint.negative &&
                          constraint.write == write_event(kA, 200);
  EXPECT_FALSE(is_between);
}

// Both threads read and then write: a write waits until the other has read the old value.
TEST(ConstraintDrawer, LosesAnUpdate) {
  EventRegistry events;
  events.begin_run();
  for (const uint64_t thread : {1, 2}) {
    events.note(by(thread, kA, 100, OpKind::read), false);
    events.note(by(thread, kA, 200, OpKind::write), true);
  }
  events.note_race(100, 200);
  ConstraintDrawer drawer(events.tables());
  Rng rng(1);
  Constraint constraint;
  ASSERT_TRUE(drawer.draw(rng, true, constraint));
  EXPECT_EQ(constraint.read, read_event(kA, 100));
  EXPECT_EQ(constraint.write, write_event(kA, 200));
  EXPECT_TRUE(constraint.negative);
}

// Nothing comes between the two halves of one atomic operation, and what was seen in between once
// is no news.
TEST(ConstraintDrawer, KnowsWhatCameInBetween) {
  EventRegistry events;
  events.begin_run();
  for (const uint64_t thread : {1, 2, 1}) {
    events.note(by(thread, kA, 100, OpKind::atomic_rmw), false);
    events.note(by(thread, kA, 100, OpKind::write), true);
  }
  EXPECT_TRUE(events.tables().between.has(write_event(kA, 100), read_event(kA, 100)));
  EXPECT_EQ(events.tables().again_count, 0u);
}

// What was tried is forgotten from round to round; what was observed is not, however long it takes.
TEST(ConstraintDrawer, LearnsForAsLongAsItDraws) {
  EventRegistry events;
  events.begin_run();
  for (uintptr_t i = 0; i < 20; ++i) {
    events.note(by(1, kA, 200 + i, OpKind::atomic_store), true);
    events.note(by(2, kA, 100 + i, OpKind::atomic_load), false);
  }
  ConstraintDrawer drawer(events.tables());
  Rng rng(1);
  Constraint constraint;
  for (int i = 0; i < 100'000; ++i) drawer.draw(rng, false, constraint);
  EXPECT_GT(events.tables().round, 10u);
  events.note_pair(write_event(kA, 200), read_event(kA, 100));
  EXPECT_TRUE(events.tables().observed.has(write_event(kA, 200), read_event(kA, 100)));
}

// What is done while there is only one thread cannot come at another time.
TEST(ConstraintDrawer, LeavesWhatIsDoneAlone) {
  EventRegistry events;
  events.begin_run();
  events.note(by(1, kA, 200, OpKind::atomic_store), true);
  Event check = by(0, kA, 100, OpKind::atomic_load);
  check.alone = true;
  events.note(check, false);
  ConstraintDrawer drawer(events.tables());
  Rng rng(1);
  Constraint constraint;
  EXPECT_FALSE(drawer.draw(rng, false, constraint));
  events.note(by(0, kA, 100, OpKind::atomic_load), false);  // in another run it was not
  EXPECT_TRUE(drawer.draw(rng, false, constraint));
}

// ---- the constraints themselves -----------------------------------------------------------------

// Steers every run towards the same constraints.
class Steered final : public Sampler, public Observer {
 public:
  using Manner = ProactiveScheduler::Manner;
  using Leads = ProactiveScheduler::Leads;
  // In all manners by turns, unless it is told which.
  explicit Steered(const AbstractSchedule& schedule, std::optional<Manner> manner = {})
      : schedule_(schedule), manner_(manner) {}
  void begin(const RunStart& start) override {
    Sampler::begin(start);
    const uint64_t seed = start.seed;
    const Leads leads[] = {Leads::nobody, Leads::reader, Leads::writer};
    const Manner all = {leads[seed % 3], seed % 4 < 2, seed % 8 < 4};
    steering_.begin(schedule_, events_, manner_ ? *manner_ : all, rng_);
  }
  Parts parts() override { return {.names = true, .observer = this}; }
  void run_begins() override { events_.begin_run(); }
  void paired(uint64_t, uint64_t) override {}
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
  std::optional<Manner> manner_;
  EventRegistry events_;
  ProactiveScheduler steering_;
};

using Pair = std::pair<uint64_t, uint64_t>;

// All sets of pairs that the program's schedules have.
std::set<std::set<Pair>> all_behaviours(Model& model) {
  Strategy* strategy = make_strategy("systematic-first");
  std::set<std::set<Pair>> all;
  for (uint64_t run = 1; !exploration_of(*strategy).finished; ++run) {
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
      const auto meets = [&, wanted_pair = pair](const std::set<Pair>& pairs) {
        return pairs.contains(wanted_pair) != negative;
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
  Steered strategy(
      schedule, Steered::Manner{.leads = Steered::Leads::nobody, .persists = true, .casts = false});
  int met = 0;
  for (uint64_t run = 1; run <= 100; ++run) met += model.run(strategy, run) == in_step;
  EXPECT_GT(met, 25);  // it is left to chance which of them begins
}

TEST(Constraints, OnMemoryThatIsNotAlwaysBehindTheSameLockAreMet) {
  constexpr uintptr_t kRight = 0x300, kWrong = 0x400;
  check_all_constraints(
      {{at(locks(kRight), 1), at(reads(kA), 2), at(writes(kA), 3), at(reads(kA), 4),
        at(unlocks(kRight), 5)},
       {at(locks(kWrong), 6), at(reads(kA), 7), at(writes(kA), 8), at(unlocks(kWrong), 9)}});
}

// Weak memory: a load reads the store that a constraint asks for, as long as it may.
TEST(Constraints, AreMetByAnOlderStore) {
  const uint64_t read = read_event(kA, 5);
  const uint64_t stores[] = {write_event(kA, 3), write_event(kA, 2), initial_write(kA)};
  const auto wanted = [&](uint64_t write, bool negative, uint64_t by) {
    AbstractSchedule schedule;
    schedule.constraints[schedule.count++] = {kA, write, read, negative};
    EventRegistry events;
    Rng rng;
    ProactiveScheduler steering;
    steering.begin(schedule, events, {}, rng);
    const uint32_t first = steering.wanted_store(by, stores, 3);
    // What is met is not asked for again; what is to be avoided always is.
    EXPECT_EQ(steering.wanted_store(by, stores, 3), negative ? first : 0u);
    return first;
  };
  EXPECT_EQ(wanted(write_event(kA, 2), false, read), 1u);
  EXPECT_EQ(wanted(initial_write(kA), false, read), 2u);
  EXPECT_EQ(wanted(write_event(kA, 4), false, read), 0u);  // not there
  EXPECT_EQ(wanted(write_event(kA, 2), false, read_event(kA, 6)), 0u);
  EXPECT_EQ(wanted(write_event(kA, 3), true, read), 1u);
  EXPECT_EQ(wanted(write_event(kA, 2), true, read), 0u);  // the newest is another anyway
}

}  // namespace
}  // namespace jostle
