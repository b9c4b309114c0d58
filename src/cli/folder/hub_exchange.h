// SPDX-License-Identifier: Apache-2.0
// Between the hub of one worker and the segments of all: writes what its processes have found and
// no segment has, and takes over what others have found.
//
// Sets of the hub only grow and their slots never change: a bit per slot says what has been
// written. What comes from others is marked as written, so that it is not written again.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "src/cli/folder/segment.h"
#include "src/schedule/hub.h"

namespace jostle::cli {

// The segment is full when it has about so many bytes.
inline constexpr size_t kSegmentBytes = size_t{64} << 10;

class HubExchange {
 public:
  explicit HubExchange(Hub& hub) : hub_(hub) {}

  // At least so many bytes have not been written. Cheap: asked all the time.
  size_t waiting_bytes() const;
  // Adds what was not written before; false: the segment is full and there is more.
  bool collect(Segment& segment);

  // What a segment of another worker brought that was not known here.
  struct News {
    size_t pairs = 0, schedules = 0, lock_edges = 0;
    bool any() const { return pairs + schedules + lock_edges != 0; }
  };
  // Of the schedules only those of a segment that has a pair which is new here: what the others
  // lead to is known. And not more than half of the hub's room.
  News take(const Segment& segment);

  // Pairs, schedules and lock edges that this worker's own processes found.
  uint64_t own_news() const { return own_news_; }

 private:
  bool collect_schedules(Segment& segment, size_t& room);
  bool collect_pairs(Segment& segment, size_t& room);
  bool collect_classes(Segment& segment, size_t& room);
  bool collect_edges(Segment& segment, size_t& room);
  bool collect_races(Segment& segment, size_t& room);
  bool take_schedule(const AbstractSchedule& schedule);
  bool take_edge(const LockEdgeRecord& record);

  Hub& hub_;
  uint64_t own_news_ = 0;
  uint32_t schedules_seen_ = 0;                   // of the hub's corpus
  std::unordered_set<uint64_t> schedules_known_;  // by their hash
  uint32_t schedules_taken_ = 0;
  std::vector<bool> pairs_sent_;  // by slot
  uint64_t pairs_done_ = 0;       // written, or taken from others
  std::vector<bool> races_sent_;
  uint64_t races_done_ = 0;
  std::vector<uint32_t> class_runs_sent_;  // by the order in which classes came
  uint64_t class_at_ = 0;                  // where the next segment goes on
  uint32_t edges_seen_ = 0;
  std::vector<bool> edges_taken_;
};

}  // namespace jostle::cli
