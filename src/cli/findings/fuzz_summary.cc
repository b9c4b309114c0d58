// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/fuzz_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/cli/findings/proof.h"
#include "src/cli/support/error.h"
#include "src/cli/support/plain_signs.h"
#include "src/cli/support/terminal.h"
#include "src/report/words/text.h"
#include "src/schedule/before_main.h"

namespace jostle::cli {

bool all_rejected(const CampaignResult& result) {
  return result.totals.rejected != 0 && result.totals.rejected == result.totals.schedules;
}

bool fails_on_lock_order(const CampaignResult& result) {
  return (result.config.fail_on & channel::kCheckLockOrder) != 0 && !result.lock_order.empty();
}

bool nothing_tested(const CampaignResult& result) {
  return result.totals.schedules == 0 && result.stopped == "time";
}

std::string describe_classes(const channel::Channel& channel) {
  const auto runs = static_cast<double>(std::max<uint64_t>(1, channel.status.runs));
  std::string text;
  for (const channel::ClassCount& kind : channel.classes) {
    if (kind.name[0] == '\0') break;
    text += fmt::format("{}{:.1f} % {}", text.empty() ? "inputs: " : ", ",
                        100 * static_cast<double>(kind.runs) / runs,
                        report::escape(report::bounded(kind.name)));
  }
  return text.empty() ? text : text + "\n";
}

namespace {

// "all 1,680 schedules", "all 72 schedules with at most 2 preemptions"
std::string all_schedules(const channel::Exploration& explored) {
  std::string text = fmt::format("all {}", report::count(explored.explored, "schedule"));
  if (explored.explored == 1) text = "the only schedule there is";
  if (explored.bound >= 0 && !explored.everything) {
    text += fmt::format(" within bound {}", explored.bound);
  }
  return text;
}

// What is different when runs are long.
std::vector<std::string> long_runs(const Totals& totals) {
  std::vector<std::string> lines;
  const uint64_t cut = totals.outcomes[static_cast<size_t>(channel::Outcome::cut_off)];
  if (cut != 0) {
    lines.push_back(
        fmt::format("{} did not end within the default limits and {} cut off, which is no failure: "
                    "--max-steps 0 --timeout 0 lets them run",
                    report::count(cut, "run"), cut == 1 ? "was" : "were"));
  }
  if (totals.not_judged != 0) {
    lines.push_back(
        fmt::format("of {} it is not known whether the results are right, which is no failure "
                    "(docs/linearizability.md, Limits)",
                    report::count(totals.not_judged, "run")));
  }
  const uint64_t events = totals.schedules == 0 ? 0 : totals.events / totals.schedules;
  if (events > channel::kLongRun) {
    lines.push_back(fmt::format(
        "runs are long ({} M events each): every operation is a scheduling point in a part of each "
        "run only, elsewhere few are",
        report::thousands(events / 1'000'000)));
  }
  return lines;
}

// Of runs that the search ended before the program did: how many, and why. Few are not worth a
// line.
std::string early_ends(const Totals& totals) {
  constexpr uint64_t kOneIn = 100;
  uint64_t runs = 0;
  std::string reasons;
  for (const auto& [why, of_these] : totals.ended_early) {
    runs += of_these;
    reasons +=
        fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", report::thousands(of_these), why);
  }
  if (runs == 0 || runs * kOneIn < totals.schedules) return {};
  return fmt::format(
      "{} of {} ended by the search before the program ended, which is no failure ({})",
      report::thousands(runs),
      report::count(totals.schedules, "run") + (runs == 1 ? " was" : " were"), reasons);
}

// "3 of 1,000 schedules failed (249 distinct, 19 by reads-from)"; without a failure how many there
// were is enough.
std::string effort(const Totals& totals) {
  const std::string schedules = report::count(totals.schedules, "schedule");
  const std::string failed =
      fmt::format("{} of {} failed", report::thousands(totals.failing_schedules), schedules);
  return fmt::format("{} ({} distinct, {} by reads-from)",
                     totals.failing_schedules == 0 ? schedules : failed,
                     report::thousands(totals.distinct), report::thousands(totals.reads_from_sets));
}

// "4.7k/s"; of programs that take their time, what one costs.
std::string speed(const Totals& totals, double seconds) {
  const auto runs = static_cast<double>(totals.schedules);
  if (totals.schedules == 0 || seconds <= 0) return "0/s";
  if (runs >= seconds) return report::rough(runs / seconds) + "/s";
  return fmt::format("{:.1f} s each", seconds / runs);
}

// What "all schedules" leaves out: what may happen without a reason.
std::string what_is_not_among_them(const Totals& totals) {
  std::string what;
  if (totals.waits) what = "waits that end without a signal";
  if (totals.weak_compares) {
    what += std::string(what.empty() ? "" : " and ") +
            "comparisons (compare_exchange_weak) that fail without a reason";
  }
  return what.empty() ? "" : fmt::format("; {} are not among them", what);
}

}  // namespace

void print_summary(FILE* to, const CampaignResult& result, const SummaryNotes& notes, bool quiet) {
  const Totals& totals = result.totals;
  const double seconds = std::chrono::duration<double>(result.elapsed).count();
  const size_t columns = terminal_columns(descriptor_of(to));
  const auto say = [&](const std::string& line) {
    fmt::print(to, "{}\n", report::wrap_words(line, columns, "  "));
  };
  for (const FailureEntry& entry : result.unconfirmed) {
    if (entry.out_of_time) continue;  // said once for all
    note(fmt::format("not confirmed: {} in schedule {}: {}", entry.kind,
                     report::thousands(entry.schedule_number), entry.why_not));
  }
  const bool undecided = std::ranges::any_of(
      result.unconfirmed, [](const FailureEntry& entry) { return !entry.out_of_time; });
  if (undecided) {
    note("the program does something that a schedule does not decide: see `jostle doctor`");
  }
  if (totals.stuck != 0) {
    note(fmt::format("{} hung and had to be killed from outside: see `jostle doctor`",
                     report::count(totals.stuck, "run")));
  }
  for (const std::string& line : long_runs(totals)) note(line);
  if (!notes.note.empty()) note(notes.note);
  for (const std::string& line : result.undone) note(line);
  if (nothing_tested(result)) {
    note(fmt::format(
        "no run came to its end in {:.1f} s: nothing was tested (more time: -t; where a "
        "run is after a while: `jostle doctor`)",
        seconds));
  }
  if (all_rejected(result)) {
    note(
        fmt::format("assume() or a filter rejected the inputs of all {}: nothing was tested; let "
                    "the generators make what fits",
                    report::count(totals.schedules, "run")));
  }
  if (fails_on_lock_order(result)) {
    fmt::print(to, "LOCK ORDER: {}", describe_lock_order(result.lock_order, columns));
    std::fflush(to);
  }
  if (quiet) return;
  const channel::Exploration& explored = totals.exploration;
  // Where everything was explored, what such a run left out was in another one.
  const std::string early_end = explored.is_reduced != 0 ? "" : early_ends(totals);
  if (!early_end.empty()) note(early_end);
  const bool early = (totals.uncontrolled & channel::kThreadsBeforeMain) != 0;
  const Proof proof = proof_of(result);
  for (const std::string& line : proof_lines(result, proof)) {
    const size_t indent = line.find_first_not_of(' ');
    const std::string before(indent, ' ');
    fmt::print(to, "{}{}\n", before,
               report::wrap_words(line.substr(indent), columns - indent, before + "  "));
  }
  // Of executions the proof says whether they are all.
  const bool is_claim = !explored.is_reduced || result.regressions_failed != 0;
  if (explored.finished && result.stopped == "exhausted" && proof.kind == Proof::Kind::none &&
      is_claim) {
    const bool assumes = result.config.spurious != channel::SpuriousWakeups::always;
    const std::string_view found = !result.failures.empty()         ? "done"
                                   : result.regressions_failed != 0 ? "no other failure"
                                                                    : "no failure";
    say(fmt::format("{}: {} explored{}{}", found, all_schedules(explored),
                    early                  ? " from main on"
                    : !explored.everything ? ""
                    : totals.timer_expiries != 0
                        ? " (exhaustive at this granularity; timers on time)"
                        : " (exhaustive at this granularity)",
                    assumes ? what_is_not_among_them(totals) : ""));
  }
  if (early) {
    note(
        "threads ran before main: that happened once, in one order, and was not searched (move it "
        "behind main's begin to have it searched)");
  }
  if (!result.failures.empty()) {
    say(fmt::format("{} in {:.1f} s: {}", report::count(result.failures.size(), "failure"), seconds,
                    effort(totals)));
  } else if (result.exit != Exit::unsupported && proof.kind == Proof::Kind::none) {
    say(fmt::format("no {}failure{} in {:.1f} s: {}, {}{}",
                    result.regressions_failed + result.failures_elsewhere != 0 ? "other " : "",
                    result.unconfirmed.empty() ? "" : " confirmed", seconds, effort(totals),
                    speed(totals, seconds),
                    result.stopped == "interrupted" ? ", interrupted" : ""));
    if (const std::string missed = describe(thoroughness_of(result)); !missed.empty()) say(missed);
  }
  std::string lists = notes.classes + notes.races;
  if (!fails_on_lock_order(result)) lists += describe_lock_order(result.lock_order, columns);
  fmt::print(to, "{}", report::fit(lists, columns));
  std::fflush(to);
}

}  // namespace jostle::cli
