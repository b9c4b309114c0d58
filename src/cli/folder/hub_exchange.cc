// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/hub_exchange.h"

#include <algorithm>
#include <type_traits>

namespace jostle::cli {
namespace {

// Of encoded records, about.
constexpr size_t kNumberBytes = 12;
constexpr size_t kClassBytes = 16;
constexpr size_t kConstraintBytes = 25;
constexpr size_t kEdgeBytes = 200;

// A worker tells of so many classes at most; if it knows more, of those that a hash picks.
constexpr uint64_t kMostToldClasses = 4096;

bool has_room(size_t& room, size_t bytes) {
  if (room < bytes) return false;
  room -= bytes;
  return true;
}

// What is new in a set of the hub since the last time.
template <typename Set>
bool collect_slots(const Set& set, std::vector<bool>& sent, uint64_t& done,
                   std::vector<uint64_t>& to, size_t& room) {
  constexpr size_t kSlots = std::extent_v<decltype(Set::slots)>;
  if (set.used.load(std::memory_order_relaxed) == done) return true;
  sent.resize(kSlots);
  for (size_t i = 0; i < kSlots; ++i) {
    if (sent[i]) continue;
    const uint64_t value = set.slots[i].load(std::memory_order_relaxed);
    if (value == 0) continue;
    if (!has_room(room, kNumberBytes)) return false;
    sent[i] = true;
    ++done;
    to.push_back(value);
  }
  return true;
}

}  // namespace

size_t HubExchange::waiting_bytes() const {
  const uint64_t used = hub_.reads_from_pairs.used.load(std::memory_order_relaxed);
  const uint64_t pairs = used - std::min(used, pairs_done_);
  const uint32_t schedules = hub_.corpus_size() - std::min(hub_.corpus_size(), schedules_seen_);
  return pairs * kNumberBytes + schedules * kConstraintBytes;
}

bool HubExchange::collect(Segment& segment) {
  size_t room = kSegmentBytes;
  const size_t before = segment.pairs.size() + segment.schedules.size() + segment.lock_edges.size();
  const bool all = collect_schedules(segment, room) && collect_pairs(segment, room) &&
                   collect_edges(segment, room) && collect_races(segment, room) &&
                   collect_classes(segment, room);
  own_news_ += segment.pairs.size() + segment.schedules.size() + segment.lock_edges.size() - before;
  return all;
}

bool HubExchange::collect_schedules(Segment& segment, size_t& room) {
  for (; schedules_seen_ < hub_.corpus_size(); ++schedules_seen_) {
    const CorpusEntry& entry = hub_.corpus[schedules_seen_];
    // Who fills it in may have died; the next time it is asked again, and those behind it.
    if (entry.ready.load(std::memory_order_acquire) == 0) return true;
    if (entry.worker == kFromDisk || entry.schedule.count == 0) continue;
    if (!has_room(room, entry.schedule.count * kConstraintBytes)) return false;
    if (!schedules_known_.insert(schedule_hash(entry.schedule)).second) continue;
    segment.schedules.push_back(entry.schedule);
  }
  return true;
}

bool HubExchange::collect_pairs(Segment& segment, size_t& room) {
  return collect_slots(hub_.reads_from_pairs, pairs_sent_, pairs_done_, segment.pairs, room);
}

bool HubExchange::collect_races(Segment& segment, size_t& room) {
  return collect_slots(hub_.races, races_sent_, races_done_, segment.races, room);
}

// How often each class came since it was handed on last.
bool HubExchange::collect_classes(Segment& segment, size_t& room) {
  const auto& tally = hub_.reads_from_sets;
  const uint64_t different = tally.different();
  while (different >> segment.class_bits > kMostToldClasses) ++segment.class_bits;
  class_runs_sent_.resize(std::max<uint64_t>(class_runs_sent_.size(), different));
  for (; class_at_ < different; ++class_at_) {
    const uint32_t slot = tally.slot_of[class_at_].load(std::memory_order_relaxed);
    if (slot == 0) continue;  // somebody is about to fill it in
    const uint64_t hash = tally.set.slots[slot - 1].load(std::memory_order_relaxed);
    const uint32_t runs = tally.counts[slot - 1].load(std::memory_order_relaxed);
    uint32_t& sent = class_runs_sent_[class_at_];
    if (runs == sent || !is_sent(hash, segment.class_bits)) continue;
    if (!has_room(room, kClassBytes)) return false;
    segment.classes.push_back({hash, runs - sent});
    sent = runs;
  }
  class_at_ = 0;
  return true;
}

bool HubExchange::collect_edges(Segment& segment, size_t& room) {
  const uint32_t count = std::min(hub_.lock_edges_claimed.load(), kMostLockEdges);
  for (; edges_seen_ < count; ++edges_seen_) {
    const LockEdge& edge = hub_.lock_edges[edges_seen_];
    if (edge.ready.load(std::memory_order_acquire) == 0) return true;
    if (edges_seen_ < edges_taken_.size() && edges_taken_[edges_seen_]) continue;
    if (edge.is_of_one_run()) continue;  // its names mean nothing to others
    if (!has_room(room, kEdgeBytes)) return false;
    const uint32_t gates = std::min(edge.gate_count, LockEdge::kMostGates);
    segment.lock_edges.push_back({edge.held,
                                  edge.wanted,
                                  edge.thread,
                                  edge.schedule_number,
                                  {edge.gates, edge.gates + gates}});
  }
  return true;
}

HubExchange::News HubExchange::take(const Segment& segment) {
  News news;
  pairs_sent_.resize(std::extent_v<decltype(hub_.reads_from_pairs.slots)>);
  for (const uint64_t pair : segment.pairs) {
    const auto place = hub_.reads_from_pairs.place(pair);
    if (!place.is_new) continue;
    pairs_sent_[place.slot] = true;
    ++pairs_done_;
    ++news.pairs;
  }
  if (news.pairs != 0) {
    for (const AbstractSchedule& schedule : segment.schedules) {
      news.schedules += take_schedule(schedule);
    }
  }
  for (const LockEdgeRecord& edge : segment.lock_edges) news.lock_edges += take_edge(edge);
  return news;
}

bool HubExchange::take_schedule(const AbstractSchedule& schedule) {
  if (schedules_taken_ >= kMostCorpus / 2) return false;
  if (!schedules_known_.insert(schedule_hash(schedule)).second) return false;
  CorpusEntry* entry = hub_.new_entry();
  if (entry == nullptr) return false;
  entry->worker = kFromDisk;
  entry->schedule = schedule;
  entry->ready.store(1, std::memory_order_release);
  ++schedules_taken_;
  return true;
}

bool HubExchange::take_edge(const LockEdgeRecord& record) {
  const auto gates = static_cast<uint32_t>(record.gates.size());
  const uint64_t key =
      LockEdge::key(record.held, record.wanted, record.thread, record.gates.data(), gates);
  if (!hub_.lock_edges_known.insert(key)) return false;
  const uint32_t index = hub_.lock_edges_claimed.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMostLockEdges) return false;
  LockEdge& edge = hub_.lock_edges[index];
  edge.held = record.held;
  edge.wanted = record.wanted;
  edge.thread = record.thread;
  edge.schedule_number = record.schedule_number;
  edge.gate_count = gates;
  std::copy(record.gates.begin(), record.gates.end(), edge.gates);
  edge.ready.store(1, std::memory_order_release);
  edges_taken_.resize(index + 1);
  edges_taken_[index] = true;
  return true;
}

}  // namespace jostle::cli
