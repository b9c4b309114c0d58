// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/campaign_process.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "src/base/hash.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/standard_input.h"
#include "src/files/journal.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using std::chrono::nanoseconds;

constexpr int kMostRestarts = 5;  // without a single schedule in between
// How much longer than its limit a run may take to end by itself.
constexpr std::chrono::seconds kGraceOfCampaign{5};
// The target itself looks at the clock between runs: a run that is under way when the time is over
// is ended by us, and so is one that goes on when everything else is over.
constexpr std::chrono::milliseconds kLate{100};
constexpr std::chrono::seconds kLateStop{1};

void add(Totals& totals, const channel::Status& status) {
  totals.schedules += status.runs;
  totals.steps += status.steps;
  totals.events += status.events;
  totals.failing_schedules += status.failing_schedules;
  totals.rejected += status.rejected;
  totals.scenarios += status.scenarios;
  totals.not_judged += status.not_judged;
  totals.timer_expiries += status.timer_expiries;
  totals.inputs += status.inputs;
  if (totals.first_failure_at == 0) totals.first_failure_at = status.first_failure_at;
  totals.uncontrolled |= status.uncontrolled;
  totals.runs_differed |= status.runs_differed != 0;
  totals.max_live_threads = std::max<uint32_t>(totals.max_live_threads, status.max_live_threads);
  for (size_t i = 0; i < totals.outcomes.size(); ++i) totals.outcomes[i] += status.outcomes[i];
  for (const channel::EndedEarly& each : status.ended_early) {
    if (each.why[0] == '\0' || each.runs == 0) break;
    totals.ended_early[report::escape(report::bounded(each.why))] += each.runs;
  }
  totals.executor = status.executor;
  totals.traces = combine(totals.traces, status.traces);
  totals.exploration = status.exploration;
}

std::string ended_how(int status) {
  return WIFSIGNALED(status) ? fmt::format("died of {}", report::signal_name(WTERMSIG(status)))
                             : fmt::format("exited with {}", WEXITSTATUS(status));
}

}  // namespace

Campaign::Campaign(LaunchPlan plan, const channel::Config& config, Installation installation,
                   SharedChannel channel)
    : plan_(std::move(plan)),
      config_(config),
      installation_(std::move(installation)),
      channel_(std::move(channel)),
      first_schedule_(config.first_schedule),
      started_(Clock::now()) {}

Result<Campaign> Campaign::start(LaunchPlan plan, const channel::Config& config,
                                 const Installation& installation) {
  Result<SharedChannel> channel = create_channel();
  if (!channel) return channel.error();
  Campaign campaign(std::move(plan), config, installation, std::move(*channel));
  if (MaybeError error = campaign.launch_process()) return *error;
  return campaign;
}

// Fills in what is left of the budget and starts a process on the (fresh) channel.
MaybeError Campaign::launch_process() {
  channel::Config config = config_;
  config.first_schedule = first_schedule_;
  if (config_.max_nanoseconds != 0) {
    const nanoseconds left = nanoseconds(static_cast<int64_t>(config_.max_nanoseconds)) - elapsed();
    config.max_nanoseconds = static_cast<uint64_t>(std::max<int64_t>(1, left.count()));
  }
  channel_->config = config;
  if (plan_.prepare) plan_.prepare(*channel_);
  reader_.emplace(*channel_);
  LaunchPlan plan = plan_;
  const Descriptor input = plan_.in < 0 ? Descriptor() : reopen(plan_.in);
  if (plan_.in >= 0 && !input.valid()) {
    return Error{Exit::internal, "cannot open standard input once more for another process"};
  }
  plan.in = input.valid() ? input.get() : -1;
  Result<TargetProcess> process = launch(plan, channel_, installation_);
  if (!process) return process.error();
  process_.emplace(std::move(*process));
  last_progress_ = Clock::now();
  return std::nullopt;
}

// Takes the counters over and starts again on fresh memory.
MaybeError Campaign::restart(uint64_t first_schedule) {
  Result<SharedChannel> fresh = create_channel();
  if (!fresh) return fresh.error();
  while (std::optional<Finding> finding = reader_->next()) rescued_.push_back(std::move(*finding));
  add(before_, channel_->status);
  channel_ = std::move(*fresh);
  first_schedule_ = first_schedule;
  ended_.reset();
  return launch_process();
}

bool Campaign::budget_left() const {
  const bool schedules = config_.max_schedules == 0 || next_schedule() <= config_.max_schedules;
  const bool time = config_.max_nanoseconds == 0 ||
                    elapsed() < nanoseconds(static_cast<int64_t>(config_.max_nanoseconds));
  return schedules && time && !interrupted_;
}

Result<bool> Campaign::step(SignalWatch& signals, std::chrono::milliseconds poll) {
  if (!process_) return false;
  if (const auto status = process_->wait(poll)) {
    process_.reset();
    files::put_back(channel_->files);  // what it could not do itself
    return process_ended(*status);
  }
  if (signals.interrupts() > seen_interrupts_) {
    seen_interrupts_ = signals.interrupts();
    if (interrupted_) process_->kill();
    interrupted_ = true;
    stop();
  }
  if (is_stuck() || is_late()) process_->kill();
  if (process_->pid() > 0) return true;
  process_.reset();
  files::put_back(channel_->files);
  return process_ended(SIGKILL);
}

void Campaign::send(int signal) {
  if (process_) process_->send(signal);
}

// A run that even the runtime's watchdog does not end.
bool Campaign::is_stuck() {
  const uint64_t schedules = channel_->status.schedules;
  if (schedules != last_schedules_ || channel_->status.idle != 0) {
    last_schedules_ = schedules;
    last_progress_ = Clock::now();
  }
  const nanoseconds one_run(static_cast<int64_t>(config_.run_nanoseconds));
  if (one_run.count() == 0 || Clock::now() - last_progress_ < one_run + kGraceOfCampaign)
    return false;
  ++before_.stuck;
  return true;
}

void Campaign::stop() {
  channel_->status.stop_requested = 1;
  if (!stopped_) stopped_ = Clock::now();
}

bool Campaign::is_late() {
  if (stopped_ && Clock::now() - *stopped_ > kLateStop) return true;
  const nanoseconds time(static_cast<int64_t>(config_.max_nanoseconds));
  if (time.count() == 0 || elapsed() < time + kLate) return false;
  late_ = true;
  return true;
}

Result<bool> Campaign::process_ended(int status) {
  ended_ = Clock::now();
  if (MaybeError broken = broken_check(*channel_)) return *broken;
  const channel::Status& state = channel_->status;
  if (state.phase == channel::Phase::finished || interrupted_ || late_ || stopped_) return false;
  if (state.attached == 0) {
    const std::string why = note();
    return Error{Exit::no_start,
                 why.empty()
                     ? fmt::format("{} {} before the runtime could take over: does it start "
                                   "without jostle?",
                                   plan_.program, ended_how(status))
                     : why};
  }
  if (state.phase == channel::Phase::starting && config_.first_schedule == first_schedule_) {
    return Error{
        Exit::unsupported,
        fmt::format("{} {} before it came to main: runs begin there, and what constructors "
                    "and their threads do before is not searched (`jostle run` shows how "
                    "it fails)",
                    plan_.program, ended_how(status))};
  }
  if (!budget_left()) return false;
  const bool progress = state.schedules >= first_schedule_;
  restarts_without_progress_ = progress ? 0 : restarts_without_progress_ + 1;
  if (restarts_without_progress_ > kMostRestarts) {
    return Error{Exit::unsupported,
                 fmt::format("{} {} again and again between runs: try `jostle doctor`",
                             plan_.program, ended_how(status))};
  }
  // The schedule that was under way is tried once more, then in a process of its own, then left
  // out.
  const bool rewinding = config_.executor == channel::Executor::automatic;
  const uint64_t skip = restarts_without_progress_ > 1 && !rewinding ? config_.workers : 0;
  if (restarts_without_progress_ > 1 && rewinding) config_.executor = channel::Executor::fork;
  if (MaybeError error = restart(next_schedule() + skip)) return *error;
  ++before_.restarts;
  return true;
}

uint64_t Campaign::next_schedule() const {
  const uint64_t last = channel_->status.schedules;
  return std::max<uint64_t>(first_schedule_, last == 0 ? 0 : last + config_.workers);
}

Result<bool> Campaign::go_on(bool in_processes) {
  if (process_) return true;
  if (!budget_left()) return false;
  if (in_processes && config_.executor == channel::Executor::automatic) {
    config_.executor = channel::Executor::fork;
  }
  config_.keep_going = 1;
  stopped_.reset();
  const uint64_t next = last_finding_ == 0 ? 0 : last_finding_ + config_.workers;
  if (MaybeError error = restart(std::max(next_schedule(), next))) return *error;
  return true;
}

std::optional<Finding> Campaign::next_finding() {
  std::optional<Finding> finding;
  if (!rescued_.empty()) {
    finding = std::move(rescued_.front());
    rescued_.pop_front();
  } else {
    finding = reader_->next();
  }
  if (finding) last_finding_ = finding->schedule_number;
  return finding;
}

Totals Campaign::totals() const {
  Totals totals = before_;
  add(totals, channel_->status);
  totals.waits = channel_->record.waits != 0;  // the last run stands for all
  totals.weak_compares = channel_->record.weak_compares != 0;
  return totals;
}

std::string Campaign::executor_note() const {
  const std::string_view why = report::bounded(channel_->status.executor_note);
  return why.empty() ? "" : fmt::format("a process per run: the program {}", why);
}

std::string Campaign::file_note() const {
  const std::string_view read = report::bounded(channel_->status.file_note);
  if (!read.empty()) return fmt::format("the program {}", report::escape(read));
  const channel::FileJournal& files = channel_->files;
  const uint32_t count = std::min<uint32_t>(files.count, channel::kMaxFiles);
  for (uint32_t i = 0; i < count && files.care == channel::FileCare::restore; ++i) {
    const channel::FileRecord& record = files.records[i];
    if (record.changed == 0) continue;
    return fmt::format("runs change {}, and it is not put back: {}",
                       report::escape(report::bounded(record.path)),
                       report::bounded(record.left_alone));
  }
  return {};
}

void Campaign::pause() {
  channel::Status& status = channel_->status;
  const channel::FileJournal& files = channel_->files;
  if (!process_ || (files.count == 0 && files.has_made_objects == 0)) return;
  status.pause_requested = 1;
  const nanoseconds longest =
      nanoseconds(static_cast<int64_t>(config_.run_nanoseconds)) + kGraceOfCampaign;
  const Clock::time_point deadline = Clock::now() + longest;
  while (status.paused == 0 && status.phase != channel::Phase::finished && !process_->has_ended() &&
         Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Campaign::go_on_running() {
  channel_->status.pause_requested = 0;
  last_progress_ = Clock::now();
}

std::string Campaign::note() const { return std::string(report::bounded(channel_->status.note)); }

nanoseconds Campaign::elapsed() const { return ended_.value_or(Clock::now()) - started_; }

}  // namespace jostle::cli
