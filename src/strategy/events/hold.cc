// SPDX-License-Identifier: Apache-2.0
// One callback as late as may be: the run without preemption, but something that an event loop
// would learn of is held back for as long as there is anything else to learn, timers included.
//
// First each single place where that can be done: many a bug among callbacks is one that comes too
// late, and a run has few such places, while random choices would have to pass the same callback
// over again and again. In turn from the first on, because what waits from the beginning meets most
// of the others, and drawn at random, because a run may be long. Then two or three places at a
// time, at random.
#include "src/strategy/order.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr uint32_t kMostPlaces = 256;  // that are tried one by one
constexpr uint32_t kMostHeld = 3;

class Hold final : public Sampler {
 public:
  explicit Hold(const StrategyInput& input) {
    for (uint32_t i = 0; i < kMostPlaces; ++i) tried_[i] = !input.is_ours(i);  // others do
  }

  void begin(const RunStart& start) override {
    Sampler::begin(start);
    asked_ = 0;
    held_count_ = 0;
    place_count_ = 0;
    if (const uint32_t single = draw_untried(); single != kNone) {
      places_[place_count_++] = single;
      return;
    }
    place_count_ = 2 + static_cast<uint32_t>(rng_.below(kMostHeld - 1));
    for (uint32_t i = 0; i < place_count_; ++i) {
      places_[i] = static_cast<uint32_t>(rng_.below(known_ + 1));
    }
  }

  ThreadId pick(const View& view) override { return without_preemption(view); }

  // As without preemption; but input is drawn.
  uint32_t choose(const Question& question) override {
    if (question.names) {
      return question.kind == ChoiceKind::late ? choose_late(question) : choose_ready(question);
    }
    return question.kind == ChoiceKind::target ? draw_choice(rng_, question) : 0;
  }

  // Also after the runs of others: how many places there may be. What deviations led to is tried,
  // too.
  void after_run(const channel::RunRecord& run) override {
    const channel::Schedule& log = run.schedule;
    uint32_t places = 0;
    for (uint32_t i = 0; i < log.choice_count && places < kMostPlaces; ++i) {
      const bool late = log.choices[i].kind == ChoiceKind::late;
      const bool names_follow =
          i + 1 < log.choice_count && log.choices[i + 1].kind == ChoiceKind::ready;
      places += late ? !names_follow : log.choices[i].kind == ChoiceKind::ready;
    }
    if (places > known_) known_ = places;
  }
  void after_other_run(const channel::RunRecord& run) override { after_run(run); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t choose_late(const Question& question) {
    const uint64_t* names = question.names;
    const uint32_t count = question.name_count;
    // With more than one we are asked which of them comes first, and that is early enough.
    if (count == 1) hold_if_due(names[0]);
    if (next_of(names, count) < count) return 0;
    // They have waited as long as they may. Told now, and not with the timer: it may be what ends
    // the program.
    if (question.alternatives == 2) {
      held_count_ = 0;
      return 0;
    }
    return 2;
  }

  uint32_t choose_ready(const Question& question) {
    const uint64_t* names = question.names;
    const uint32_t count = question.name_count;
    if (const uint32_t next = next_of(names, count); next < count) hold_if_due(names[next]);
    const uint32_t next = next_of(names, count);
    if (next < count) return next;
    if (question.may_stop()) return count;
    release(names[0]);
    return 0;
  }

  uint32_t draw_untried() {
    uint32_t left = 0;
    for (uint32_t i = 0; i < known_; ++i) left += !tried_[i];
    if (left == 0) return kNone;
    in_turn_ = !in_turn_;
    uint64_t which = in_turn_ ? 0 : rng_.below(left);
    for (uint32_t i = 0;; ++i) {
      if (tried_[i] || which-- != 0) continue;
      tried_[i] = true;
      return i;
    }
  }

  bool is_held(uint64_t name) const {
    for (uint32_t i = 0; i < held_count_; ++i) {
      if (held_[i] == name) return true;
    }
    return false;
  }

  // The first that is not held; `count` if all are.
  uint32_t next_of(const uint64_t* names, uint32_t count) const {
    uint32_t i = 0;
    while (i < count && is_held(names[i])) ++i;
    return i;
  }

  // A place: the loop would learn of this next.
  void hold_if_due(uint64_t name) {
    const uint32_t place = asked_++;
    for (uint32_t i = 0; i < place_count_; ++i) {
      if (places_[i] == place && !is_held(name)) held_[held_count_++] = name;
    }
  }

  void release(uint64_t name) {
    for (uint32_t i = 0; i < held_count_; ++i) {
      if (held_[i] == name) held_[i] = held_[--held_count_];
    }
  }

  bool tried_[kMostPlaces] = {};
  bool in_turn_ = false;
  uint32_t known_ = 0;  // places
  // Of this run:
  uint32_t places_[kMostHeld] = {};
  uint32_t place_count_ = 0;
  uint64_t held_[kMostHeld] = {};
  uint32_t held_count_ = 0;
  uint32_t asked_ = 0;
};

}  // namespace

JOSTLE_STRATEGY(kHold) = {
    "hold", "one callback of an event loop as late as may be; each in turn", {}, made<Hold>};

}  // namespace jostle
