// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/lock_cycles.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace jostle::report {
namespace {

constexpr size_t kLongestCycle = 5;
constexpr size_t kMostCycles = 50;
// Graphs that are so dense need no complete list.
constexpr uint64_t kMostSteps = 2'000'000;

std::span<const uint64_t> gates_of(const LockEdge& edge) {
  return {edge.gates, std::min(edge.gate_count, LockEdge::kMostGates)};
}

// Is there something that `edge` holds and too many of `others` as well?
bool finds_a_gate_shut(const LockEdge& edge, const LockCycle& others) {
  return std::ranges::any_of(gates_of(edge), [&](uint64_t gate) {
    uint32_t inside = 1, room = LockEdge::gate_room(gate);
    for (const LockEdge* other : others) {
      for (const uint64_t theirs : gates_of(*other)) {
        if (LockEdge::gate_name(theirs) != LockEdge::gate_name(gate)) continue;
        ++inside;
        room = std::max(room, LockEdge::gate_room(theirs));
        break;
      }
    }
    return inside > room;
  });
}

// Locks that both are about may have other names in another run.
bool may_be_other_locks(const LockEdge& a, const LockEdge& b) {
  return a.is_of_one_run() && b.is_of_one_run() && a.run != b.run;
}

class Search {
 public:
  explicit Search(std::span<const LockEdge> edges) {
    for (const LockEdge& edge : edges) {
      if (edge.ready.load(std::memory_order_acquire) != 0) from_[edge.held.name].push_back(&edge);
    }
  }

  std::vector<LockCycle> run() {
    std::vector<uint64_t> starts;
    for (const auto& [name, edges] : from_) starts.push_back(name);
    std::sort(starts.begin(), starts.end());
    for (longest_ = 2; longest_ <= kLongestCycle; ++longest_) {
      for (const uint64_t start : starts) {
        for (const LockEdge* edge : from_[start]) extend(*edge);
      }
    }
    return std::move(found_);
  }

 private:
  bool fits(const LockEdge& edge) const {
    if (!path_.empty() && path_.back()->wanted.reads != 0 && edge.held.reads != 0) return false;
    if (finds_a_gate_shut(edge, path_)) return false;
    return std::none_of(path_.begin(), path_.end(), [&](const LockEdge* other) {
      return other->thread == edge.thread || other->held.name == edge.held.name ||
             may_be_other_locks(*other, edge);
    });
  }

  // A cycle begins with its smallest name, so that each comes up once.
  void extend(const LockEdge& edge) {
    if (found_.size() >= kMostCycles || ++steps_ > kMostSteps || !fits(edge)) return;
    path_.push_back(&edge);
    const LockEdge& first = *path_.front();
    if (edge.wanted.name == first.held.name) {
      const bool readers = edge.wanted.reads != 0 && first.held.reads != 0;
      if (path_.size() == longest_ && !readers) keep();
    } else if (path_.size() < longest_ && edge.wanted.name > first.held.name) {
      const auto next = from_.find(edge.wanted.name);
      if (next != from_.end()) {
        for (const LockEdge* candidate : next->second) extend(*candidate);
      }
    }
    path_.pop_back();
  }

  void keep() {
    std::vector<uint64_t> places;
    for (const LockEdge* edge : path_) {
      places.push_back(edge->held.site);
      places.push_back(edge->wanted.site);
    }
    std::sort(places.begin(), places.end());
    if (known_.insert(places).second) found_.push_back(path_);
  }

  std::unordered_map<uint64_t, std::vector<const LockEdge*>> from_;
  LockCycle path_;
  size_t longest_ = 0;
  uint64_t steps_ = 0;
  std::set<std::vector<uint64_t>> known_;
  std::vector<LockCycle> found_;
};

}  // namespace

std::vector<LockCycle> find_lock_cycles(std::span<const LockEdge> edges) {
  return Search(edges).run();
}

}  // namespace jostle::report
