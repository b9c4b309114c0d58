// SPDX-License-Identifier: Apache-2.0
// One worker of a campaign that is a folder: writes what its processes find, reads what others
// have found, and says how it is. The search calls it again and again; it looks at the clock first
// and mostly returns at once.
//
// How often: a segment every ten seconds, or as soon as one is full; every five seconds the new
// segments of a sixth of the other workers, so that all have been read within half a minute; and
// all of them at the start. Reading rests twenty times as long as it took: less than a twentieth of
// the time, however many workers there are. What cannot be written is said once, and tried again.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/cli/folder/campaign_folder.h"
#include "src/cli/folder/hub_exchange.h"
#include "src/cli/folder/other_workers.h"
#include "src/cli/folder/worker_folder.h"

namespace jostle::cli {

class CampaignWorker {
 public:
  using Clock = std::chrono::steady_clock;

  // Claims a folder of the campaign. `jobs`: processes that search.
  static Result<CampaignWorker> join(CampaignFolder folder, const std::string& build,
                                     const std::optional<WorkerPlace>& place, uint32_t jobs);

  const CampaignFolder& folder() const { return folder_; }
  const WorkerFolder& own() const { return own_; }
  const std::string& build() const { return build_; }
  std::string findings() const { return folder_.findings(build_); }
  // No other worker's, of whatever incarnation.
  uint64_t seed() const { return seed_; }

  // The search begins. The hub outlives us.
  void begin(Hub& hub);
  // More often than every ten seconds, for others who wait less for somebody who may be dead.
  void beat_every(Clock::duration time) { beat_every_ = time; }

  // What the search knows when it calls.
  struct Now {
    WorkerProgress progress = {};
    std::vector<StrategyShare> shares = {};
    uint64_t failures = 0;               // different ones seen
    std::vector<InputNews> inputs = {};  // found since the last call
  };
  // Whatever is due.
  void tick(const Now& now);
  // The last segment and the last heartbeat. An error: something could not be written.
  MaybeError end(const Now& now, const std::string& why);

  bool should_stop() const { return stopped_; }
  // Identities of failures that are in the campaign's folder.
  const std::set<uint64_t>& known_failures() const { return known_failures_; }
  // Of those, how many were not there when we came.
  size_t failures_since_start() const { return known_failures_.size() - failures_at_start_; }
  // One that this worker has seen, for the others.
  void saw_failure(uint64_t identity) { seen_failures_.push_back(identity); }
  // Inputs that others have found, since the last call.
  std::vector<InputNews> take_inputs() { return std::exchange(new_inputs_, {}); }

  size_t others() const { return others_.workers(); }
  uint64_t segments_left_out() const { return others_.left_out(); }

 private:
  CampaignWorker(CampaignFolder folder, std::string build, WorkerFolder own, uint64_t seed);
  void read_distilled();
  void hear(Clock::time_point now);
  void tell(const Now& now);
  void look_at_folder();
  void beat(const Now& now, const std::string& state, bool ended);
  void take(const Segment& segment);
  WorkerProgress completed(WorkerProgress progress) const;

  CampaignFolder folder_;
  std::string build_;
  WorkerFolder own_;
  uint64_t seed_;
  OtherWorkers others_;
  std::optional<HubExchange> exchange_;
  Hub* hub_ = nullptr;
  Clock::time_point started_ = Clock::now();
  Clock::duration beat_every_ = kHeartbeatEvery;
  Clock::time_point next_read_, next_segment_, next_beat_, next_look_;
  Clock::time_point last_news_;  // of our own
  Clock::duration exchanging_{};
  bool is_new_ = true;  // until everything that was there has been read
  uint64_t news_ = 0;   // of our own, when last looked at
  bool stopped_ = false;
  std::set<uint64_t> known_failures_;
  size_t failures_at_start_ = 0;
  std::vector<uint64_t> seen_failures_;
  std::vector<InputNews> new_inputs_;
  std::vector<Segment> unwritten_;  // there was no room for them
  MaybeError trouble_;
};

// "deadlock-0123456789abcdef"; none: it is no finding's folder.
std::optional<uint64_t> identity_in_name(std::string_view name);

}  // namespace jostle::cli
