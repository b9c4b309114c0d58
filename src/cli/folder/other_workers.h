// SPDX-License-Identifier: Apache-2.0
// The segments of the other workers of a build, each read once.
//
// Segments of a worker are numbered without gaps, so that a new one is found by its name and no
// folder has to be listed for it. One that is there but makes no sense is left out and counted; one
// that is missing while later ones are there (a copy that is under way) is waited for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "src/cli/folder/segment.h"

namespace jostle::cli {

// The worker's name, and what it wrote.
using TakeSegment = std::function<void(const std::string& worker, const Segment& segment)>;

class OtherWorkers {
 public:
  // `own`: is not read; may be empty.
  OtherWorkers(std::string build, std::string own, uint64_t seed)
      : build_(std::move(build)), own_(std::move(own)), rng_(seed) {}

  using Clock = std::chrono::steady_clock;
  // What is new of one in `parts` of the workers: so often called, it has been with all of them, in
  // an order that is another each time. False: there was no time for more, and the next call goes
  // on from there.
  bool read_part(uint32_t parts, Clock::time_point deadline, const TakeSegment& take);
  // Everything that is there, however long it takes, also behind segments that are missing: for who
  // only looks. False: one of those came since the last time, so that a fresh start sees more.
  bool read_everything(const TakeSegment& take);
  // Those up to this number are known otherwise.
  void skip(const std::string& worker, uint64_t sequence);

  size_t workers() const { return next_.size(); }
  uint64_t read() const { return read_; }
  // Segments that were cut off, foreign or corrupt.
  uint64_t left_out() const { return left_out_; }
  // Segments with later ones that read_everything did not find: lost, or not copied yet.
  uint64_t missing() const;

 private:
  void find_workers();
  void begin_round();
  bool read_new(const std::string& worker, Clock::time_point deadline, const TakeSegment& take);
  bool is_passed_over(const std::string& worker, uint64_t sequence);
  void read_good(const std::string& worker, uint64_t sequence, const TakeSegment& take);

  std::string build_, own_;
  Rng rng_;
  std::map<std::string, uint64_t> next_;  // number of each worker's next segment
  std::map<std::string, int> waited_;     // rounds, for one that is missing
  struct Gap {
    uint64_t from, to;  // both are missing, and all between them
  };
  std::map<std::string, std::vector<Gap>> gaps_;
  std::vector<std::string> round_;  // workers that are still to be read, the next one last
  size_t part_left_ = 0;            // of them, in this call or the next if time ran out
  uint64_t read_ = 0, left_out_ = 0;
};

}  // namespace jostle::cli
