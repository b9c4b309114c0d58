// SPDX-License-Identifier: Apache-2.0
// A campaign's folder, read only: all workers of a build, what they have written all in all, and
// how that grew. `refresh` reads what is new; nothing is written.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/cli/folder/campaign_folder.h"
#include "src/cli/folder/other_workers.h"
#include "src/cli/folder/worker_folder.h"
#include "src/cli/support/thoroughness.h"

namespace jostle::cli {

struct WorkerView {
  enum class Life { running, ended, dead };
  WorkerInfo info;
  Life life = Life::running;
  std::string state;  // "running", or why it ended
  std::chrono::seconds silent{};
  WorkerProgress progress = {};
  uint64_t failures = 0;
  std::chrono::seconds since_news{};  // that it has reported, or that its heartbeat knows of
  std::string note = {};
  double rate() const;  // schedules per second of its life
};

struct FailureView {
  uint64_t identity = 0;
  std::string folder;                  // its name in findings/
  std::set<std::string> workers = {};  // that have seen it
  uint64_t first_ms = 0;               // when that was written first; since 1970
};

// How it was at a moment.
struct GrowthRow {
  uint64_t time_ms = 0;  // since the first segment's worker began
  uint64_t schedules = 0, failing_schedules = 0, distinct = 0;
  uint64_t pairs = 0, classes = 0, corpus = 0, failures = 0;
  std::map<std::string, uint32_t> shares = {};  // of one worker, the last that reported
};

class CampaignView {
 public:
  CampaignView(const CampaignFolder& folder, std::string build);

  void refresh();

  const std::string& build() const { return build_; }
  const std::vector<WorkerView>& workers() const { return workers_; }
  size_t count(WorkerView::Life life) const;
  // Of all workers. `distinct` is a sum: two may have had the same trace.
  WorkerProgress total() const;
  double rate() const;  // of those that run, and have said so lately
  uint64_t pairs() const { return pairs_.size(); }
  uint64_t corpus() const { return schedules_.size(); }
  uint64_t races() const { return races_.size(); }
  uint64_t inputs() const { return inputs_.size(); }
  std::vector<FailureView> failures() const;
  Thoroughness thoroughness() const;
  // How long ago a worker wrote a pair that was new, by the clock of the file system and those of
  // the workers' own lives, which may differ from each other and from ours.
  std::optional<std::chrono::seconds> since_last_news() const { return since_last_news_; }
  // From the first worker's beginning to the last new run that a worker reported.
  std::chrono::milliseconds searching() const;
  uint64_t segments() const { return reader_.read(); }
  uint64_t segments_left_out() const { return reader_.left_out(); }
  uint64_t segments_missing() const { return reader_.missing(); }
  // At most so many rows.
  std::vector<GrowthRow> growth(size_t most) const;
  // All that was written, in one segment; `schedules` left out.
  Segment sum() const;
  std::vector<AbstractSchedule> schedules() const;

 private:
  void read_all();
  void take(const std::string& worker, const Segment& segment);
  void look_at_workers();

  const CampaignFolder& folder_;
  std::string build_;
  OtherWorkers reader_;
  std::vector<WorkerView> workers_;
  struct Reported {
    uint64_t sequence = 0;
    uint64_t all_up_to = 0;          // no segment before this one is missing or damaged
    uint64_t began_ms = UINT64_MAX;  // since 1970
    WorkerProgress progress = {};
    // Of its life, in milliseconds: when it reported news of its own, and of pairs nobody had.
    uint64_t news_at = 0;
    std::optional<uint64_t> first_news_at = {};
    uint64_t last_run_ms = 0;  // when it reported a new run; since 1970
    // Runs whose classes are all here: those of the segment behind one that is missing came before.
    uint64_t classified = 0;
  };
  std::map<std::string, Reported> reported_;
  // First reported when, since 1970.
  std::unordered_map<uint64_t, uint64_t> pairs_;
  std::unordered_map<uint64_t, std::pair<AbstractSchedule, uint64_t>> schedules_;
  struct ClassView {
    uint64_t runs = 0, first_ms = 0;
  };
  std::unordered_map<uint64_t, ClassView> classes_;
  uint32_t class_bits_ = 0;
  std::unordered_set<uint64_t> races_, inputs_;
  std::unordered_map<uint64_t, LockEdgeRecord> lock_edges_;
  std::map<uint64_t, FailureView> failures_;
  uint64_t last_news_ms_ = 0;  // the same, since 1970; 0: never
  std::optional<std::chrono::seconds> since_last_news_ = {};
  struct Moment {
    uint64_t written_ms;
    std::string worker;
    WorkerProgress progress;
    std::vector<StrategyShare> shares;
  };
  std::vector<Moment> moments_;
};

}  // namespace jostle::cli
