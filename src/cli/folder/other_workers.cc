// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/other_workers.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "src/cli/folder/campaign_folder.h"
#include "src/cli/folder/new_file.h"
#include "src/cli/folder/worker_folder.h"

namespace jostle::cli {
namespace {

// So often a missing segment is looked for before those behind it are read without it: a round is
// five seconds or more, and synchronisation by the minute is usual.
constexpr int kRoundsToWait = 60;
// How far behind a missing one others are looked for.
constexpr uint64_t kLookAhead = 4;

bool is_there(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

// Of those that a worker has written, from the first.
std::vector<uint64_t> segment_numbers(const std::string& folder) {
  std::vector<uint64_t> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    uint64_t number = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (wrong == std::errc() && number != 0 && number < UINT64_MAX &&
        name == segment_file_name(number)) {
      numbers.push_back(number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

void OtherWorkers::find_workers() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(build_, error)) {
    std::string name = entry.path().filename();
    if (is_worker_name(name) && name != own_) next_.try_emplace(std::move(name), 1);
  }
}

void OtherWorkers::skip(const std::string& worker, uint64_t sequence) {
  if (!is_worker_name(worker) || worker == own_ || sequence == UINT64_MAX) return;
  uint64_t& next = next_.try_emplace(worker, 1).first->second;
  if (next <= sequence) next = sequence + 1;
}

// Nothing was seen of it for long, and there are later ones.
bool OtherWorkers::is_passed_over(const std::string& worker, uint64_t sequence) {
  bool later = false;
  for (uint64_t i = 1; i <= kLookAhead && !later; ++i) {
    later = is_there(build_ + "/" + worker + "/" + segment_file_name(sequence + i));
  }
  if (!later) return false;
  if (++waited_[worker] < kRoundsToWait) return false;
  waited_.erase(worker);
  return true;
}

bool OtherWorkers::read_new(const std::string& worker, Clock::time_point deadline,
                            const TakeSegment& take) {
  uint64_t& next = next_[worker];
  while (true) {
    if (Clock::now() >= deadline) return false;
    const std::string path = build_ + "/" + worker + "/" + segment_file_name(next);
    if (!is_there(path)) {
      if (!is_passed_over(worker, next)) return true;
      ++left_out_;
      ++next;
      continue;
    }
    read_good(worker, next++, take);
  }
}

void OtherWorkers::read_good(const std::string& worker, uint64_t sequence,
                             const TakeSegment& take) {
  const auto bytes =
      read_whole_file(build_ + "/" + worker + "/" + segment_file_name(sequence), kMostSegmentBytes);
  Segment segment;
  const bool good = bytes && decode(*bytes, segment) == SegmentState::good;
  ++(good ? read_ : left_out_);
  if (good) take(worker, segment);
}

void OtherWorkers::begin_round() {
  find_workers();
  round_.clear();
  for (const auto& [worker, next] : next_) round_.push_back(worker);
  for (size_t i = round_.size(); i > 1; --i) std::swap(round_[i - 1], round_[rng_.below(i)]);
}

bool OtherWorkers::read_part(uint32_t parts, Clock::time_point deadline, const TakeSegment& take) {
  if (part_left_ == 0) {
    if (round_.empty()) begin_round();
    part_left_ = std::min(round_.size(), (next_.size() + parts - 1) / parts);
  }
  for (; part_left_ != 0; --part_left_) {
    if (!read_new(round_.back(), deadline, take)) return false;
    round_.pop_back();
  }
  return true;
}

bool OtherWorkers::read_everything(const TakeSegment& take) {
  find_workers();
  bool came_late = false;
  for (auto& [worker, next] : next_) {
    for (const uint64_t number : segment_numbers(build_ + "/" + worker)) {
      std::vector<Gap>& gaps = gaps_[worker];
      if (number < next) {
        came_late |= std::ranges::any_of(
            gaps, [number](const Gap& gap) { return gap.from <= number && number <= gap.to; });
        continue;
      }
      if (number > next) gaps.push_back({next, number - 1});
      read_good(worker, number, take);
      next = number + 1;
    }
  }
  return !came_late;
}

uint64_t OtherWorkers::missing() const {
  uint64_t count = 0;
  for (const auto& [worker, gaps] : gaps_) {
    for (const Gap& gap : gaps) count += gap.to - gap.from + 1;
  }
  return count;
}

}  // namespace jostle::cli
