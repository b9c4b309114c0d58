// SPDX-License-Identifier: Apache-2.0
// A segment: what one worker of a campaign tells all others, as bytes that never change again.
//
// A campaign's folder may be on any file system, be copied while it is written, and be read by
// somebody on another machine. So a segment is complete in itself: a header with the number of its
// records and a checksum, then the records. Numbers are little-endian. A reader takes a segment as
// a whole or not at all, and skips kinds of records that it does not know. docs/campaign.md has the
// format for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/schedule/hub.h"

namespace jostle::cli {

// How often runs had one reads-from class: the set of pairs of a write and a read, as a hash.
struct ClassTally {
  uint64_t hash = 0;
  uint32_t runs = 0;
  bool operator==(const ClassTally&) const = default;
};

// A LockEdge of the hub.
struct LockEdgeRecord {
  LockEdge::Lock held = {}, wanted = {};
  uint64_t thread = 0;
  uint64_t schedule_number = 0;
  std::vector<uint64_t> gates = {};
};

// A strategy of a portfolio and its share of the runs, in per cent.
struct StrategyShare {
  std::string name;
  uint32_t percent = 0;
  bool operator==(const StrategyShare&) const = default;
};

// inputs/<hash> is worth to go on from.
struct InputNews {
  uint64_t hash = 0;
  uint32_t size = 0;
  bool operator==(const InputNews&) const = default;
};

// A failure, by its identity, was seen so many more times by this worker.
struct FailureTally {
  uint64_t identity = 0;
  uint32_t times = 0;
  bool operator==(const FailureTally&) const = default;
};

// What a worker has done all in all when the segment was written.
struct WorkerProgress {
  uint64_t elapsed_ms = 0;
  uint64_t schedules = 0;
  uint64_t failing_schedules = 0;
  uint64_t distinct = 0;       // traces, of this worker
  uint64_t classes = 0;        // different ones, of this worker
  uint64_t classified = 0;     // runs whose classes were counted
  uint64_t exchanging_ms = 0;  // of the time: reading what others wrote, and writing
  bool operator==(const WorkerProgress&) const = default;
};

// Of a segment that sums others up: it has all that this worker wrote up to that number.
struct Covered {
  std::string worker;
  uint64_t sequence = 0;
  bool operator==(const Covered&) const = default;
};

// Of a search that is divided into units (units/unit_files.h): the answer of one.
struct UnitRecord {
  uint64_t identity = 0;    // of the unit; 0: there is none
  std::string answer = {};  // bytes that only the search understands
  std::string notes = {};   // JSON: what the verdict assumes
  bool operator==(const UnitRecord&) const = default;
};

struct Segment {
  uint64_t sequence = 0;    // of its worker, from 1
  uint64_t written_ms = 0;  // since 1970, by the writer's clock
  // Of the classes those are written whose hash ends in so many zero bits, see told_of_classes.
  uint32_t class_bits = 0;
  WorkerProgress progress = {};
  std::vector<AbstractSchedule> schedules = {};
  std::vector<uint64_t> pairs = {};
  std::vector<ClassTally> classes = {};  // since the segment before
  std::vector<uint64_t> races = {};      // keys
  std::vector<LockEdgeRecord> lock_edges = {};
  std::vector<StrategyShare> shares = {};
  std::vector<InputNews> inputs = {};
  std::vector<FailureTally> failures = {};
  std::vector<Covered> covered = {};
  UnitRecord unit = {};
};

// Larger ones are not written, and not read either. A segment that sums up a campaign may have it.
inline constexpr size_t kMostSegmentBytes = size_t{64} << 20;

std::string encode(const Segment& segment);

enum class SegmentState {
  good,
  cut_off,  // shorter than it says
  foreign,  // no segment at all
  newer,    // of a version that is not known here
  corrupt,  // the checksum, or something in it, is wrong
};
// `segment` is filled only when it is good.
SegmentState decode(std::string_view bytes, Segment& segment);

// Which classes are written when a worker knows very many: those whose mixed hash ends in `bits`
// zero bits. The choice is the same everywhere, so that counts of several workers can be added up.
bool is_sent(uint64_t class_hash, uint32_t bits);

uint64_t schedule_hash(const AbstractSchedule& schedule);

}  // namespace jostle::cli
