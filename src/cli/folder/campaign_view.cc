// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/campaign_view.h"

#include <algorithm>
#include <filesystem>

#include "src/cli/folder/campaign_worker.h"
#include "src/cli/folder/process_mark.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

using std::chrono::seconds;

// A heartbeat this old has missed one.
constexpr seconds kSilentForLong = 2 * kHeartbeatEvery + seconds(5);

uint64_t in_ms(seconds time) { return static_cast<uint64_t>(time.count()) * 1000; }

// In the milliseconds of a worker's life.
seconds until(uint64_t from, uint64_t to) {
  return seconds(static_cast<int64_t>((to - std::min(from, to)) / 1000));
}

void add_progress(WorkerProgress& sum, const WorkerProgress& one) {
  sum.elapsed_ms += one.elapsed_ms;
  sum.schedules += one.schedules;
  sum.failing_schedules += one.failing_schedules;
  sum.distinct += one.distinct;
  sum.classes += one.classes;
  sum.classified += one.classified;
  sum.exchanging_ms += one.exchanging_ms;
}

// Times of first sights, in order, walked along with the rows.
class Counter {
 public:
  explicit Counter(std::vector<uint64_t> times) : times_(std::move(times)) {
    std::sort(times_.begin(), times_.end());
  }
  uint64_t up_to(uint64_t time) {
    while (at_ < times_.size() && times_[at_] <= time) ++at_;
    return at_;
  }

 private:
  std::vector<uint64_t> times_;
  size_t at_ = 0;
};

}  // namespace

double WorkerView::rate() const {
  if (progress.elapsed_ms == 0) return 0;
  return 1000 * static_cast<double>(progress.schedules) / static_cast<double>(progress.elapsed_ms);
}

CampaignView::CampaignView(const CampaignFolder& folder, std::string build)
    : folder_(folder), build_(std::move(build)), reader_(folder.build(build_), "", 1) {}

void CampaignView::read_all() {
  const auto read = [this] {
    return reader_.read_everything(
        [this](const std::string& worker, const Segment& segment) { take(worker, segment); });
  };
  if (read()) return;
  // What was missing is there: everything again, in the order in which it was written.
  reader_ = OtherWorkers(folder_.build(build_), "", 1);
  reported_.clear();
  pairs_.clear();
  schedules_.clear();
  classes_.clear();
  class_bits_ = 0;
  races_.clear();
  inputs_.clear();
  lock_edges_.clear();
  failures_.clear();
  moments_.clear();
  last_news_ms_ = 0;
  read();
}

void CampaignView::refresh() {
  read_all();
  look_at_workers();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_.findings(build_), error)) {
    const std::string name = entry.path().filename();
    const auto identity = identity_in_name(name);
    if (!identity) continue;
    FailureView& failure = failures_[*identity];
    failure.identity = *identity;
    failure.folder = name;
  }
}

void CampaignView::take(const std::string& worker, const Segment& segment) {
  const uint64_t now = segment.written_ms;
  Reported& reported = reported_[worker];
  const bool has_all_before = segment.sequence == reported.sequence + 1;
  reported.sequence = std::max(reported.sequence, segment.sequence);
  if (segment.sequence == reported.all_up_to + 1) reported.all_up_to = segment.sequence;
  if (segment.progress.elapsed_ms != 0) {
    if (has_all_before && segment.progress.classified > reported.progress.classified) {
      reported.classified += segment.progress.classified - reported.progress.classified;
    }
    if (segment.progress.schedules != reported.progress.schedules) reported.last_run_ms = now;
    reported.progress = segment.progress;
    reported.began_ms =
        std::min(reported.began_ms, now - std::min(now, segment.progress.elapsed_ms));
    moments_.push_back({now, worker, segment.progress, segment.shares});
  }
  const auto first = [now](uint64_t& time) { time = std::min(time, now); };
  for (const uint64_t pair : segment.pairs) {
    const auto [at, is_new] = pairs_.try_emplace(pair, now);
    if (is_new) {
      last_news_ms_ = std::max(last_news_ms_, now);
      reported.first_news_at = reported.progress.elapsed_ms;
    }
    first(at->second);
  }
  for (const AbstractSchedule& schedule : segment.schedules) {
    first(schedules_.try_emplace(schedule_hash(schedule), schedule, now).first->second.second);
  }
  if (!segment.pairs.empty() || !segment.schedules.empty()) {
    reported.news_at = reported.progress.elapsed_ms;
  }
  class_bits_ = std::max(class_bits_, segment.class_bits);
  for (const ClassTally& tally : segment.classes) {
    if (!has_all_before || !is_sent(tally.hash, class_bits_)) continue;
    ClassView& seen = classes_.try_emplace(tally.hash, ClassView{0, now}).first->second;
    seen.runs += tally.runs;
    first(seen.first_ms);
  }
  races_.insert(segment.races.begin(), segment.races.end());
  for (const InputNews& input : segment.inputs) inputs_.insert(input.hash);
  for (const LockEdgeRecord& edge : segment.lock_edges) {
    lock_edges_.try_emplace(LockEdge::key(edge.held, edge.wanted, edge.thread, edge.gates.data(),
                                          static_cast<uint32_t>(edge.gates.size())),
                            edge);
  }
  for (const FailureTally& tally : segment.failures) {
    FailureView& failure = failures_[tally.identity];
    failure.identity = tally.identity;
    failure.workers.insert(worker);
    failure.first_ms = failure.first_ms == 0 ? now : std::min(failure.first_ms, now);
  }
}

void CampaignView::look_at_workers() {
  const int64_t now = file_server_now(folder_.path());
  workers_.clear();
  since_last_news_.reset();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_.build(build_), error)) {
    const std::string name = entry.path().filename();
    if (!is_worker_name(name)) continue;
    WorkerView worker;
    const auto info = read_info(entry.path().string());
    if (info) worker.info = *info;
    worker.info.name = name;
    // Asked before its heartbeat is read: who has ended meanwhile has said so there.
    const bool is_gone = has_ended_here(worker.info.mark);
    const Reported& reported = reported_[name];
    worker.progress = reported.progress;
    if (const auto seen = read_heartbeat(entry.path().string(), now)) {
      const Heartbeat& heartbeat = seen->heartbeat;
      if (heartbeat.progress.schedules >= worker.progress.schedules) {
        worker.progress = heartbeat.progress;
      }
      worker.state = heartbeat.state;
      worker.failures = heartbeat.failures;
      worker.note = heartbeat.note;
      worker.silent = seen->age;
      const uint64_t now_of_its_life = heartbeat.progress.elapsed_ms + in_ms(seen->age);
      worker.since_news = until(std::max(heartbeat.news_ms, reported.news_at), now_of_its_life);
      if (reported.first_news_at) {
        const seconds since = until(*reported.first_news_at, now_of_its_life);
        since_last_news_ = std::min(since, since_last_news_.value_or(since));
      }
      const bool is_dead = is_gone || seen->age > kDeadAfter;
      worker.life = heartbeat.ended ? WorkerView::Life::ended
                    : is_dead       ? WorkerView::Life::dead
                                    : WorkerView::Life::running;
    } else {
      // It has just begun, or was killed before it could say anything.
      worker.since_news = worker.silent = since_last_file(entry.path().string(), now);
      if (reported.first_news_at) {
        since_last_news_ = std::min(worker.silent, since_last_news_.value_or(worker.silent));
      }
      const bool is_dead = is_gone || worker.silent > kDeadAfter;
      worker.life = is_dead ? WorkerView::Life::dead : WorkerView::Life::running;
      worker.state = "running";
    }
    if (worker.life == WorkerView::Life::dead) worker.state = "dead";
    workers_.push_back(std::move(worker));
  }
  // w000003.2 is before w000003.10.
  std::sort(workers_.begin(), workers_.end(), [](const WorkerView& a, const WorkerView& b) {
    const std::string &one = a.info.name, &other = b.info.name;
    const size_t dot = one.find('.'), other_dot = other.find('.');
    const int order = one.compare(0, dot, other, 0, other_dot);
    if (order != 0) return order < 0;
    return one.size() != other.size() ? one.size() < other.size() : one < other;
  });
}

std::chrono::milliseconds CampaignView::searching() const {
  uint64_t began = UINT64_MAX, ended = 0;
  for (const auto& [worker, reported] : reported_) {
    began = std::min(began, reported.began_ms);
    ended = std::max(ended, reported.last_run_ms);
  }
  return std::chrono::milliseconds(static_cast<int64_t>(ended - std::min(began, ended)));
}

size_t CampaignView::count(WorkerView::Life life) const {
  return static_cast<size_t>(std::count_if(workers_.begin(), workers_.end(),
                                           [&](const auto& w) { return w.life == life; }));
}

WorkerProgress CampaignView::total() const {
  WorkerProgress sum;
  for (const WorkerView& worker : workers_) add_progress(sum, worker.progress);
  return sum;
}

double CampaignView::rate() const {
  double sum = 0;
  for (const WorkerView& worker : workers_) {
    if (worker.life == WorkerView::Life::running && worker.silent <= kSilentForLong)
      sum += worker.rate();
  }
  return sum;
}

std::vector<FailureView> CampaignView::failures() const {
  std::vector<FailureView> list;
  for (const auto& [identity, failure] : failures_) {
    if (!failure.folder.empty()) list.push_back(failure);
  }
  return list;
}

Thoroughness CampaignView::thoroughness() const {
  uint64_t runs = 0;
  for (const auto& [worker, reported] : reported_) {
    if (reported.progress.schedules != 0 && reported.progress.classified == 0) return {};
    runs += reported.classified;
  }
  std::map<uint64_t, uint64_t> histogram;
  for (const auto& [hash, seen] : classes_) {
    if (is_sent(hash, class_bits_)) ++histogram[seen.runs];
  }
  return thoroughness_of(runs, histogram, class_bits_);
}

std::vector<GrowthRow> CampaignView::growth(size_t most) const {
  if (moments_.empty()) return {};
  std::vector<const Moment*> order;
  for (const Moment& moment : moments_) order.push_back(&moment);
  std::stable_sort(order.begin(), order.end(),
                   [](const Moment* a, const Moment* b) { return a->written_ms < b->written_ms; });
  uint64_t began = UINT64_MAX;
  for (const auto& [worker, reported] : reported_) began = std::min(began, reported.began_ms);
  std::vector<uint64_t> pairs, classes, schedules, failures;
  for (const auto& [pair, time] : pairs_) pairs.push_back(time);
  for (const auto& [hash, schedule] : schedules_) schedules.push_back(schedule.second);
  for (const auto& [hash, seen] : classes_) {
    if (is_sent(hash, class_bits_)) classes.push_back(seen.first_ms);
  }
  for (const auto& [identity, failure] : failures_) {
    if (failure.first_ms != 0) failures.push_back(failure.first_ms);
  }
  Counter pair_count(std::move(pairs)), class_count(std::move(classes));
  Counter schedule_count(std::move(schedules)), failure_count(std::move(failures));
  std::map<std::string, WorkerProgress> last;
  WorkerProgress sum;
  std::vector<GrowthRow> rows(1);
  const uint64_t end = order.back()->written_ms;
  const uint64_t step =
      std::max<uint64_t>(1, (end - std::min(began, end)) / std::max<size_t>(most, 1));
  uint64_t next = 0;
  for (const Moment* moment : order) {
    WorkerProgress& before = last[moment->worker];
    sum.schedules += moment->progress.schedules - before.schedules;
    sum.failing_schedules += moment->progress.failing_schedules - before.failing_schedules;
    sum.distinct += moment->progress.distinct - before.distinct;
    before = moment->progress;
    const uint64_t time = moment->written_ms - std::min(moment->written_ms, began);
    if (time < next && moment != order.back()) continue;
    next = time + step;
    GrowthRow& row = rows.emplace_back();
    row.time_ms = time;
    row.schedules = sum.schedules;
    row.failing_schedules = sum.failing_schedules;
    row.distinct = sum.distinct;
    row.pairs = pair_count.up_to(moment->written_ms);
    row.classes = class_count.up_to(moment->written_ms) << class_bits_;
    row.corpus = schedule_count.up_to(moment->written_ms);
    row.failures = failure_count.up_to(moment->written_ms);
    for (const StrategyShare& share : moment->shares) row.shares[share.name] = share.percent;
  }
  return rows;
}

Segment CampaignView::sum() const {
  Segment segment;
  segment.written_ms = last_news_ms_;
  segment.class_bits = class_bits_;
  for (const auto& [worker, reported] : reported_) {
    if (reported.all_up_to != 0) segment.covered.push_back({worker, reported.all_up_to});
    add_progress(segment.progress, reported.progress);
  }
  for (const auto& [pair, time] : pairs_) segment.pairs.push_back(pair);
  std::sort(segment.pairs.begin(), segment.pairs.end());
  segment.races.assign(races_.begin(), races_.end());
  std::sort(segment.races.begin(), segment.races.end());
  for (const auto& [key, edge] : lock_edges_) segment.lock_edges.push_back(edge);
  return segment;
}

std::vector<AbstractSchedule> CampaignView::schedules() const {
  std::vector<std::pair<uint64_t, AbstractSchedule>> list;
  for (const auto& [hash, schedule] : schedules_) list.emplace_back(hash, schedule.first);
  // The simplest first, in the same order for every worker.
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return a.second.count != b.second.count ? a.second.count < b.second.count : a.first < b.first;
  });
  std::vector<AbstractSchedule> schedules;
  schedules.reserve(list.size());
  for (const auto& [hash, schedule] : list) schedules.push_back(schedule);
  return schedules;
}

}  // namespace jostle::cli
