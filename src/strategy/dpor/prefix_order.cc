// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/prefix_order.h"

#include "src/base/hash.h"

namespace jostle::dpor {

namespace {

// Identities are sums: their terms have to be as good as random.
uint64_t scattered(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

void PrefixOrder::begin_run() {
  events_.clear();
  last_of_.clear();
  counts_.clear();
  clocks_.clear();
  contacts_.clear();
  last_contact_.clear();
  identity_ = 0;
  has_learned_ = false;
}

void PrefixOrder::clear() {
  begin_run();
  contended_.clear();
}

void PrefixOrder::make_room_for(Thread thread) {
  while (last_of_.size() <= thread) {
    last_of_.push_back(kNone);
    counts_.push_back(0);
  }
  if (thread < stride_) return;
  const uint32_t before = stride_;
  stride_ = stride_ ? stride_ * 2 : 4;
  while (stride_ <= thread) stride_ *= 2;
  // From the last, because rows move up.
  clocks_.resize(size_t{size()} * stride_);
  for (uint32_t event = size(); event > 0; --event) {
    for (uint32_t t = stride_; t > 0; --t) {
      const size_t from = size_t{event - 1} * before + (t - 1);
      clocks_[size_t{event - 1} * stride_ + (t - 1)] = t <= before ? clocks_[from] : 0;
    }
  }
}

void PrefixOrder::join(uint32_t* to, uint32_t event) {
  const uint32_t* from = clock(event);
  for (uint32_t t = 0; t < stride_; ++t) {
    if (from[t] > to[t]) to[t] = from[t];
  }
}

void PrefixOrder::start_clock(const Action& action, uint32_t* to) {
  for (uint32_t t = 0; t < stride_; ++t) to[t] = 0;
  for (uint32_t event = 0; event < action.follows_first && event < size(); ++event) {
    join(to, event);
  }
  if (last_of_[action.thread] != kNone) join(to, last_of_[action.thread]);
  if (action.enabler < size()) join(to, action.enabler);
}

void PrefixOrder::meet(Footprint footprint, uint32_t* to) {
  const Touch* touches = footprints_->touches(footprint);
  for (uint32_t i = 0; i < footprints_->touch_count(footprint); ++i) {
    while (last_contact_.size() <= touches[i].object) last_contact_.push_back(kNone);
    while (contended_.size() <= touches[i].object) contended_.push_back(0);
    const Mode mode = touches[i].mode;
    uint32_t c = dependent_contact(contacts_, last_contact_[touches[i].object], mode);
    for (; c != kNone; c = dependent_contact(contacts_, contacts_[c].earlier, mode)) {
      if (!covers(start_.begin(), contacts_[c].event) && !contended_[touches[i].object]) {
        contended_[touches[i].object] = 1;
        has_learned_ = true;
      }
      if (to) join(to, contacts_[c].event);
      if (contacts_[c].mode == Mode::write) break;
    }
  }
}

void PrefixOrder::add(const Action& action, Footprint footprint, ChoicePath path) {
  make_room_for(action.thread);
  const uint32_t event = size();
  clocks_.resize(size_t{event + 1} * stride_);
  uint32_t* own = clock(event);
  start_.resize(stride_);
  start_clock(action, start_.begin());
  for (uint32_t t = 0; t < stride_; ++t) own[t] = start_[t];
  meet(footprint, own);
  const Touch* touches = footprints_->touches(footprint);
  for (uint32_t i = 0; i < footprints_->touch_count(footprint); ++i) {
    const uint32_t last = last_contact_[touches[i].object];
    contacts_.push_back(
        {event, touches[i].mode, last, dependent_contact(contacts_, last, touches[i].mode)});
    last_contact_[touches[i].object] = static_cast<uint32_t>(contacts_.size()) - 1;
  }
  const uint32_t ordinal = counts_[action.thread]++;
  own[action.thread] = ordinal + 1;
  events_.push_back({action.thread, ordinal});
  last_of_[action.thread] = event;

  uint64_t hash = scattered(combine(action.thread + 1, path));
  for (uint32_t t = 0; t < stride_; ++t) {
    if (own[t] != 0) hash = scattered(hash ^ (uint64_t{t} << 32 | own[t]));
  }
  identity_ += hash;
}

void PrefixOrder::add_missed(const Action& action, Footprint footprint) {
  make_room_for(action.thread);
  start_.resize(stride_);
  start_clock(action, start_.begin());
  meet(footprint, nullptr);
}

bool PrefixOrder::precedes(uint32_t event, const Action& next) {
  make_room_for(next.thread);
  start_.resize(stride_);
  start_clock(next, start_.begin());
  return covers(start_.begin(), event);
}

bool PrefixOrder::is_contended(Footprint footprint) const {
  const Touch* touches = footprints_->touches(footprint);
  for (uint32_t i = 0; i < footprints_->touch_count(footprint); ++i) {
    if (touches[i].object < contended_.size() && contended_[touches[i].object]) return true;
  }
  return false;
}

}  // namespace jostle::dpor
