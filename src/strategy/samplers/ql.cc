// SPDX-License-Identifier: Apache-2.0
// Q-learning (Mukherjee, Deligiannis, Biswas, Lal, OOPSLA 2020) on the reads-from state, as the RFF
// paper compares with it (QL-RF).
//
// State: which reads have observed which writes in this run so far, as a hash that does not depend
// on their order. Action: the operation that the chosen thread executes. Every step costs the same,
// so that what has been done often in a state looks worse and worse, and the search turns to what
// it has not seen. An action is drawn with a probability that falls with its cost (softmax).
//
// Where we differ from the published artifact of RFF: there the table is emptied before every run,
// so that it never learns; ours is kept for the campaign, in memory that forked runs share.
#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/base/probe.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr double kRate = 0.3;      // alpha: how much a step changes what is known
constexpr double kDiscount = 0.7;  // gamma: how much the next state counts
constexpr double kReward = -1;

constexpr uint64_t kPlaces = 1 << 20;
constexpr uint64_t kMostUsed = kPlaces / 4 * 3;

struct Entry {
  uint64_t key;  // of state and action; 0: empty
  double value;
};

struct Table {
  uint64_t used;
  Entry entries[kPlaces];
};

// e^x for the x that come up here, -4 to 0: (1 + x/1024)^1024.
double exponential(double x) {
  double y = 1 + x / 1024;
  for (int i = 0; i < 10; ++i) y *= y;
  return y;
}

class QLearning final : public Sampler {
 public:
  QLearning() : table_(static_cast<Table*>(map_shared_engine_memory(sizeof(Table)))) {}

  Parts parts() override { return {.names = true}; }

  void begin(const RunStart& start) override {
    Sampler::begin(start);
    last_ = nullptr;
  }

  ThreadId pick(const View& view) override {
    if (!table_) return view.candidates->nth(0);
    weights_.clear();
    double sum = 0, best = -1e9;
    view.candidates->for_each([&](ThreadId id) {
      const Entry* entry = find(key_of(view, id), false);
      const double value = entry ? entry->value : 0;
      const double weight = exponential(value);
      if (value > best) best = value;
      sum += weight;
      weights_.push_back(weight);
    });
    learn(best);
    double point = rng_.unit() * sum;
    uint32_t chosen = 0;
    while (chosen + 1 < weights_.size() && point >= weights_[chosen]) point -= weights_[chosen++];
    JOSTLE_CHECK_EQ(weights_.size(), view.candidates->count());
    const ThreadId id = view.candidates->nth(chosen);
    last_ = find(key_of(view, id), true);
    return id;
  }

 private:
  static uint64_t key_of(const View& view, ThreadId id) {
    const Operation& op = view.pending(id);
    const uint64_t action = combine(combine(op.site, op.name), static_cast<uint64_t>(op.kind));
    return combine(view.reads_from(), action) | 1;
  }

  Entry* find(uint64_t key, bool make) {
    Entry& entry = table_->entries[probe(key >> 12, kPlaces, [&](uint64_t i) {
      return table_->entries[i].key == 0 || table_->entries[i].key == key;
    })];
    if (entry.key == key) return &entry;
    if (!make || table_->used == kMostUsed) return nullptr;
    ++table_->used;
    JOSTLE_CHECK_LE(table_->used, kMostUsed);
    entry.key = key;
    return &entry;
  }

  // The last action has led to a state in which the best action has this value.
  void learn(double best) {
    if (last_) last_->value = (1 - kRate) * last_->value + kRate * (kReward + kDiscount * best);
  }

  Table* table_;
  Entry* last_ = nullptr;
  EngineVector<double> weights_;
};

}  // namespace

JOSTLE_STRATEGY(kQl) = {"ql",
                        "Q-learning: what was done often in a state becomes less likely there",
                        {},
                        made<QLearning>};

}  // namespace jostle
