// SPDX-License-Identifier: Apache-2.0
// What the program compares directs some of the runs; all others are those of another strategy.
//
// An instrumented program (-fjostle-coverage) tells what it compares, and which read of shared
// memory brought one of the two sides. Where they differ, another schedule may make them equal: one
// in which the read sees the value of the other side. So in a directed run that read waits for the
// value (wanted_values.h). If that makes them equal, or leads to code that no run had reached, what
// is compared then becomes a further wish: a bug behind several such conditions is found one
// condition after the other, however many schedules there are. The idea is that of input-to-state
// correspondence (Aschermann et al., "REDQUEEN", NDSS 2019), with what other threads write for the
// input.
//
// What the program draws by itself is solved for in a similar way: choice_solver.h.
#include "src/base/probe.h"
#include "src/base/rng.h"
#include "src/strategy/compare/choice_solver.h"
#include "src/strategy/rff/wanted_values.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

// Before this the other strategy finds what is easy to find, and what is shared is learned.
constexpr uint64_t kFirstRuns = 16;
// Runs of an idea: who comes first when nobody is held back is left to luck.
constexpr uint32_t kTries = 2;
// Ideas that wait; those that come from a run with new code are added all the same.
constexpr size_t kMostIdle = 64;
constexpr size_t kMostIdeas = 1024;
// Of the runs without wishes that bring nothing new, one in so many is asked for ideas.
constexpr uint64_t kLooksEvery = 8;
constexpr uint64_t kSets = 1 << 12;
// Runs after which an idea may come again.
constexpr uint64_t kForgetsAfter = 1024;
// One run in so many at most goes to solving for draws, unless there is something new to go on
// from.
constexpr uint64_t kSolvesOneIn = 8;

// A run in which some reads wait for values.
class Steered final : public Decider {
 public:
  explicit Steered(Rng& rng) : rng_(rng) { manner_.holds_up = true; }

  void want(const WantedValues& wanted) { wanted_ = wanted; }

  void begin(const RunStart&) override { steering_.begin(wanted_); }
  ThreadId pick(const View& view) override { return steering_.pick(view, rng_); }
  uint32_t choose(const Question& question) override { return draw_choice(rng_, question); }
  void executed(const View& view, ThreadId id, const Operation& op) override {
    steering_.executed(view, id, op, rng_);
  }

 private:
  Rng& rng_;
  WantedValues wanted_;
  ValueSteering steering_;
};

// A run with draws that have been solved for: it follows a log.
class Solved final : public GuidedStrategy {
 public:
  GuideLog& log() { return log_; }
};

class Directed final : public Strategy {
 public:
  explicit Directed(Strategy* other) : other_(other) {}

  Parts parts() override {
    Parts parts = other_->parts();
    parts.names = true;
    return parts;
  }

  Turn begin_run(const RunStart& start) override {
    rng_.reseed(start.seed);
    const RunStart of_other = {rng_.next(), start.patient};
    choose_mode();
    switch (mode_) {
      case Mode::solve:
        solver_.begin(solved_run_.log());
        return begin_own(solved_run_, start);
      case Mode::steer:
        take_idea();
        steered_run_.want(now_);
        return begin_own(steered_run_, start);
      default:
        return other_->begin_run(of_other);
    }
  }

  void after_run(const channel::RunRecord& run) override {
    ++runs_;
    if (mode_ == Mode::other) {
      other_->after_run(run);
    } else {
      other_->after_other_run(run);
    }
    if (mode_ == Mode::solve) {
      solver_.after_own_run(run);
      ++solved_;
    } else if (run.new_features || (solved_ * kSolvesOneIn <= runs_ && !solver_.has_task())) {
      solver_.go_on_from(run);
    }
    if (mode_ != Mode::steer) now_ = {};
    if (run.new_features || (now_.count ? is_equal(run) : runs_ % kLooksEvery == 0)) add_ideas(run);
  }

 private:
  enum class Mode { other, steer, solve };

  struct Idea {
    WantedValues wanted;
    uint64_t place = 0;  // of the comparison whose sides are to be equal
    uint32_t tries = 0;
    bool is_fresh = false;  // from a run that reached new code
  };

  static Turn begin_own(Decider& decider, const RunStart& start) {
    decider.begin(start);
    return {&decider, "directed"};
  }

  void take_idea() {
    Idea& idea = ideas_.back();
    now_ = idea.wanted;
    place_ = idea.place;
    if (++idea.tries == kTries) ideas_.pop_back();
  }

  void choose_mode() {
    mode_ = Mode::other;
    if (runs_ < kFirstRuns) return;
    const bool solves = solver_.has_task(), steers = !ideas_.empty();
    if (solves && rng_.below(steers ? 4 : 2) == 0) {
      mode_ = Mode::solve;
    } else if (steers && rng_.below(ideas_.back().is_fresh ? 2 : 4) == 0) {
      mode_ = Mode::steer;
    }
  }

  // What the last wish of the run was for; only those that differ are listed.
  bool is_equal(const channel::RunRecord& run) const {
    for (uint32_t i = 0; i < run.comparison_count; ++i) {
      if (run.comparisons[i].place == place_) return false;
    }
    return true;
  }

  void add_ideas(const channel::RunRecord& run) {
    for (uint32_t i = 0; i < run.comparison_count; ++i) {
      const channel::Comparison& seen = run.comparisons[i];
      if (!seen.read_name) continue;
      const uint32_t size = seen.read_size < seen.size ? seen.read_size : seen.size;
      const uint64_t other_side = seen.read_left ? seen.right : seen.left;
      // The last one is the first to be tried.
      for (const uint64_t value : {other_side + 1, other_side - 1, other_side}) {
        add_idea({seen.read_name, seen.read_site, value, size}, seen.place, run.new_features != 0);
      }
    }
  }

  void add_idea(const WantedValue& wanted, uint64_t place, bool is_fresh) {
    if (ideas_.size() >= (is_fresh ? kMostIdeas : kMostIdle)) return;
    Idea idea = {now_, place, 0, is_fresh};
    if (!idea.wanted.add(wanted) || !is_new(idea.wanted.hash())) return;
    ideas_.push_back(idea);
  }

  // A set of wishes that has not been tried lately: it may have been bad luck.
  bool is_new(uint64_t hash) {
    if (tried_.empty()) tried_.resize(kSets);
    if (runs_ >= forgets_at_ || tried_count_ == kSets / 2) {
      for (uint64_t& known : tried_) known = 0;
      tried_count_ = 0;
      forgets_at_ = runs_ + kForgetsAfter;
    }
    uint64_t& place =
        tried_[probe(hash, kSets, [&](uint64_t i) { return tried_[i] == 0 || tried_[i] == hash; })];
    if (place == hash) return false;
    place = hash;
    ++tried_count_;
    return true;
  }

  Strategy* other_;
  Mode mode_ = Mode::other;
  Rng rng_;
  uint64_t runs_ = 0;
  WantedValues now_;  // of this run
  uint64_t place_ = 0;
  Steered steered_run_{rng_};
  Solved solved_run_;
  EngineVector<Idea> ideas_;
  EngineVector<uint64_t> tried_;  // hashes; 0: empty
  uint64_t tried_count_ = 0, forgets_at_ = 0;
  ChoiceSolver solver_;
  uint64_t solved_ = 0;  // runs for that
};

}  // namespace

Strategy* make_directed(Strategy* other) {
  return new (engine_allocate(sizeof(Directed))) Directed(other);
}

JOSTLE_STRATEGY(kDirected) = {"directed",
                              "reads see what the program compares them with; otherwise as pos",
                              {},
                              [](const StrategyValues&, const StrategyInput&) {
                                return make_directed(make_strategy("pos"));
                              }};

}  // namespace jostle
