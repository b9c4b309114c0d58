// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/campaign_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "src/base/hash.h"
#include "src/cli/folder/distilled.h"
#include "src/cli/folder/new_file.h"
#include "src/cli/folder/process_mark.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kSegmentEvery{10};
// At first more often: then there is the most to tell.
constexpr seconds kFirstSegment{1};
constexpr seconds kReadEvery{5};
// After so many turns all have been read.
constexpr uint32_t kParts = 6;
constexpr seconds kLookEvery{1};
// The search is to be watched meanwhile.
constexpr milliseconds kLongestRead{100};
constexpr int kRestAfterReading = 20;
// What could not be written is kept, up to so many segments.
constexpr size_t kMostUnwritten = 1024;

uint64_t in_ms(CampaignWorker::Clock::duration time) {
  return static_cast<uint64_t>(std::chrono::duration_cast<milliseconds>(time).count());
}

}  // namespace

std::optional<uint64_t> identity_in_name(std::string_view name) {
  constexpr size_t kDigits = 16;
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || name.size() - dash - 1 != kDigits) return std::nullopt;
  uint64_t identity = 0;
  const char* end = name.data() + name.size();
  if (std::from_chars(name.data() + dash + 1, end, identity, 16) !=
      std::from_chars_result{end, {}}) {
    return std::nullopt;
  }
  return identity;
}

CampaignWorker::CampaignWorker(CampaignFolder folder, std::string build, WorkerFolder own,
                               uint64_t seed)
    : folder_(std::move(folder)),
      build_(std::move(build)),
      own_(std::move(own)),
      seed_(seed),
      others_(folder_.build(build_), own_.name(), seed) {}

Result<CampaignWorker> CampaignWorker::join(CampaignFolder folder, const std::string& build,
                                            const std::optional<WorkerPlace>& place,
                                            uint32_t jobs) {
  Result<WorkerFolder> own = WorkerFolder::claim(folder.build(build), place);
  if (!own) return own.error();
  std::error_code ignored;  // who has something to put there will say so
  fs::create_directory(folder.findings(build), ignored);
  const std::string& name = own->name();
  const uint64_t seed =
      mix_seeds(folder.description().seed, fnv1a(name.data(), name.size())) >> 11;  // JSON has 53
  char host[65] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  const WorkerInfo info{name,
                        host,
                        getpid(),
                        own_process_mark(),
                        seed,
                        jobs,
                        place ? place->index : 0,
                        place ? place->count : 0};
  if (MaybeError error = own->write_info(info)) return *error;
  CampaignWorker worker(std::move(folder), build, std::move(*own), seed);
  worker.look_at_folder();
  worker.failures_at_start_ = worker.known_failures_.size();
  worker.beat({}, "running", false);
  if (worker.trouble_) return *worker.trouble_;
  return worker;
}

void CampaignWorker::begin(Hub& hub) {
  hub_ = &hub;
  exchange_.emplace(hub);
  const Clock::time_point now = started_ = last_news_ = Clock::now();
  next_read_ = now;
  next_segment_ = now + kFirstSegment;
  next_beat_ = now + beat_every_;
  next_look_ = now + kLookEvery;
  read_distilled();
  hear(now);
}

void CampaignWorker::read_distilled() {
  const std::optional<Segment> sum = newest_distilled(folder_.distilled(build_));
  if (!sum) return;
  take(*sum);
  for (const Covered& covered : sum->covered) others_.skip(covered.worker, covered.sequence);
}

void CampaignWorker::take(const Segment& segment) {
  exchange_->take(segment);
  new_inputs_.insert(new_inputs_.end(), segment.inputs.begin(), segment.inputs.end());
}

// With what the search does not know.
WorkerProgress CampaignWorker::completed(WorkerProgress progress) const {
  progress.exchanging_ms = in_ms(exchanging_);
  if (hub_ == nullptr) return progress;
  constexpr uint64_t kMostClasses = decltype(Hub::reads_from_sets.set)::kMost;
  progress.classes = hub_->reads_from_sets.different();
  // A tally that is full counts no new ones: then nobody knows how many there would be.
  progress.classified = progress.classes < kMostClasses ? progress.schedules : 0;
  return progress;
}

void CampaignWorker::tick(const Now& now) {
  const Clock::time_point time = Clock::now();
  if (!now.inputs.empty()) {  // they go into the next segment
    Segment& segment = unwritten_.emplace_back();
    segment.inputs = now.inputs;
  }
  if (time >= next_look_) {
    look_at_folder();
    next_look_ = time + std::max<Clock::duration>(kLookEvery, 100 * (Clock::now() - time));
  }
  if (time >= next_segment_ || exchange_->waiting_bytes() >= kSegmentBytes) tell(now);
  if (time >= next_read_) hear(time);
  if (time >= next_beat_) {
    beat(now, "running", false);
    next_beat_ = time + beat_every_;
  }
}

// What others have found.
void CampaignWorker::hear(Clock::time_point now) {
  const bool done =
      others_.read_part(is_new_ ? 1 : kParts, now + kLongestRead,
                        [this](const std::string&, const Segment& segment) { take(segment); });
  const Clock::duration took = Clock::now() - now;
  exchanging_ += took;
  // Who has just come is in a hurry: what is known spares it the same search.
  const Clock::duration rest = is_new_ && !done ? took : took * kRestAfterReading;
  next_read_ = Clock::now() + (done ? std::max<Clock::duration>(rest, kReadEvery) : rest);
  if (done) is_new_ = false;
}

// What we have found.
void CampaignWorker::tell(const Now& now) {
  const Clock::time_point before = Clock::now();
  next_segment_ =
      before + std::clamp<Clock::duration>(before - started_, kFirstSegment, kSegmentEvery);
  Segment segment;
  bool all = false;
  do {
    all = exchange_->collect(segment);
    segment.progress = completed(now.progress);
    segment.shares = now.shares;
    for (const uint64_t identity : std::exchange(seen_failures_, {})) {
      segment.failures.push_back({identity, 1});
    }
    unwritten_.push_back(std::exchange(segment, {}));
  } while (!all && unwritten_.size() < kMostUnwritten);
  if (exchange_->own_news() != news_) last_news_ = before;
  news_ = exchange_->own_news();
  size_t written = 0;
  for (; written < unwritten_.size(); ++written) {
    if (MaybeError error = own_.write(unwritten_[written])) {
      if (!trouble_) note(error->message + ": the search goes on, what it finds is kept in memory");
      trouble_ = error;
      break;
    }
    trouble_.reset();
  }
  unwritten_.erase(unwritten_.begin(), unwritten_.begin() + static_cast<ptrdiff_t>(written));
  exchanging_ += Clock::now() - before;
}

void CampaignWorker::look_at_folder() {
  stopped_ = stopped_ || folder_.is_stopped();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(findings(), error)) {
    const std::string name = entry.path().filename();
    if (const auto identity = identity_in_name(name)) known_failures_.insert(*identity);
  }
}

void CampaignWorker::beat(const Now& now, const std::string& state, bool ended) {
  Heartbeat heartbeat;
  heartbeat.state = state;
  heartbeat.ended = ended;
  heartbeat.progress = completed(now.progress);
  if (hub_ != nullptr) {
    heartbeat.pairs = hub_->reads_from_pairs.used;
    heartbeat.corpus = hub_->corpus_size();
  }
  heartbeat.failures = now.failures;
  heartbeat.news_ms = in_ms(last_news_ - started_);
  if (trouble_) heartbeat.note = trouble_->message;
  MaybeError error = own_.beat(heartbeat);
  if (error && hub_ == nullptr) trouble_ = error;
}

MaybeError CampaignWorker::end(const Now& now, const std::string& why) {
  if (exchange_) {
    if (!now.inputs.empty()) unwritten_.emplace_back().inputs = now.inputs;
    tell(now);
  }
  beat(now, why, true);
  return trouble_;
}

}  // namespace jostle::cli
