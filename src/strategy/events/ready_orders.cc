// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/events/ready_orders.h"

#include "src/base/hash.h"
#include "src/base/probe.h"

namespace jostle {

// ---- what is known ----------------------------------------------------------------------------

KnownReadyPairs::KnownReadyPairs()
    : table_(static_cast<Table*>(map_shared_engine_memory(sizeof(Table)))) {
  if (!table_) table_ = static_cast<Table*>(engine_allocate(sizeof(Table)));
}

KnownReadyPairs::Pair* KnownReadyPairs::find_or_add(uint64_t a, uint64_t b) {
  constexpr uint32_t kSlots = 2 * kMostPairs;
  const uint64_t slot = probe(combine(a, b) >> 32, kSlots, [&](uint64_t i) {
    if (table_->slots[i] == 0) return true;
    const Pair& pair = table_->pairs[table_->slots[i] - 1];
    return pair.a == a && pair.b == b;
  });
  if (table_->slots[slot] != 0) return &table_->pairs[table_->slots[slot] - 1];
  if (table_->count == kMostPairs) return nullptr;
  Pair& pair = table_->pairs[table_->count++];
  pair = {a, b, false, false};
  table_->slots[slot] = table_->count;
  return &pair;
}

void KnownReadyPairs::note(const uint64_t* names, uint32_t count, uint32_t told) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t first = names[told], other = names[i];
    if (first == other) continue;
    Pair* const pair = first < other ? find_or_add(first, other) : find_or_add(other, first);
    if (pair) (first == pair->a ? pair->a_first : pair->b_first) = true;
  }
}

ReadyOrder KnownReadyPairs::draw(Rng& rng) {
  const uint32_t count = table_->count;
  const auto start = static_cast<uint32_t>(rng.below(count));
  for (uint32_t n = 0; n < count; ++n) {
    Pair& pair = table_->pairs[(start + n) % count];
    if (pair.a_first && pair.b_first) continue;
    const bool a_first = !pair.a_first;
    pair.a_first = pair.b_first = true;  // tried
    return a_first ? ReadyOrder{pair.a, pair.b} : ReadyOrder{pair.b, pair.a};
  }
  const Pair& pair = table_->pairs[start];
  return rng.below(2) ? ReadyOrder{pair.a, pair.b} : ReadyOrder{pair.b, pair.a};
}

// ---- the search -------------------------------------------------------------------------------

void ReadyOrderSearch::begin(bool constrained, Rng& rng) {
  now_ = {};
  met_ = 0;
  if (!constrained || !known_.any()) return;
  if (!kept_.empty() && rng.below(4) != 0) now_ = kept_[rng.below(kept_.size())];
  mutate(rng);
}

void ReadyOrderSearch::mutate(Rng& rng) {
  for (uint64_t changes = rng.below(4) == 0 ? 2 : 1; changes > 0; --changes) {
    const uint64_t kind = now_.count == 0 ? 0 : rng.below(4);
    const auto any = static_cast<uint32_t>(now_.count ? rng.below(now_.count) : 0);
    ReadyOrder& old = now_.orders[any];
    if (kind == 1 && now_.count > 1) {
      old = now_.orders[--now_.count];
    } else if (kind == 2) {
      old = {old.then, old.first};
    } else if (kind == 3 || now_.count == ReadyOrders::kMost) {
      old = known_.draw(rng);
    } else {
      now_.orders[now_.count++] = known_.draw(rng);
    }
  }
}

bool ReadyOrderSearch::is_held(uint64_t name) const {
  for (uint32_t i = 0; i < now_.count; ++i) {
    if (now_.orders[i].then == name && !(met_ >> i & 1)) return true;
  }
  return false;
}

bool ReadyOrderSearch::is_awaited(uint64_t name) const {
  for (uint32_t i = 0; i < now_.count; ++i) {
    if (now_.orders[i].first == name && !(met_ >> i & 1)) return true;
  }
  return false;
}

bool ReadyOrderSearch::all_held(const uint64_t* names, uint32_t count) const {
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_held(names[i])) return false;
  }
  return true;
}

// Those that others wait for before those that nobody waits for; those that wait last, or not yet.
uint32_t ReadyOrderSearch::choose(const uint64_t* names, uint32_t count, bool may_stop, Rng& rng) {
  uint32_t best = 0, equals = 0;
  int best_tier = -2;
  for (uint32_t i = 0; i < count; ++i) {
    const int tier = is_held(names[i]) ? -1 : is_awaited(names[i]) ? 1 : 0;
    if (tier < best_tier) continue;
    equals = tier > best_tier ? 1 : equals + 1;
    best_tier = tier;
    if (rng.below(equals) == 0) best = i;
  }
  if (best_tier < 0 && may_stop) return count;
  // Of the rest now and then not yet, as without constraints.
  if (best_tier == 0 && may_stop && rng.below(4) == 0) return count;
  return best;
}

void ReadyOrderSearch::note(const uint64_t* names, uint32_t count, uint32_t told) {
  if (told >= count) return;
  known_.note(names, count, told);
  for (uint32_t i = 0; i < now_.count; ++i) {
    if (now_.orders[i].first == names[told]) met_ |= uint32_t{1} << i;
  }
}

void ReadyOrderSearch::after_run(bool is_new) {
  const ReadyOrders done = now_;
  now_ = {};  // the next run may be somebody else's
  if (!is_new || done.count == 0) return;
  if (kept_.size() < kMostKept) {
    kept_.push_back(done);
  } else {
    kept_[oldest_++ % kMostKept] = done;
  }
}

}  // namespace jostle
