// SPDX-License-Identifier: Apache-2.0
#include "src/minimize/command/shrink_input.h"

#include <fcntl.h>

#include "src/cli/campaign/fuzz_inputs.h"
#include "src/cli/target/execution.h"
#include "src/report/model/failure_kinds.h"

namespace jostle::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kOtherSchedules = 16;

class Shrinking {
 public:
  Shrinking(const LaunchPlan& plan, const channel::Config& config, const Finding& finding,
            const std::string& bytes, std::chrono::nanoseconds time,
            const Installation& installation)
      : plan_(plan),
        config_(config),
        installation_(installation),
        silence_(open("/dev/null", O_WRONLY | O_CLOEXEC)),
        deadline_(Clock::now() + time),
        best_{bytes, finding} {
    plan_.out = plan_.err = silence_.get();
    plan_.own_group = true;
    plan_.prepare = [this](channel::Channel& channel) {
      channel.config.has_input = 1;
      store_schedule(best_.finding.log, channel.input);
    };
    config_.mode = channel::Mode::run;
    config_.record = 0;
    set_strategy(config_, "replay");
    other_ = config_;
    set_strategy(other_, "pos");
  }

  ShrunkInput run() {
    leave_out_lines();
    leave_out();
    make_plain();
    leave_out();
    return std::move(best_);
  }

 private:
  bool has_time() const { return Clock::now() < deadline_ && !stopped_; }

  // A line less is a step less of many a program: that the schedule does not fit any more is no
  // reason to keep it, so others are tried, too.
  void leave_out_lines() {
    for (size_t end = best_.bytes.size(); end > 0 && has_time();) {
      const size_t newline = end < 2 ? std::string::npos : best_.bytes.rfind('\n', end - 2);
      const size_t begin = newline == std::string::npos ? 0 : newline + 1;
      std::string candidate = best_.bytes;
      candidate.erase(begin, end - begin);
      if (!try_input(candidate)) try_other_schedules(candidate);
      end = begin;
    }
  }

  void try_other_schedules(const std::string& candidate) {
    for (other_.seed = 1; other_.seed <= kOtherSchedules && has_time(); ++other_.seed) {
      if (try_input(candidate, other_)) return;
    }
  }

  // Halves, quarters, …, single bytes.
  void leave_out() {
    for (size_t length = best_.bytes.size(); length > 0; length /= 2) {
      for (size_t at = 0; at + length <= best_.bytes.size() && has_time();) {
        std::string candidate = best_.bytes;
        candidate.erase(at, length);
        if (!try_input(candidate)) at += length;
      }
    }
  }

  void make_plain() {
    for (size_t at = 0; at < best_.bytes.size(); ++at) {
      for (const char plain : {'\0', '0', 'a', ' '}) {
        if (best_.bytes[at] == plain) break;
        if (!has_time()) return;
        std::string candidate = best_.bytes;
        candidate[at] = plain;
        if (try_input(candidate)) break;
      }
    }
  }

  bool try_input(const std::string& candidate) { return try_input(candidate, config_); }

  bool try_input(const std::string& candidate, const channel::Config& config) {
    Result<StandardInput> input = input_of_bytes(candidate);
    if (!input) return give_up();
    plan_.in = input->file.get();
    Result<Execution> run = execute(plan_, config, nullptr, installation_);
    ++best_.runs;
    if (!run || run->interrupted || run->out_of_time) return give_up();
    const channel::RunRecord& record = run->record();
    if (record.log_overflow || !report::same_failure(best_.finding.end, record.end)) return false;
    best_.bytes = candidate;
    best_.finding.end = record.end;
    best_.finding.log = copy_schedule(record.schedule);
    return true;
  }

  bool give_up() {
    stopped_ = true;
    return false;
  }

  LaunchPlan plan_;
  channel::Config config_;
  channel::Config other_;  // any schedule
  const Installation& installation_;
  Descriptor silence_;
  Clock::time_point deadline_;
  ShrunkInput best_;
  bool stopped_ = false;
};

}  // namespace

Result<ShrunkInput> shrink_input(const LaunchPlan& plan, channel::Config config,
                                 const Finding& finding, const std::string& bytes,
                                 std::chrono::nanoseconds time, const Installation& installation) {
  return Shrinking(plan, config, finding, bytes, time, installation).run();
}

}  // namespace jostle::cli
